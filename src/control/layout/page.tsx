/** The frame of every page that needs a sign-in: navigation, notice, heading. */
import { raw } from 'hono/html'
import type { Child, PropsWithChildren } from 'hono/jsx'
import type { HtmlEscapedString } from 'hono/utils/html'
import type { Role } from '../../accounts/views.ts'
import type { AssetName } from '../assets/assets.ts'
import { isAllowed } from '../shell/access.ts'
import type { PageContext } from '../shell/dashboard.ts'
import { Banners } from './banners.tsx'
import { Document } from './document.tsx'
import { Mark } from './mark.tsx'
import { Form } from './parts.tsx'

/** The navigation: what a customer builds with, what happens then, and what it costs. */
const GROUPS = [
  ['', [['/', 'Overview']]],
  [
    'Build',
    [
      ['/keys', 'API keys'],
      ['/try', 'Try it'],
      ['/coverage', 'Coverage'],
    ],
  ],
  [
    'Observe',
    [
      ['/usage', 'Usage'],
      ['/requests', 'Requests'],
      ['/limits', 'Rate limits'],
      ['/alerts', 'Alerts'],
    ],
  ],
  [
    'Pay',
    [
      ['/balance', 'Balance'],
      ['/receipts', 'Receipts'],
    ],
  ],
  [
    'Manage',
    [
      ['/account/members', 'Members'],
      ['/account/log', 'Log'],
    ],
  ],
] as const

export type Navigation = readonly (readonly [
  group: string,
  sections: readonly (readonly [path: string, name: string])[],
])[]

interface PageProps {
  c: PageContext
  /** Pages of another kind than the customer's have a navigation of their own, and no word on the reader's balance. */
  navigation?: Navigation
  title: string
  /** One sentence under the heading. */
  lead?: Child
  /** Why the form was not accepted. */
  problem?: string
  scripts?: readonly AssetName[]
}

export function Page({
  c,
  navigation,
  title,
  lead,
  problem,
  scripts,
  children,
}: PropsWithChildren<PageProps>) {
  const { session, account, person } = c.var
  const notice = session.take('notice')
  return (
    <Document title={title} scripts={scripts}>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <div class="frame">
        <header class="side">
          <a class="brand" href="/">
            <Mark />
            postrie
          </a>
          {navigation === undefined && <AccountChoice c={c} />}
          {sectionsOf(navigation ?? opened(c.var.role), c.req.path)}
          <div class="who">
            {c.var.isOperator && navigation === undefined && <a href="/operator">Operator</a>}
            {navigation !== undefined && <a href="/">Your account</a>}
            <a
              href="/account"
              aria-current={c.req.path === '/account' ? 'page' : undefined}
              title={person.email}
            >
              {person.email}
            </a>
            <Form c={c} action="/sign-out">
              <button type="submit" class="link">
                Sign out
              </button>
            </Form>
          </div>
        </header>
        <main id="content" tabindex={-1} data-account={account.id}>
          <h1>{title}</h1>
          {lead !== undefined && <p class="lead">{lead}</p>}
          {navigation === undefined && <Banners c={c} />}
          <p class="problem" role="status" data-live-state hidden />
          {notice !== undefined && (
            <p class="notice" role="status">
              {notice}
            </p>
          )}
          {problem !== undefined && (
            <p class="problem" role="alert">
              {problem}
            </p>
          )}
          {children}
          <p class="hint" data-zone>
            Times and days are UTC.
          </p>
        </main>
      </div>
    </Document>
  )
}

/** By role; null: without one. */
const navigations = new Map<Role | null, Navigation>()

/** The navigation as far as a role opens it. A group without sections is not shown. */
function opened(role: Role | null): Navigation {
  const known = navigations.get(role)
  if (known !== undefined) return known
  const made = GROUPS.map(
    ([group, sections]) =>
      [group, sections.filter(([path]) => path === '/coverage' || isAllowed(path, role))] as const,
  ).filter(([, sections]) => sections.length > 0)
  navigations.set(role, made)
  return made
}

/** By the path of the section that is open; '': none is. */
const sections = new WeakMap<Navigation, Map<string, HtmlEscapedString>>()

/** The links of a navigation. They are the same on every visit, and a fifth of what a short page would render. */
function sectionsOf(navigation: Navigation, path: string): HtmlEscapedString {
  const made = sections.get(navigation) ?? new Map<string, HtmlEscapedString>()
  sections.set(navigation, made)
  const all = navigation.flatMap(([, sections]) => sections.map(([section]) => section))
  const here = all.find(section => isHere(path, section)) ?? ''
  const known = made.get(here)
  if (known !== undefined) return known
  const rendered = raw((<Sections navigation={navigation} here={here} />).toString())
  made.set(here, rendered)
  return rendered
}

function Sections({ navigation, here }: { navigation: Navigation; here: string }) {
  return (
    <nav aria-label="Sections">
      {navigation.map(([group, sections]) => (
        <>
          {group !== '' && <span class="group">{group}</span>}
          {sections.map(([path, name]) => (
            <a href={path} aria-current={path === here ? 'page' : undefined}>
              {name}
            </a>
          ))}
        </>
      ))}
    </nav>
  )
}

/** Which account the page is about, where it is not the reader's own and only one; and the way to another. */
function AccountChoice({ c }: { c: PageContext }) {
  const { account, person, memberships, role } = c.var
  if (memberships.length < 2) {
    if (account.id === person.id) return null
    return (
      <p class="acting" title={account.email}>
        {account.email} <span class="hint">{role}</span>
      </p>
    )
  }
  return (
    <Form c={c} action="/account/switch" class="acting">
      <select name="account" aria-label="Account">
        {memberships.map(({ account: { id, email }, role }) => (
          <option value={id} selected={id === account.id}>
            {`${email} (${role})`}
          </option>
        ))}
      </select>
      <button type="submit">Switch</button>
    </Form>
  )
}

function isHere(path: string, section: string): boolean {
  return section === '/' ? path === '/' : path === section || path.startsWith(`${section}/`)
}

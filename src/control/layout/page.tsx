/** The frame of every page that needs a sign-in: navigation, notice, heading. */
import type { Child, PropsWithChildren } from 'hono/jsx'
import type { AssetName } from '../assets/assets.ts'
import { mayOpen } from '../shell/access.ts'
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
  const groups = navigation ?? opened(c)
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
          <nav aria-label="Sections">
            {groups.map(([group, sections]) => (
              <>
                {group !== '' && <span class="group">{group}</span>}
                {sections.map(([path, name]) => (
                  <a href={path} aria-current={isHere(c.req.path, path) ? 'page' : undefined}>
                    {name}
                  </a>
                ))}
              </>
            ))}
          </nav>
          <div class="who">
            {c.var.isOperator && navigation === undefined && <a href="/operator">Operator</a>}
            {navigation !== undefined && <a href="/">Your own account</a>}
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

/** The navigation as far as the reader's role opens it. A group without sections is not shown. */
function opened(c: PageContext): Navigation {
  return GROUPS.map(
    ([group, sections]) =>
      [group, sections.filter(([path]) => path === '/coverage' || mayOpen(c, path))] as const,
  ).filter(([, sections]) => sections.length > 0)
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

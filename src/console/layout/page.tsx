/** The frame of the dashboard's pages: navigation, heading, and problems of the account. */
import type { Context } from 'hono'
import { getCookie } from 'hono/cookie'
import type { Child, PropsWithChildren } from 'hono/jsx'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { ENDPOINT_LIST } from '../../service/endpoints/table.ts'
import { assetPath } from '../assets/assets.ts'
import { balanceConcerns, capConcern, limitConcern, standingConcern } from '../reports/figures.ts'
import { actingConcern, isAllowed } from '../session/access.ts'
import { pageContext } from '../session/page-context.ts'
import { quotedName } from '../words.ts'
import { Brand, Document, Gate } from './document.tsx'
import { Button, breaking, Copyable, Form, Link, Options, Remedy, Wrong } from './parts.tsx'

type Navigation = Readonly<Record<string, Readonly<Record<string, string>>>>

const CUSTOMER: Navigation = {
  '': { '/': 'Overview' },
  Build: { '/keys': 'API keys', '/docs': 'API reference', '/coverage': 'Coverage' },
  Observe: { '/usage': 'Usage', '/requests': 'Requests', '/alerts': 'Alerts' },
  Manage: { '/balance': 'Balance', '/account': 'Account' },
}

/** Pages with tabs, by group. The first of a group is in the navigation. */
const TABS: readonly Readonly<Record<string, string>>[] = [
  { '/keys': 'API keys', '/limits': 'Rate limits' },
  { '/balance': 'Balance', '/receipts': 'Statement and receipts' },
  { '/account': 'Account', '/account/members': 'Members', '/account/log': 'Log' },
]

/** Parts of pages, for the palette. */
const PARTS = {
  '/balance#recharge': 'Recharge: make a payment',
  '/receipts#content': 'Receipts, invoices and refunds',
  '/alerts#content': 'Webhook and email alerts',
  '/keys#content': 'Roll or revoke a key, set its spending cap',
  '/account/members#content': 'Invite a member',
  '/balance#threshold': 'Low-balance warning',
  '/keys?order=today#content': 'Leaked or stolen key: who uses most',
  '/requests?only=errors': 'Errors',
  '/receipts#buyer-company': 'Company and tax number on receipts',
  '/account#content': 'Help: whom to ask',
}

const OPERATOR: Navigation = {
  Operator: {
    '/operator/service': 'Service',
    '/operator/revenue': 'Revenue',
    '/operator/accounts': 'Accounts',
    '/operator/log': 'Audit log',
    '/operator/settings': 'Settings',
  },
}

/** Cookie with the chosen colours. It proves nothing, and scripts need not read it. */
export const THEME_COOKIE = 'postrie-theme'
const OPEN = ['/docs', '/coverage']

export type PageProps = { title: string; lead?: Child; up?: readonly [href: string, name: string] }

export function Page({ title, lead, up, children }: PropsWithChildren<PageProps>) {
  const c = pageContext()
  const isVisitor = c.get('session') === undefined
  return (
    <Document title={title} theme={getCookie(c, THEME_COOKIE)}>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <div class={isOfOperator() ? 'frame operator' : 'frame'}>
        <header class="side">
          <div class="heading">
            <Brand />
            {!isVisitor && (
              <button type="button" class="hint" data-palette title="Ctrl+K or ⌘K">
                Jump to
              </button>
            )}
          </div>
          <button type="button" class="menu" popovertarget="menu">
            Menu
          </button>
          <div id="menu" popover="auto">
            {!isVisitor && !isOfOperator() && <AccountChoice />}
            <Sections />
            {isVisitor ? <Link href="/sign-in" text="Sign in" /> : <Who />}
          </div>
        </header>
        <main id="content" tabindex={-1} data-account={c.get('account')?.id}>
          <View />
          {up && <a href={up[0]}>{up[1]}</a>}
          <h1>{breaking(title)}</h1>
          {lead !== undefined && <p class="lead">{lead}</p>}
          <Tabs tabs={TABS.find(tabs => Object.hasOwn(tabs, c.req.path)) ?? {}} />
          {!isVisitor && <Messages />}
          {children}
          <p class="hint" data-zone>
            Times and days are UTC.
          </p>
        </main>
      </div>
      {!isVisitor && <Palette />}
    </Document>
  )
}

/** True for the operator's pages, which do not show the reader's own account. */
const isOfOperator = (): boolean =>
  pageContext().get('isOperator') === true && pageContext().req.path.startsWith('/operator')

function Who() {
  const c = pageContext()
  const { account, person, isOperator, isViewing } = c.var
  return (
    <div class="who">
      {isOfOperator() ? (
        <a href="/">{isViewing ? account.email : 'Your account'}</a>
      ) : (
        isOperator && <a href="/operator">Operator</a>
      )}
      <a href="/account" aria-current={c.req.path === '/account' ? 'page' : undefined} title={person.email}>
        {person.email}
      </a>
      <Form action="/sign-out" button="Sign out" kind="link" />
    </div>
  )
}

function Sections() {
  const { path } = pageContext().req
  const isHere = (section: string) =>
    path === section ||
    (section !== '/' && path.startsWith(`${section}/`)) ||
    TABS.some(tabs => Object.hasOwn(tabs, section) && Object.hasOwn(tabs, path))
  const groups = Object.entries(isOfOperator() ? OPERATOR : CUSTOMER).map(
    ([group, sections]) => [group, pagesFor(sections)] as const,
  )
  return (
    <nav aria-label="Sections">
      {groups.map(([group, sections]) => (
        <>
          {group !== '' && sections.length > 0 && <span class="group">{group}</span>}
          {sections.map(([path, name]) => (
            <a href={path} aria-current={isHere(path) ? 'page' : undefined}>
              <svg class="icon" aria-hidden="true">
                <use href={`${assetPath('icons.svg')}#${path.split(/[/#]/).at(-1) || 'overview'}`} />
              </svg>
              {name}
            </a>
          ))}
        </>
      ))}
    </nav>
  )
}

/** Returns the pages that the reader may open. The overview sends the role `billing` to the balance. */
function pagesFor(...groups: readonly Readonly<Record<string, string>>[]) {
  const role = pageContext().get('role')
  const isOpen = (path: string) => OPEN.includes(path) || isAllowed(path.split(/[#?]/)[0] ?? '', role)
  const all = groups.flatMap(group => Object.entries(group))
  return all.filter(([path]) => isOpen(path) && !(path === '/' && role === 'billing'))
}

/** Pages to jump to with a key. A script opens it, and adds what the searches of the lists find. */
function Palette() {
  const customer = pagesFor(...Object.values(CUSTOMER), ...TABS, PARTS)
  const operator = pageContext().var.isOperator ? pagesFor(...Object.values(OPERATOR)) : []
  // The pages of a reader's own account are no matter of the operator.
  const endpoints = ENDPOINT_LIST.map(({ name }) => [`/docs#${name}`, `API: ${name}`] as const)
  const pages = new Map(isOfOperator() ? operator : [...customer, ...operator, ...endpoints])
  const lists = ['/keys', '/coverage', '/requests', '/operator/accounts'].filter(list => pages.has(list))
  return (
    <dialog aria-label="Jump to" data-lists={lists.join(' ')}>
      <input placeholder={`Page, key or ${isOfOperator() ? 'account' : 'country'}`} aria-label="Jump to" />
      <ul>
        {[...pages].map(([path, name]) => (
          <li>
            <a href={path}>{name}</a>
          </li>
        ))}
      </ul>
      <output class="hint" />
    </dialog>
  )
}

export function Tabs({ tabs }: { tabs: Readonly<Record<string, string>> }) {
  const c = pageContext()
  const open = Object.entries(tabs).filter(([path]) => isAllowed(path, c.get('role')))
  if (open.length < 2) return null
  return (
    <nav class="tabs" aria-label="Tabs">
      {open.map(([path, name]) => (
        <a href={path} aria-current={path === c.req.path ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  )
}

/** Shows the account of the page, as a choice if the reader has several. Nothing for the only one. */
function AccountChoice() {
  const { account, person, memberships, role } = pageContext().var
  const isChoice = memberships.length > 1 && memberships.some(({ account: { id } }) => id === account.id)
  if (!isChoice)
    return account.id === person.id ? null : (
      <p class="acting" title={account.email}>
        {breaking(account.email)} <span class="hint">{role}</span>
      </p>
    )
  // The end of a long label tells it from others.
  const short = (email: string) => (email.length > 24 ? `${email.slice(0, 10)}…${email.slice(-12)}` : email)
  const names = memberships.map(({ account: { id, email }, role }) => [id, `${short(email)} (${role})`])
  return (
    <Form action="/account/switch" class="acting">
      <select name="account" aria-label="Account" title={account.email}>
        <Options texts={Object.fromEntries(names)} chosen={account.id} />
      </select>
      <span class="heading">
        <span class="hint">{role}</span>
        <Button kind="link" text="Switch" />
      </span>
    </Form>
  )
}

function View() {
  const c = pageContext()
  if (!c.get('isViewing')) return null
  const own = { account: c.var.person.id }
  const text = isOfOperator() ? `A view of ${c.var.account.email} is open.` : actingConcern(c)
  return (
    <Banner text={text} kind="caution">
      <Form action="/account/switch" hidden={own} button="End the view" />
    </Banner>
  )
}

function Messages() {
  const { session, refused } = pageContext().var
  const copied = session.take('copy')
  return (
    <>
      {!isOfOperator() && <Banners />}
      <p class="problem" role="status" data-live-state hidden />
      <Banner text={session.take('caution')} kind="caution">
        {copied && <Copyable text={copied} label="Copy the link" />}
      </Banner>
      <Banner text={session.take('notice')} kind="notice" />
      <Wrong text={refused?.problems['']} />
    </>
  )
}

/** The field, which gets the focus. */
const RECHARGE = ['/balance#recharge-usd', 'Recharge'] as const
const CARD = ['/balance#auto', 'Check the card'] as const

function Banners() {
  const c = pageContext()
  const account = c.get('account')
  const support = supportLink(c.get('support'))
  // The other remedies would not help.
  if (account.standing !== null)
    return <Banner text={standingConcern(account)}>{support && ['Ask the operator: ', support, '.']}</Banner>
  const [, path, own] = /^\/(keys|requests|usage)?(?:\/(.*))?$/.exec(c.req.path) ?? []
  // The page of a key concerns no other key.
  const keys = c.get('keys')()
  const capped = keys.filter(({ id, isCapped }) => isCapped && (own ?? id) === id)
  const uses = capped.length === 1 ? `/keys/${capped[0].id}#uses` : '/keys?state=capped'
  // Elsewhere first its addresses: the key may have leaked.
  const cap = own
    ? ([`/keys/${own}#cap-usd`, 'Raise the cap'] as const)
    : ([uses, 'See who uses it, or raise the cap'] as const)
  const isOfKeys = path !== undefined || c.req.path === '/'
  const isPaying = c.get('isPaying') === true
  const leaks = isOfKeys && !own ? c.get('leaks')() : []
  const { emptyConcern: concern, lowConcern: low } = balanceConcerns(account, c.get('refusals'))
  const limits = limitConcern(account, c.get('queries')(), Date.now())
  // The page of the balance has it where it helps.
  const failed = c.req.path === '/balance' ? '' : c.get('rechargeConcern')
  return (
    <div class="banners">
      {leaks.map(({ key, text }) => {
        const remedy = [`/keys/${key.id}#uses`, 'See who uses it, or roll it'] as const
        return <Banner kind="caution" text={`The key ${quotedName(key)} ${text}.`} remedy={remedy} />
      })}
      {!isPaying && <Banner text={concern} live="emptyConcern" remedy={RECHARGE} />}
      <Banner text={limits} live="limitConcern" remedy={['/limits', 'Change the limits']} />
      <Banner
        text={isOfKeys ? capConcern(capped) : ''}
        live={isOfKeys && !own ? 'capConcern' : undefined}
        remedy={cap}
      />
      {!isPaying && !failed && <Banner text={low} live="lowConcern" kind="caution" remedy={RECHARGE} />}
      {failed && <Banner text={`${low} ${failed}`.trim()} kind="caution" remedy={CARD} />}
    </div>
  )
}

export function supportLink(address: string) {
  return address && <a href={address.includes('://') ? address : `mailto:${address}`}>{address}</a>
}

interface BannerProps {
  text: string | undefined
  live?: string | undefined
  kind?: 'caution' | 'notice'
  remedy?: readonly [href: string, text: string]
}

/** A `problem` says that requests are refused. With `live`, an empty banner is hidden until it has a text. */
export function Banner(props: PropsWithChildren<BannerProps>) {
  const { text = '', live, kind = 'problem', remedy, children } = props
  if (text === '' && live === undefined) return null
  return (
    <div class={`${kind} banner`} role="status" hidden={text === ''}>
      <span data-live={live}>{text}</span> {remedy && <Remedy href={remedy[0]} text={remedy[1]} />}
      {children}
    </div>
  )
}

type DeadEnd = { title: string; text: Child; link?: string; href?: string }

/** Answers with a problem. A member keeps the navigation. People without an account can only sign out. */
export function answerDeadEnd(
  c: Context,
  status: ContentfulStatusCode,
  {
    title,
    text,
    link = c.get('role') === 'billing' ? 'To the balance' : 'To the overview',
    href = '/',
  }: DeadEnd,
) {
  if (status < 500 && c.get('role') != null)
    return c.html(<Page title={title} lead={[text, ' ', <a href={href}>{link}</a>]} />, status)
  return c.html(
    <Gate title={title}>
      <h1>{title}</h1>
      <p role="alert">{text}</p>
      {c.get('role') === null ? (
        <Form action="/sign-out" button="Sign out" kind="wide" />
      ) : (
        <Link kind="primary wide" href={href} text={link} />
      )}
    </Gate>,
    status,
  )
}

/** Checks of access: the pages and forms of each role, and the actor of a request. */
import type { Context, MiddlewareHandler } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { matchedRoutes } from 'hono/route'
import type { Accounts } from '../../billing/accounts/accounts.ts'
import { actingAs } from '../../billing/accounts/actor.ts'
import type { AccountView } from '../../billing/accounts/views.ts'
import { ROLES, type Role } from '../../billing/ledger/event.ts'
import { leaksOf, refusalRows } from '../reports/activity.ts'
import { standingConcern } from '../reports/figures.ts'
import { spendOf } from '../reports/spend.ts'
import { ROLE_TEXTS } from '../words.ts'
import { readCookie } from './cookies.ts'
import { keepForm } from './known-browser.ts'
import { browserOf, shownClient } from './origin.ts'
import type { Dashboard, PageContext, PageEnv } from './page-context.ts'
import { PROVED_EMAIL } from './proved-email.ts'

export const BUILDERS: readonly Role[] = ['owner', 'developer']
export const PAYERS: readonly Role[] = ['owner', 'billing']
export const OWNERS: readonly Role[] = ['owner']

/** Roles, or `person` for everybody who is signed in, or `operator` for pages with checks of their own. */
type Access = readonly Role[] | 'person' | 'operator'

/** Access by path. A row covers all below without a longer row. No page may lack one. */
export const ACCESS: Readonly<Record<string, Access>> = {
  '/': ROLES,
  '/live': ROLES,
  '/keys': BUILDERS,
  '/keys/search': 'person',
  '/usage': BUILDERS,
  '/requests': BUILDERS,
  '/requests/search': 'person',
  '/limits': BUILDERS,
  '/docs/try': 'person',
  '/coverage/search': 'person',
  '/alerts': PAYERS,
  '/alerts/secret': OWNERS,
  '/balance': PAYERS,
  '/statement': PAYERS,
  '/receipts': PAYERS,
  '/account': ROLES,
  '/account/members': OWNERS,
  '/account/log': OWNERS,
  '/account/switch': 'person',
  '/account/theme': 'person',
  '/account/session': 'person',
  '/invitation': 'person',
  '/sign-out': 'person',
  '/sign-out-everywhere': 'person',
  '/operator': 'operator',
}

/** Returns the path of the row of a path or of a route's pattern; undefined if there is none. */
function rowOf(path: string): string | undefined {
  for (let at = path.replace(/\.(csv|json)$/, ''); at !== ''; at = at.slice(0, at.lastIndexOf('/')))
    if (Object.hasOwn(ACCESS, at)) return at
  return undefined
}

export const accessOf = (path: string): Access | undefined => ACCESS[rowOf(path) ?? '']

/** True if `role` may open the page at `path`. @param role null for a person without an account */
export function isAllowed(path: string, role: Role | null): boolean {
  const access = accessOf(path)
  if (access === undefined) return false
  return typeof access === 'string' || (role !== null && access.includes(role))
}

/** Returns `Ask an owner or a billing member.` for a page that the reader may not open. */
export function askText(path: string): string {
  const roles = [accessOf(path) ?? []].flat()
  return `Ask ${roles.map(role => (role === 'owner' ? 'an owner' : `a ${role} member`)).join(' or ')}.`
}

/** Thrown when a person may not open a page or send a form. Answered with 403 and a page with the reason. */
export class NotAllowed extends Error {
  readonly title: string

  constructor(title: string, text: string) {
    super(text)
    this.title = title
  }
}

/** Refuses people whose role may not open a page. Uses the matched route, not the written path. */
export const rolesOnly: MiddlewareHandler<PageEnv> = (c, next) => {
  const [role, { email }] = [c.get('role'), c.get('account')]
  const pages = matchedRoutes(c).filter(({ method }) => method !== 'ALL')
  if (pages.every(({ path }) => isAllowed(path, role))) return next()
  if (role === null)
    throw new NotAllowed(
      'You are a member of no account',
      'Ask an owner of an account for an invitation, and open its link.',
    )
  const text = `Your role in ${email} is ${role}: ${ROLE_TEXTS[role]} Ask an owner for another role.`
  const name = rowOf(c.req.path)?.replace(/.*\/(.)/, (_, first) => first.toUpperCase())
  const roles = [accessOf(c.req.path) ?? []].flat().map(of => (of === 'owner' ? 'owners' : `${of} members`))
  throw new NotAllowed(`The page ${name} is for ${roles.join(' and ')}`, text)
}

/** @param routes after `rolesOnly` @throws Error with a page without a row */
export function expectAccess(routes: readonly { method: string; path: string }[]): void {
  for (const { method, path } of routes) {
    if (method === 'ALL' || accessOf(path) !== undefined) continue
    throw new Error(`${method} ${path} has no row in ACCESS (src/console/session/access.ts): add one`)
  }
}

/** @param account the person's own: members of an operator's account are not operators */
export function isOperator(accounts: Accounts, operators: readonly string[], account: AccountView): boolean {
  if (!operators.includes(account.email) || account.standing !== null) return false
  return accounts.accountByIdentity(PROVED_EMAIL, account.email)?.id === account.id
}

export function asActor(dashboard: Dashboard): MiddlewareHandler<PageEnv> {
  return (c, next) => {
    const kind = c.get('isOperator') && c.req.path.startsWith('/operator') ? 'operator' : 'customer'
    return actingAs({ kind, name: c.var.person.email, from: shownClient(c, dashboard) }, next)
  }
}

/** Answers 404 to people who are no operators. 403 would reveal which pages exist. */
export const operatorsOnly: MiddlewareHandler<PageEnv> = async (c, next) =>
  c.get('isOperator') ? next() : c.notFound()

/** True if a form concerns only the person, or an account that is open and not viewed by an operator. */
export function mayAct(c: PageContext, path: string): boolean {
  const access = accessOf(path)
  const isOwn = access === 'person' || (access === 'operator' && c.get('person').standing === null)
  return isOwn || ((c.get('account')?.standing ?? null) === null && c.get('isViewing') !== true)
}

export const isRead = (c: Context): boolean => c.req.method === 'GET' || c.req.method === 'HEAD'

export function actingConcern(c: PageContext): string {
  const account = c.get('account')
  return c.get('isViewing')
    ? `You see the account ${account.email} as its owner does. Its forms are refused.`
    : standingConcern(account)
}

/** Returns a secret of the account for its page; an operator who views the account gets `shown` instead. */
export const secretFor = (c: PageContext, secret: string, shown = '') => (c.get('isViewing') ? shown : secret)

/** Returns the path of the account on the operator's pages; `''` on the pages of its members. */
export function operatorPath(c: PageContext): string {
  const account = c.req.param('account')
  return account === undefined ? '' : `/operator/accounts/${account}`
}

/** Returns the account that a page concerns: for operators, that of the path. @throws HTTPException 404 */
export function accountOf(c: PageContext, accounts: Accounts): AccountView {
  const account = operatorPath(c) ? accounts.account(c.req.param('account') ?? '') : c.var.account
  if (account === undefined)
    throw new HTTPException(404, { message: `There is no account ${c.req.param('account')}.` })
  return account
}

/** Refuses changes to a suspended, closed or viewed account. It can still be read. */
export const standingOnly: MiddlewareHandler<PageEnv> = (c, next) => {
  if (isRead(c) || mayAct(c, c.req.path)) return next()
  throw new NotAllowed('Nothing was changed', `${actingConcern(c)} You can still read its pages.`)
}

/**
 * Sets person, account and role of a request. False if nobody is signed in. The account is the chosen one,
 * if the person is a member or an operator who views it; otherwise the first of theirs that was used, or their own.
 * @param isActivity false for a page that refreshes itself, which must not prolong a session
 */
export function setPerson(c: PageContext, dashboard: Dashboard, isActivity = true): boolean {
  const { origin, sessions, tokens, accounts, config } = dashboard
  const session = sessions.find(readCookie(c, 'session', origin))
  const person = session && accounts.account(session.person)
  if (session === undefined || person === undefined) return false
  if (session.byToken && tokens === null) return false
  const memberships = accounts.teams.accountsOf(person.id)
  const chosen = memberships.find(({ account }) => account.id === session.chosen)
  const membership = chosen ?? memberships.find(({ account }) => account.spentMicros > 0) ?? memberships[0]
  const isOperating = isOperator(accounts, config.dashboard.operators, person)
  const viewed = isOperating && session.viewing !== null ? accounts.account(session.viewing) : undefined
  const account = viewed ?? membership?.account ?? person
  if (isActivity) session.see(browserOf(c), shownClient(c, dashboard))
  const asked = session.viewing ?? session.chosen
  if (isActivity && asked !== null && asked !== account.id) {
    session.choose(account.id)
    session.keep({ notice: `You are no longer a member of the chosen account. This is ${account.email}.` })
  }
  c.set('session', session)
  c.set('person', person)
  c.set('isOperator', isOperating)
  c.set('isViewing', viewed !== undefined)
  c.set('support', config.dashboard.support)
  c.set('account', account)
  c.set('role', viewed === undefined ? (membership?.role ?? null) : 'owner')
  c.set('memberships', memberships)
  c.set('csrf', session.csrfOf(account.id))
  c.set('keys', () => accounts.listKeys(account.id))
  c.set('queries', () => accounts.currentQueries(account.id))
  c.set('refusals', () => refusalRows(dashboard, account.id))
  c.set('leaks', () => leaksOf(dashboard, spendOf(accounts, account, Date.now()), c.var.keys()))
  if (c.req.method === 'GET' && session.kept()?.refused?.page === c.req.path)
    c.set('refused', session.take('refused'))
  return true
}

/** Redirects strangers to the sign-in. A page that refreshes itself gets 401. */
export function signedInOnly(dashboard: Dashboard): MiddlewareHandler<PageEnv> {
  return async (c, next) => {
    const { pathname, search } = new URL(c.req.url)
    const isPoll = pathname.endsWith('.json')
    // The page of the service must also work while the database is down.
    if (pathname !== '/operator/service') await dashboard.accounts.catchUp()
    if (setPerson(c, dashboard, !isPoll)) {
      const asked = c.req.query('account')
      if (!isPoll || asked === undefined || asked === c.get('account').id) return next()
      return c.json({ error: 'This browser has switched to another account.' }, 409)
    }
    // Checks match all methods, pages and forms only one.
    const exists = matchedRoutes(c).some(({ method }) => method !== 'ALL')
    if (!exists) return c.notFound()
    if (isPoll) return c.json({ error: 'This session has ended: sign in again.' }, 401)
    // The sign-in never sends a form again. Its page shows the typed text.
    const isForm = c.req.method === 'POST'
    const wanted = isForm ? await keepForm(c, dashboard) : pathname + search
    const query = new URLSearchParams()
    if (wanted !== '/') query.set('next', wanted)
    // A sign-out removes the cookie.
    const hadSession = readCookie(c, 'session', dashboard.origin) !== undefined
    if (isForm || hadSession) query.set('ended', isForm ? 'form' : 'page')
    return c.redirect(query.size === 0 ? '/sign-in' : `/sign-in?${query}`, 303)
  }
}

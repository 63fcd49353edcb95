/** Decides who may open which pages and send which forms, and in whose name forms are carried out. */
import type { MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import type { Accounts } from '../../accounts/accounts.ts'
import { type Actor, actingAs } from '../../accounts/actor.ts'
import type { AccountView, Role } from '../../accounts/views.ts'
import type { Dashboard, PageContext, PageEnv } from '../dashboard.ts'
import { standingConcern } from '../reports/figures.ts'
import { ROLE_TEXTS } from '../words.ts'
import { readCookie, writeCookie } from './cookies.ts'
import { peerOf } from './origin.ts'
import { keepForm } from './returning.ts'

const EVERY_ROLE: readonly Role[] = ['owner', 'developer', 'billing']
const BUILDERS: readonly Role[] = ['owner', 'developer']
const PAYERS: readonly Role[] = ['owner', 'billing']
const OWNERS: readonly Role[] = ['owner']

/** `person`: everybody who is signed in, member of an account or not. `operator`: pages that check by themselves. */
type Access = readonly Role[] | 'person' | 'operator'

/**
 * Roles by the address of a page. A row also holds for the page's files (`/keys.csv`), and for everything below it unless a
 * longer row does. A page without a row keeps the service from starting, so nobody can forget it.
 */
export const ACCESS: Readonly<Record<string, Access>> = {
  '/': EVERY_ROLE,
  '/live.json': EVERY_ROLE,
  '/keys': BUILDERS,
  '/usage': BUILDERS,
  '/requests': BUILDERS,
  '/limits': BUILDERS,
  '/docs/try': 'person',
  '/alerts': PAYERS,
  '/alerts/secret': OWNERS,
  '/balance': PAYERS,
  '/statement.csv': PAYERS,
  '/receipts': PAYERS,
  '/account': EVERY_ROLE,
  '/account/members': OWNERS,
  '/account/log': OWNERS,
  '/account/switch': 'person',
  '/invitation': 'person',
  '/sign-out': 'person',
  '/sign-out-everywhere': 'person',
  '/operator': 'operator',
}

/** Returns the row of an address or of the pattern of a route; undefined: there is none. */
export function accessOf(path: string): Access | undefined {
  if (Object.hasOwn(ACCESS, path)) return ACCESS[path]
  for (let at = path.replace(/\.(csv|json)$/, ''); at !== ''; at = at.slice(0, at.lastIndexOf('/')))
    if (Object.hasOwn(ACCESS, at)) return ACCESS[at]
  return undefined
}

/** Returns true when a role opens the page at `path`. Without a role, nothing of an account opens. */
export function isAllowed(path: string, role: Role | null): boolean {
  const access = accessOf(path)
  if (access === undefined) return false
  return typeof access === 'string' || (role !== null && access.includes(role))
}

export function mayOpen(c: PageContext, path: string): boolean {
  return isAllowed(path, c.get('role'))
}

/** Thrown where somebody may not do what they ask for. Its page says why, with status 403. */
export class NotAllowed extends Error {
  readonly title: string
  /** Null: nothing of the dashboard opens to them. Undefined: the overview. */
  readonly link: null | undefined
  readonly hasSignOut: boolean

  constructor(title: string, text: string, link?: null, hasSignOut = false) {
    super(text)
    this.title = title
    this.link = link
    this.hasSignOut = hasSignOut
  }
}

/** Turns away people whose role does not open a page. The route that answers decides, not the address as it was written. */
export function rolesOnly(): MiddlewareHandler<PageEnv> {
  return (c, next) => {
    const [role, { email }] = [c.get('role'), c.get('account')]
    const pages = matchedRoutes(c).filter(({ method }) => method !== 'ALL')
    if (pages.every(({ path }) => isAllowed(path, role))) return next()
    if (role === null)
      throw new NotAllowed(
        'You are a member of no account',
        'Ask an owner of an account for an invitation, and open its link.',
        null,
        true,
      )
    const text = `Your role in ${email} is ${role}: ${ROLE_TEXTS[role]} Ask an owner for another one.`
    throw new NotAllowed('Not for your role', text, undefined, true)
  }
}

/**
 * @param routes those that come after `rolesOnly`
 * @throws Error that names a page without a row
 */
export function expectAccess(routes: readonly { method: string; path: string }[]): void {
  for (const { method, path } of routes) {
    if (method === 'ALL' || accessOf(path) !== undefined) continue
    throw new Error(
      `${method} ${path} has no row in ACCESS (src/control/session/access.ts): say who may open it`,
    )
  }
}

/**
 * The issuer under which the ledger notes that an account's owner has proved an address, with the address as subject. No
 * provider can claim this issuer, since theirs are http addresses.
 */
export const PROVED_EMAIL = 'urn:postrie:proved-email'

/**
 * Returns true when OPERATORS names the address of this person, and a provider has vouched that they read mail there. An
 * account that merely bears the address, or is suspended or closed, is not an operator's. `account` is the one that the
 * sign-in leads to, never one that was chosen: a member of an operator's account is no operator.
 */
export function isOperator(accounts: Accounts, operators: readonly string[], account: AccountView): boolean {
  if (!operators.includes(account.email) || account.standing !== null) return false
  return accounts.accountByIdentity(PROVED_EMAIL, account.email)?.id === account.id
}

/** Carries out the request in the name of this person. */
export function namedActor(dashboard: Dashboard): MiddlewareHandler<PageEnv> {
  return (c, next) => {
    const { person } = c.var
    const kind = c.get('isOperator') && c.req.path.startsWith('/operator') ? 'operator' : 'customer'
    const actor: Actor = { kind, name: person.email, from: peerOf(c, dashboard) }
    return actingAs(actor, next)
  }
}

/** Answers 404 to everybody else: 403 would say whom it is worth attacking. */
export function operatorsOnly(): MiddlewareHandler<PageEnv> {
  return (c, next) => (c.get('isOperator') ? next() : Promise.resolve(c.notFound()))
}

/** Returns true when the form at `path` takes effect: it belongs to a person, or to an account that is not suspended or closed. */
export function mayAct(c: PageContext, path: string): boolean {
  const access = accessOf(path)
  const isOwn = access === 'person' || (access === 'operator' && c.get('person').standing === null)
  return isOwn || (c.get('account')?.standing ?? null) === null
}

/** Lets the members of a suspended or closed account read, and sign out, and change nothing. */
export function standingOnly(): MiddlewareHandler<PageEnv> {
  return (c, next) => {
    const isRead = c.req.method === 'GET' || c.req.method === 'HEAD'
    if (isRead || mayAct(c, c.req.path)) return next()
    const text = `${standingConcern(c.get('account'))} You can still read its pages.`
    throw new NotAllowed('Nothing was changed', text)
  }
}

/**
 * Returns true when somebody is signed in, and sets for which account they act: the one that they have chosen, as long as
 * they are a member of it, else their own, else the first of theirs.
 * @param isActivity false for a page that refreshes its figures by itself, which keeps no session awake
 */
export function recognise(
  c: PageContext,
  { origin, sessions, accounts, config }: Dashboard,
  isActivity = true,
): boolean {
  const session = sessions.find(readCookie(c, 'session', origin))
  const person = session && accounts.account(session.person)
  if (session === undefined || person === undefined) return false
  const memberships = accounts.teams.accountsOf(person.id)
  const membership = memberships.find(({ account }) => account.id === session.chosen) ?? memberships[0]
  const account = membership?.account ?? person
  if (isActivity && session.renewed !== null) writeCookie(c, 'session', origin, session.renewed)
  if (isActivity && session.chosen !== null && session.chosen !== account.id) {
    writeCookie(c, 'session', origin, session.choosing(account.id))
    session.keep({
      notice: `You are no longer a member of the account that you had chosen. This is ${account.email}.`,
    })
  }
  c.set('session', session)
  c.set('person', person)
  c.set('isOperator', isOperator(accounts, config.dashboard.operators, person))
  c.set('support', config.dashboard.support)
  c.set('account', account)
  c.set('role', membership?.role ?? null)
  c.set('memberships', memberships)
  c.set('csrf', session.csrfOf(account.id))
  c.set('keys', () => accounts.listKeys(account.id))
  if (c.req.method === 'GET' && session.kept()?.refused?.page === c.req.path)
    c.set('refused', session.take('refused'))
  return true
}

/** Sends strangers who ask for a page to the sign-in. A page that refreshes itself gets 401, and says so. */
export function signedInOnly(dashboard: Dashboard): MiddlewareHandler<PageEnv> {
  return async (c, next) => {
    const { pathname, search } = new URL(c.req.url)
    const isPoll = pathname.endsWith('.json')
    // The page of the service is about this process, and says what is away.
    if (pathname !== '/operator/service') await dashboard.accounts.catchUp()
    if (recognise(c, dashboard, !isPoll)) {
      const asked = c.req.query('account')
      if (!isPoll || asked === undefined || asked === c.get('account').id) return next()
      return c.json({ error: 'This browser has switched to another account.' }, 409)
    }
    // Checks are for all methods; what is there for one method is a page or a form.
    const exists = matchedRoutes(c).some(({ method }) => method !== 'ALL')
    if (!exists) return c.notFound()
    if (isPoll) return c.json({ error: 'This session has ended: sign in again.' }, 401)
    // A form is never sent again by the sign-in: its page shows what was typed.
    const isForm = c.req.method === 'POST'
    const wanted = isForm ? await keepForm(c, dashboard) : pathname + search
    const query = new URLSearchParams()
    if (wanted !== '/') query.set('next', wanted)
    if (isForm || readCookie(c, 'session', dashboard.origin) !== undefined) query.set('ended', '1')
    return c.redirect(query.size === 0 ? '/sign-in' : `/sign-in?${query}`, 303)
  }
}

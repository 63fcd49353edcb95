/** Who may open `/operator`, in whose name forms are carried out, and which accounts only read. */
import type { MiddlewareHandler } from 'hono'
import type { Accounts } from '../../accounts/accounts.ts'
import { type Actor, actingAs } from '../../accounts/actor.ts'
import type { AccountView } from '../../accounts/views.ts'
import { accessOf } from '../shell/access.ts'
import type { Dashboard, PageContext, PageEnv } from '../shell/dashboard.ts'
import { peerOf } from '../shell/peer.ts'
import { PROVED_EMAIL } from '../sign-in/account-of.ts'

/**
 * Whether OPERATORS names the address of this person, and a provider has vouched that they read mail there. An account that
 * merely bears the address, or is suspended or closed, is not an operator's. Nor is a member of an operator's account an
 * operator: `account` is the one that the sign-in leads to, never one that was chosen.
 */
export function isOperator(accounts: Accounts, operators: readonly string[], account: AccountView): boolean {
  if (!operators.includes(account.email) || account.standing !== null) return false
  return accounts.accountByIdentity(PROVED_EMAIL, account.email)?.id === account.id
}

/** Notes whether whoever is signed in is an operator, and carries out the request in their name. */
export function namedActor(dashboard: Dashboard): MiddlewareHandler<PageEnv> {
  const { accounts, config } = dashboard
  const { operators } = config.dashboard
  return (c, next) => {
    const { person } = c.var
    c.set('isOperator', isOperator(accounts, operators, person))
    const kind = c.get('isOperator') && c.req.path.startsWith('/operator') ? 'operator' : 'customer'
    const actor: Actor = { kind, name: person.email, from: peerOf(c, dashboard) }
    return actingAs(actor, next)
  }
}

/** For everybody else there is nothing at these addresses: 403 would say to whom it is worth attacking. */
export function operatorsOnly(): MiddlewareHandler<PageEnv> {
  return (c, next) => (c.get('isOperator') ? next() : Promise.resolve(c.notFound()))
}

/**
 * Lets the members of a suspended or closed account read, and sign out, and change nothing.
 * @param refuse what the sender of any other form sees
 */
export function heldReadOnly(
  refuse: (c: PageContext) => Response | Promise<Response>,
): MiddlewareHandler<PageEnv> {
  return async (c, next) => {
    const reads = c.req.method === 'GET' || c.req.method === 'HEAD'
    // What concerns the person and not the account that they have chosen.
    const access = accessOf(c.req.path)
    const isOwn = access === 'person' || (access === 'operator' && c.get('person').standing === null)
    const isFree = reads || c.get('account').standing === null || isOwn
    return isFree ? next() : refuse(c)
  }
}

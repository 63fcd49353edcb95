/** Who gets the email of an account. */
import type { Accounts } from '../../accounts/accounts.ts'
import type { AccountView } from '../../accounts/views.ts'
import { isEmailAddress } from '../shell/email-address.ts'
import { isOfMoney, type MessageKind } from './kinds.ts'

/**
 * The addresses of its owners and, where it is about money, of its billing members. Until somebody has signed in to an
 * account, that is the address with which it was opened.
 */
export function addressesOf({ teams }: Accounts, { id, email }: AccountView, kind: MessageKind): string[] {
  const wanted = teams
    .of(id)
    .members.filter(({ role }) => role === 'owner' || (role === 'billing' && isOfMoney(kind)))
  const addresses = wanted.map(member => member.email)
  if (teams.roleOf(id, id) === 'owner') addresses.push(email)
  return [...new Set(addresses)].filter(isEmailAddress)
}

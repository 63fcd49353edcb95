/** Operations on the members of an account. */
import type { Accounts } from '../../../accounts/accounts.ts'
import { ROLES } from '../../../accounts/views.ts'
import { EMAIL_LENGTH_MAX } from '../../../limits.ts'
import { PROVED_EMAIL } from '../../sign-in/account-of.ts'
import { OperatorError } from '../operator-error.ts'
import type { Params } from '../params.ts'
import { findAccount, operation } from './operation.ts'

const named = (params: Params) => ({
  name: params.text('account', EMAIL_LENGTH_MAX),
  member: params.text('member', EMAIL_LENGTH_MAX),
})

export const memberList = operation(
  ['account'],
  params => ({ name: params.text('account', EMAIL_LENGTH_MAX) }),
  (accounts, { name }) => listed(accounts, findAccount(accounts, name).id),
)

/** Somebody who has signed in with this address becomes a member, or gets another role. */
export const memberAdd = operation(
  ['account', 'member', 'role'],
  params => ({ ...named(params), role: params.oneOf('role', ROLES) ?? 'developer' }),
  async (accounts, { name, member, role }) => {
    const { id } = findAccount(accounts, name)
    await accounts.teams.add(id, personOf(accounts, id, member), role)
    return listed(accounts, id)
  },
)

/** Nothing of the account opens to them from their next request on. Keys that they know go on working. */
export const memberRemove = operation(['account', 'member'], named, async (accounts, { name, member }) => {
  const { id } = findAccount(accounts, name)
  await accounts.teams.change(id, personOf(accounts, id, member), null)
  return listed(accounts, id)
})

/** A member by address or number, or whoever has proved the address at a sign-in: the address alone proves nothing. */
function personOf(accounts: Accounts, account: string, member: string): string {
  const address = member.toLowerCase()
  const known = accounts.teams
    .of(account)
    .members.find(({ person, email }) => person === member || email === address)
  const person = known?.person ?? accounts.accountByIdentity(PROVED_EMAIL, address)?.id
  if (person !== undefined) return person
  throw new OperatorError(
    'not_found',
    `nobody has signed in with the proved address '${member}': let them sign in once, or let an owner invite them`,
  )
}

function listed(accounts: Accounts, account: string) {
  const { members, invitations } = accounts.teams.of(account)
  return {
    account,
    members,
    invitations: invitations.map(({ endMs, ...invitation }) => ({
      ...invitation,
      endsAt: new Date(endMs).toISOString(),
    })),
  }
}

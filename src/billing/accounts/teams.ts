/** Members, roles and invitations of accounts. A person is named by the id of their own account. */

import { DAY_MS } from '../../platform/time.ts'
import type { AccountRecord, Invitation } from '../ledger/book/record.ts'
import { ownersOf, roleIn } from '../ledger/book/team.ts'
import type { Role } from '../ledger/event.ts'
import { TEAM_MAX } from '../limits.ts'
import { AccountError } from './account-error.ts'
import { presentActor } from './actor.ts'
import { expectActive } from './commands/change-account.ts'
import { checkEmail } from './commands/checked-input.ts'
import type { CommandContext } from './commands/command-context.ts'
import { randomText } from './secret.ts'
import type { AccountView } from './views.ts'

export const ACCOUNTS_PER_PERSON_MAX = 50
export const INVITATION_MS_MAX = 7 * DAY_MS

export type Teams = ReturnType<typeof teamsOf>
export type TeamView = ReturnType<Teams['of']>
export type MemberView = TeamView['members'][number]
export type MembershipView = ReturnType<Teams['accountsOf']>[number]

export function teamsOf(context: CommandContext, view: (account: AccountRecord) => AccountView) {
  const { book, findAccount } = context
  const command =
    <Rest extends unknown[], Result>(act: (account: AccountRecord, ...rest: Rest) => Promise<Result>) =>
    (idOrEmail: string, ...rest: Rest): Promise<Result> =>
      context.run(async () => act(context.account(idOrEmail), ...rest))

  /** Invites an address for INVITATION_MS_MAX. A person who proves the address may become a member. */
  async function invite(
    account: AccountRecord,
    { email: input, role }: { email: string; role: Role },
  ): Promise<Invitation> {
    const email = checkEmail(input)
    expectActive(account)
    const person = findAccount(email)
    if (person !== undefined && roleIn(account, person) !== null)
      throw new AccountError('ALREADY_MEMBER', `${email} is a member of this account.`)
    const text = `${email} is already invited. Withdraw that invitation first.`
    if (pendingOf(account).some(known => known.email === email))
      throw new AccountError('ALREADY_INVITED', text)
    expectRoom(account)
    const id = `inv_${randomText(12)}`
    const rest = { email, role, endMs: context.nowMs() + INVITATION_MS_MAX, by: presentActor().name }
    await context.commit({ kind: 'invited', account: account.slot, invitation: id, ...rest })
    return { id, ...rest }
  }

  async function withdraw({ slot, team }: AccountRecord, invitation: string): Promise<void> {
    if (team?.invitations.has(invitation) !== true) throw notFound()
    await context.commit({ kind: 'uninvited', account: slot, invitation })
  }

  /** Makes a person a member, once. @param provedEmail address in the sign-in of `person` that a provider vouches for; null without one */
  async function accept(
    account: AccountRecord,
    invitation: string,
    { person, provedEmail }: { person: string; provedEmail: string | null },
  ): Promise<Role> {
    const member = context.account(person)
    const found = pendingOf(account).find(({ id }) => id === invitation)
    if (found === undefined) throw notFound()
    if (provedEmail !== found.email)
      throw new AccountError(
        'INVITATION_FOR_ANOTHER',
        'This invitation is for another address. Sign in with a provider that vouches for the invited address.',
      )
    expectActive(account)
    if (roleIn(account, member) !== null)
      throw new AccountError('ALREADY_MEMBER', 'You are a member of this account already.')
    expectRoomOf(member)
    await commitMember(account, member, found.role, invitation)
    return found.role
  }

  /** Makes a person who has an account a member, and uses up an invitation of their address. For operators. */
  async function add(account: AccountRecord, person: string, role: Role): Promise<void> {
    const member = context.account(person)
    if (roleIn(account, member) !== null) return change(account, person, role)
    expectActive(account)
    expectRoom(account)
    expectRoomOf(member)
    const invitation = pendingOf(account).find(({ email }) => email === member.email)
    await commitMember(account, member, role, invitation?.id)
  }

  /** Gives a member another role from their next request on; null removes them. Invitations of an owner end with that role. */
  async function change(account: AccountRecord, person: string, role: Role | null): Promise<void> {
    const member = expectChangeable(account, person, role)
    if (roleIn(account, member) === role) return context.untilSettled()
    if (role !== 'owner') {
      // First, so that a former owner cannot return, or bring others, by an earlier invitation.
      for (const { id: invitation, by } of pendingOf(account))
        if (by === member.email && account.team?.invitations.has(invitation))
          await context.commit({ kind: 'uninvited', account: account.slot, invitation })
      // Another command may have run meanwhile.
      expectChangeable(account, person, role)
    }
    await commitMember(account, member, role)
  }

  function expectChangeable(account: AccountRecord, person: string, role: Role | null): AccountRecord {
    const member = findAccount(person)
    const present = member === undefined ? null : roleIn(account, member)
    if (member === undefined || present === null)
      throw new AccountError('NOT_A_MEMBER', 'Nobody of this name is a member of the account.')
    // An account's own person counts as an owner only once they have signed in.
    const isKnown = (slot: number) => slot !== account.slot || book.account(slot).identities.length > 0
    const others = ownersOf(account).filter(slot => slot !== member.slot && isKnown(slot))
    if (present === 'owner' && role !== 'owner' && others.length === 0)
      throw new AccountError(
        'LAST_OWNER',
        `${member.email} is the only owner of this account. Make somebody else an owner first.`,
      )
    return member
  }

  function pendingOf({ team }: AccountRecord): Invitation[] {
    const nowMs = context.nowMs()
    return [...(team?.invitations.values() ?? [])].filter(({ endMs }) => endMs > nowMs)
  }

  /** Returns members and roles. The account's own person is a member once they have signed in. */
  function membersOf(account: AccountRecord) {
    const isNamed = account.team?.members.has(account.slot) === true
    const own = isNamed || account.identities.length === 0 ? [] : [account.slot]
    return [...own, ...(account.team?.members.keys() ?? [])].flatMap(slot => {
      const { id: person, email } = book.account(slot)
      const role = roleIn(account, book.account(slot))
      return role === null ? [] : { person, email, role }
    })
  }

  function commitMember(
    { slot: account }: AccountRecord,
    { slot: person }: AccountRecord,
    role: Role | null,
    invitation: string | null = null,
  ): Promise<void> {
    return context.commit({ kind: 'member', account, person, role, invitation, by: presentActor().name })
  }

  function expectRoom(account: AccountRecord): void {
    if ((account.team?.members.size ?? 0) + pendingOf(account).length < TEAM_MAX) return
    const text = `An account has at most ${TEAM_MAX} members and invitations: remove one first.`
    throw new AccountError('TOO_MANY_MEMBERS', text)
  }

  function expectRoomOf({ slot }: AccountRecord): void {
    if ((book.memberships.get(slot)?.size ?? 0) < ACCOUNTS_PER_PERSON_MAX) return
    const text = `A person is a member of at most ${ACCOUNTS_PER_PERSON_MAX} accounts: leave one first.`
    throw new AccountError('TOO_MANY_MEMBERS', text)
  }

  return {
    invite: command(invite),
    withdraw: command(withdraw),
    accept: command(accept),
    add: command(add),
    change: command(change),
    /** Returns the role of a person in an account; null without one, or if account or person does not exist. */
    roleOf(account: string, person: string): Role | null {
      const [record, member] = [findAccount(account), findAccount(person)]
      return record === undefined || member === undefined ? null : roleIn(record, member)
    },
    of(account: string) {
      const record = context.account(account)
      return { members: membersOf(record), invitations: pendingOf(record) }
    },
    accountsOf(person: string) {
      const member = findAccount(person)
      if (member === undefined) return []
      const others = [...(book.memberships.get(member.slot) ?? [])].map(slot => book.account(slot))
      return [member, ...others].flatMap(record => {
        const role = roleIn(record, member)
        return role === null ? [] : { account: view(record), role }
      })
    },
  }
}

function notFound(): AccountError {
  const text =
    'This invitation is no longer valid: it has been used, was withdrawn, or has ended. Ask for another one.'
  return new AccountError('INVITATION_NOT_FOUND', text)
}

/** Members, roles and invitations of accounts. A person is named by the id of their own account. */

import { DAY_MS } from '../../platform/time.ts'
import type { AccountRecord, Invitation } from '../ledger/book/record.ts'
import { ownersOf, roleIn } from '../ledger/book/team.ts'
import type { EventOf, Role } from '../ledger/event.ts'
import { TEAM_MAX } from '../limits.ts'
import { AccountError } from './account-error.ts'
import type { Transaction } from './account-store.ts'
import { presentActor } from './actor.ts'
import { expectActive } from './commands/change-account.ts'
import { checkEmail } from './commands/checked-input.ts'
import type { CommandContext } from './commands/run-command.ts'
import { randomText } from './secret.ts'
import type { AccountView } from './views.ts'

export const ACCOUNTS_PER_PERSON_MAX = 50
export const INVITATION_MS_MAX = 7 * DAY_MS

export type MembershipView = ReturnType<ReturnType<typeof teamsOf>['accountsOf']>[number]

export function teamsOf(context: CommandContext, view: (account: AccountRecord) => AccountView) {
  const { book, findAccount, expectAccount } = context

  /** Gives a member another role, or withdraws an invitation that must go before. */
  function decideChange(account: AccountRecord, person: string, role: Role | null): Transaction | null {
    const member = expectChangeable(account, person, role)
    if (roleIn(account, member) === role) return null
    const invitedByMember = pendingOf(account).find(({ by }) => by === member.email)
    // First, so that a former owner cannot return, or bring others, by an earlier invitation.
    if (role !== 'owner' && invitedByMember !== undefined) return withdraw(account, invitedByMember.id)
    return setMember(account, member, role)
  }

  /** Runs a decision again after each invitation that it withdraws, until it makes its change. */
  async function runWithdrawing(decide: () => Transaction | null): Promise<void> {
    let withdraws = true
    while (withdraws) withdraws = (await context.run(decide))?.[0].kind === 'uninvited'
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

  function expectRoom(account: AccountRecord): void {
    if ((account.team?.members.size ?? 0) + pendingOf(account).length < TEAM_MAX) return
    const text = `An account has at most ${TEAM_MAX} members and invitations: remove one first.`
    throw new AccountError('TOO_MANY_MEMBERS', text)
  }

  function expectFewAccounts({ slot }: AccountRecord): void {
    if ((book.memberships.get(slot)?.size ?? 0) < ACCOUNTS_PER_PERSON_MAX) return
    const text = `A person is a member of at most ${ACCOUNTS_PER_PERSON_MAX} accounts: leave one first.`
    throw new AccountError('TOO_MANY_MEMBERS', text)
  }

  return {
    /** Invites an address for INVITATION_MS_MAX. A person who proves the address may become a member. */
    async invite(id: string, { email: input, role }: { email: string; role: Role }): Promise<Invitation> {
      const [{ invitation, email, endMs, by }] = await context.run(() => {
        const account = expectAccount(id)
        const email = checkEmail(input)
        expectActive(account)
        const person = findAccount(email)
        if (person !== undefined && roleIn(account, person) !== null)
          throw new AccountError('ALREADY_MEMBER', `${email} is a member of this account.`)
        const text = `${email} is already invited. Withdraw that invitation first.`
        if (pendingOf(account).some(known => known.email === email))
          throw new AccountError('ALREADY_INVITED', text)
        expectRoom(account)
        const rest = { email, role, endMs: context.nowMs() + INVITATION_MS_MAX, by: presentActor().name }
        return [{ kind: 'invited', account: account.slot, invitation: `inv_${randomText(12)}`, ...rest }]
      })
      return { id: invitation, email, role, endMs, by }
    },
    withdraw: (id: string, invitation: string) => context.run(() => withdraw(expectAccount(id), invitation)),
    /** Makes a person a member, once. @param by `provedEmail`: vouched for by their provider, or null */
    async accept(id: string, invitation: string, by: { person: string; provedEmail: string | null }) {
      const [{ role }] = await context.run(() => {
        const account = expectAccount(id)
        const member = expectAccount(by.person)
        const found = pendingOf(account).find(pending => pending.id === invitation)
        if (found === undefined) throw notFound()
        if (by.provedEmail !== found.email)
          throw new AccountError(
            'INVITATION_FOR_ANOTHER',
            'This invitation is for another address. Sign in with a provider that vouches for the invited address.',
          )
        expectActive(account)
        if (roleIn(account, member) !== null)
          throw new AccountError('ALREADY_MEMBER', 'You are a member of this account already.')
        expectFewAccounts(member)
        return setMember(account, member, found.role, invitation)
      })
      return role
    },
    /** Makes a person with an account a member, and uses up their invitation. For operators. */
    add: (id: string, person: string, role: Role) =>
      runWithdrawing(() => {
        const [account, member] = [expectAccount(id), expectAccount(person)]
        if (roleIn(account, member) !== null) return decideChange(account, person, role)
        expectActive(account)
        expectRoom(account)
        expectFewAccounts(member)
        const invitation = pendingOf(account).find(({ email }) => email === member.email)
        return setMember(account, member, role, invitation?.id)
      }),
    /** Gives a member another role; null removes them. An owner's invitations end with that role. */
    change: (id: string, person: string, role: Role | null) =>
      runWithdrawing(() => decideChange(expectAccount(id), person, role)),
    /** Returns the role of a person in an account; null without one. */
    roleOf(account: string, person: string): Role | null {
      const [record, member] = [findAccount(account), findAccount(person)]
      return record === undefined || member === undefined ? null : roleIn(record, member)
    },
    of(account: string) {
      const record = expectAccount(account)
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

function withdraw({ slot, team }: AccountRecord, invitation: string): Transaction {
  if (team?.invitations.has(invitation) !== true) throw notFound()
  return [{ kind: 'uninvited', account: slot, invitation }]
}

function setMember(
  { slot: account }: AccountRecord,
  { slot: person }: AccountRecord,
  role: Role | null,
  invitation: string | null = null,
): [EventOf<'member'>] {
  return [{ kind: 'member', account, person, role, invitation, by: presentActor().name }]
}

function notFound(): AccountError {
  const text =
    'This invitation is no longer valid: it has been used, was withdrawn, or has ended. Ask for another one.'
  return new AccountError('INVITATION_NOT_FOUND', text)
}

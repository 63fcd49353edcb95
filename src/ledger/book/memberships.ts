/** Who belongs to which account, in both directions. */
import type { InvitedEvent, MemberEvent, Role } from '../event.ts'
import type { AccountRecord } from './record.ts'
import { Team } from './team.ts'

/** What a person may do in an account; null: they are not a member. */
export function roleIn(account: AccountRecord, person: AccountRecord): Role | null {
  const role = account.team?.members.get(person.slot)
  if (role !== undefined) return role
  return person === account ? 'owner' : null
}

/** Slots of those who own an account; of its own person too, whether or not they have signed in yet. */
export function ownersOf(account: AccountRecord): number[] {
  const owners = [...(account.team?.members ?? [])].flatMap(([person, role]) =>
    role === 'owner' ? [person] : [],
  )
  return account.team?.members.has(account.slot) ? owners : [account.slot, ...owners]
}

/** The accounts of each person besides their own, by slots. */
export class Memberships {
  readonly #accounts = new Map<number, Set<number>>()

  of(person: number): Iterable<number> {
    return this.#accounts.get(person) ?? []
  }

  /** Takes over what the team of an account says, from a snapshot. */
  restore(account: AccountRecord): void {
    for (const person of account.team?.members.keys() ?? []) this.#add(person, account.slot)
  }

  /** @throws Error when an invitation of this id is pending already */
  invite(
    account: AccountRecord,
    { invitation: id, email, role, endMs, by }: InvitedEvent,
    timeMs: number,
  ): void {
    if (account.team?.invitations.has(id) === true) throw new Error(`invitation ${id} made twice`)
    account.team ??= new Team()
    const { invitations } = account.team
    // Those that have ended are of no use to anybody, and would fill the record in the end.
    for (const [old, { endMs }] of invitations) if (endMs <= timeMs) invitations.delete(old)
    invitations.set(id, { id, email, role, endMs, by })
  }

  /** @throws Error when no such invitation is pending */
  withdraw({ id, team }: AccountRecord, invitation: string): void {
    if (team?.invitations.delete(invitation) !== true)
      throw new Error(`account ${id} has no invitation ${invitation}`)
  }

  /** @throws Error when it would leave the account without an owner, or uses an invitation that is not pending */
  change(account: AccountRecord, person: AccountRecord, { role, invitation }: MemberEvent): void {
    if (role !== 'owner' && ownersOf(account).every(owner => owner === person.slot))
      throw new Error(`account ${account.id} would be left without an owner`)
    if (invitation !== null) this.withdraw(account, invitation)
    account.team ??= new Team()
    const { members } = account.team
    if (role === null && person !== account) {
      members.delete(person.slot)
      this.#accounts.get(person.slot)?.delete(account.slot)
      return
    }
    members.set(person.slot, role)
    this.#add(person.slot, account.slot)
  }

  #add(person: number, account: number): void {
    if (person === account) return
    const accounts = this.#accounts.get(person)
    if (accounts === undefined) this.#accounts.set(person, new Set([account]))
    else accounts.add(account)
  }
}

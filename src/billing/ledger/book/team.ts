/** Members and invitations. A person is an account, and owns it unless its team says otherwise. */
import type { EventOf, Role } from '../event.ts'
import type { AccountRecord, Team } from './record.ts'

export type Memberships = Map<number, Set<number>>

export function roleIn(account: AccountRecord, person: AccountRecord): Role | null {
  const role = account.team?.members.get(person.slot)
  if (role !== undefined) return role
  return person === account ? 'owner' : null
}

/** Returns the slots of the owners. The account's own person is one even before they sign in. */
export function ownersOf({ slot, team }: AccountRecord): number[] {
  const members = [...(team?.members ?? [])]
  const owners = members.filter(([, role]) => role === 'owner').map(([person]) => person)
  return team?.members.has(slot) ? owners : [slot, ...owners]
}

export function invite(account: AccountRecord, event: EventOf<'invited'>, timeMs: number): void {
  const { invitation: id, email, role, endMs, by } = event
  if (account.team?.invitations.has(id) === true) throw new Error(`invitation ${id} made twice`)
  const { invitations } = ensureTeam(account)
  for (const [old, { endMs }] of invitations) if (endMs <= timeMs) invitations.delete(old)
  invitations.set(id, { id, email, role, endMs, by })
}

export function withdrawInvitation({ id, team }: AccountRecord, invitation: string): void {
  if (team?.invitations.delete(invitation) !== true)
    throw new Error(`account ${id} has no invitation ${invitation}`)
}

/** @throws Error if the account would have no owner, or the invitation is not pending */
export function changeMember(
  account: AccountRecord,
  person: AccountRecord,
  { role, invitation }: EventOf<'member'>,
  memberships: Memberships,
): void {
  if (role !== 'owner' && ownersOf(account).every(owner => owner === person.slot))
    throw new Error(`account ${account.id} would be left without an owner`)
  if (invitation !== null) withdrawInvitation(account, invitation)
  const { members } = ensureTeam(account)
  if (role === null && person !== account) {
    members.delete(person.slot)
    memberships.get(person.slot)?.delete(account.slot)
  } else addMember(account, person.slot, role, memberships)
}

export function addMember(
  account: AccountRecord,
  personSlot: number,
  role: Role | null,
  memberships: Memberships,
): void {
  ensureTeam(account).members.set(personSlot, role)
  if (personSlot === account.slot) return
  const accounts = memberships.get(personSlot) ?? new Set()
  memberships.set(personSlot, accounts.add(account.slot))
}

export function ensureTeam(account: AccountRecord): Team {
  account.team ??= { members: new Map(), invitations: new Map() }
  return account.team
}

/** Who may act for an account: invitations, roles, and leaving. */

import { ownersOf, roleIn } from '../../ledger/book/memberships.ts'
import type { AccountRecord } from '../../ledger/book/record.ts'
import type { Invitation } from '../../ledger/book/team.ts'
import { ROLES, type Role } from '../../ledger/event.ts'
import { ACCOUNTS_PER_PERSON_MAX, INVITATION_MS_MAX, TEAM_MAX } from '../../limits.ts'
import { presentActor } from '../actor.ts'
import { AccountError } from '../errors.ts'
import { randomText } from '../secret.ts'
import type { CommandContext } from './command-context.ts'
import { checkEmail, checkKind } from './input.ts'
import { expectActive } from './standing-commands.ts'

/**
 * Lets whoever proves this address become a member, for INVITATION_MS_MAX.
 * @throws ALREADY_MEMBER, ALREADY_INVITED, TOO_MANY_MEMBERS, INVALID_…, ACCOUNT_SUSPENDED, ACCOUNT_CLOSED
 */
export async function invite(
  context: CommandContext,
  idOrEmail: string,
  { email, role }: { email: string; role: Role },
): Promise<Invitation> {
  const address = checkEmail(email)
  checkKind(role, ROLES)
  const account = context.account(idOrEmail)
  expectActive(account)
  const person = context.registry.account(address)
  if (person !== undefined && roleIn(account, person) !== null)
    throw new AccountError('ALREADY_MEMBER', `${address} is a member of this account.`)
  const nowMs = context.ledger.timeline.nowMs()
  const pending = pendingOf(account, nowMs)
  if (pending.some(known => known.email === address))
    throw new AccountError(
      'ALREADY_INVITED',
      `${address} is invited already: withdraw that invitation first.`,
    )
  expectRoom(account, pending.length)
  const invitation = {
    id: `inv_${randomText(12)}`,
    email: address,
    role,
    endMs: nowMs + INVITATION_MS_MAX,
    by: presentActor().name,
  }
  const { id, ...rest } = invitation
  await context.commit({ kind: 'invited', account: account.slot, invitation: id, ...rest })
  context.listeners.notify('account', account.id)
  return invitation
}

/** Resolves when it can no longer be accepted. @throws INVITATION_NOT_FOUND */
export async function withdrawInvitation(
  context: CommandContext,
  idOrEmail: string,
  invitation: string,
): Promise<void> {
  const account = context.account(idOrEmail)
  if (account.team?.invitations.has(invitation) !== true) throw notFound()
  await context.commit({ kind: 'uninvited', account: account.slot, invitation })
  context.listeners.notify('account', account.id)
}

/**
 * Makes a person a member of the account that has invited them, and uses the invitation up.
 * @param person whose sign-in it is
 * @param provedEmail the address for which a provider vouches in that sign-in; null: none
 * @throws INVITATION_NOT_FOUND also for one that has ended, INVITATION_FOR_ANOTHER, ALREADY_MEMBER, TOO_MANY_MEMBERS
 */
export async function acceptInvitation(
  context: CommandContext,
  idOrEmail: string,
  invitation: string,
  { person, provedEmail }: { person: string; provedEmail: string | null },
): Promise<Role> {
  const account = context.account(idOrEmail)
  const member = context.account(person)
  const nowMs = context.ledger.timeline.nowMs()
  const found = pendingOf(account, nowMs).find(({ id }) => id === invitation)
  if (found === undefined) throw notFound()
  if (provedEmail !== found.email) {
    throw new AccountError(
      'INVITATION_FOR_ANOTHER',
      'This invitation was sent to another address than the one that your identity provider vouches for.',
    )
  }
  expectActive(account)
  if (roleIn(account, member) !== null)
    throw new AccountError('ALREADY_MEMBER', 'You are a member of this account already.')
  expectRoomOf(context, member)
  await commitMember(context, account, member, found.role, invitation)
  return found.role
}

/** Makes somebody who has signed in before a member, without an invitation. For operators. @throws TOO_MANY_MEMBERS, … */
export async function addMember(
  context: CommandContext,
  idOrEmail: string,
  person: string,
  role: Role,
): Promise<void> {
  const account = context.account(idOrEmail)
  const member = context.account(person)
  if (roleIn(account, member) !== null) return changeMember(context, idOrEmail, person, role)
  checkKind(role, ROLES)
  expectActive(account)
  expectRoom(account, pendingOf(account, context.ledger.timeline.nowMs()).length)
  expectRoomOf(context, member)
  await commitMember(context, account, member, role, null)
}

/**
 * Gives a member another role, or none any more. It applies from their next request. Invitations that they have sent end with
 * their role of an owner.
 * @throws NOT_A_MEMBER, LAST_OWNER, INVALID_KIND
 */
export async function changeMember(
  context: CommandContext,
  idOrEmail: string,
  person: string,
  role: Role | null,
): Promise<void> {
  if (role !== null) checkKind(role, ROLES)
  const account = context.account(idOrEmail)
  const member = changeable(context, account, person, role)
  if (roleIn(account, member) === role) return context.settled()
  if (role !== 'owner') {
    // First, so that whoever may not invite any more does not come back, or bring others, by what they have sent before.
    await withdrawAllOf(context, account, member.email)
    // Another command may have run meanwhile.
    changeable(context, account, person, role)
  }
  await commitMember(context, account, member, role, null)
}

/** The member whose role may become `role`. @throws NOT_A_MEMBER, LAST_OWNER */
function changeable(
  context: CommandContext,
  account: AccountRecord,
  person: string,
  role: Role | null,
): AccountRecord {
  const member = context.registry.account(person)
  const present = member === undefined ? null : roleIn(account, member)
  if (member === undefined || present === null)
    throw new AccountError('NOT_A_MEMBER', 'Nobody of this name is a member of the account.')
  if (present === 'owner' && role !== 'owner' && !hasOwnerBesides(context, account, member)) {
    throw new AccountError(
      'LAST_OWNER',
      `${member.email} is the only owner of this account: make somebody else an owner first.`,
    )
  }
  return member
}

async function withdrawAllOf(context: CommandContext, account: AccountRecord, sender: string): Promise<void> {
  const sent = pendingOf(account, context.ledger.timeline.nowMs()).filter(({ by }) => by === sender)
  for (const { id: invitation } of sent) {
    if (account.team?.invitations.has(invitation) !== true) continue
    await context.commit({ kind: 'uninvited', account: account.slot, invitation })
  }
}

/** Invitations that can still be accepted, the oldest first. */
export function pendingOf({ team }: AccountRecord, nowMs: number): Invitation[] {
  return [...(team?.invitations.values() ?? [])].filter(({ endMs }) => endMs > nowMs)
}

/** Those who may act for an account. Its own person is listed once they have signed in. */
export function membersOf(
  account: AccountRecord,
  context: CommandContext,
): { person: AccountRecord; role: Role }[] {
  const { book } = context.ledger
  const own =
    account.team?.members.has(account.slot) === true || account.identities.length === 0 ? [] : [account.slot]
  return [...own, ...(account.team?.members.keys() ?? [])].flatMap(slot => {
    const person = book.account(slot)
    const role = roleIn(account, person)
    return role === null ? [] : { person, role }
  })
}

async function commitMember(
  context: CommandContext,
  account: AccountRecord,
  member: AccountRecord,
  role: Role | null,
  invitation: string | null,
): Promise<void> {
  const by = presentActor().name
  const event = { kind: 'member', account: account.slot, person: member.slot, role, invitation, by } as const
  await context.commit(event)
  context.listeners.notify('account', account.id)
}

/** An account that an operator has opened and nobody has signed in to has no owner yet whom one could count on. */
function hasOwnerBesides(context: CommandContext, account: AccountRecord, member: AccountRecord): boolean {
  return ownersOf(account).some(
    slot =>
      slot !== member.slot &&
      (slot !== account.slot || context.ledger.book.account(slot).identities.length > 0),
  )
}

function expectRoom({ team }: AccountRecord, pending: number): void {
  if ((team?.members.size ?? 0) + pending < TEAM_MAX) return
  throw new AccountError(
    'TOO_MANY_MEMBERS',
    `An account has at most ${TEAM_MAX} members and invitations: remove one first.`,
  )
}

function expectRoomOf({ ledger }: CommandContext, { slot }: AccountRecord): void {
  if ([...ledger.book.memberships.of(slot)].length < ACCOUNTS_PER_PERSON_MAX) return
  throw new AccountError(
    'TOO_MANY_MEMBERS',
    `A person is a member of at most ${ACCOUNTS_PER_PERSON_MAX} accounts: leave one first.`,
  )
}

function notFound(): AccountError {
  return new AccountError(
    'INVITATION_NOT_FOUND',
    'This invitation is no longer valid: it has been used, was withdrawn, or has ended. Ask for another one.',
  )
}

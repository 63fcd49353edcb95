/** A book as the events that make an equal one. */
import type { Book } from '../ledger/book/book.ts'
import type { AccountRecord, Entry, KeyRecord } from '../ledger/book/record.ts'
import type { LedgerEvent } from '../ledger/event.ts'

/** One event, and when it happened. Where a book does not keep that time: when its account or key was made. */
export interface TimedEvent {
  timeMs: number
  event: LedgerEvent
}

/**
 * All but usage: accounts and keys in the order of their slots, then what belongs to accounts, the entries of all accounts in
 * their own order, and what belongs to keys. Usage may only follow: it is paid for by the entries.
 * @param sources who gave the money of an entry, by its reference, where that is known: a book does not keep it
 */
export function* bookEvents(book: Book, sources: ReadonlyMap<string, string>): Generator<TimedEvent> {
  for (const record of book.slots) yield record.type === 'account' ? opening(record) : creation(record)
  for (const account of book.accounts.values()) yield* settings(account)
  const entries = [...book.references.values()].sort((a, b) => a.entry.sequence - b.entry.sequence)
  for (const { account, entry } of entries) yield entered(account, entry, sources.get(entry.reference))
  for (const account of book.accounts.values()) yield* standing(account)
  for (const key of book.keys.values()) yield* ofKey(key)
  // Last: the owners of an account may be any of the others.
  for (const account of book.accounts.values()) yield* team(account)
}

function opening({ slot, id, email, createdMs }: AccountRecord): TimedEvent {
  return { timeMs: createdMs, event: { kind: 'account', slot, id, email } }
}

/** With its earlier secret, when it has one. */
function creation({ slot, id, account, label, start, hash, rolled, createdMs }: KeyRecord): TimedEvent {
  const secret = rolled === null ? { start, hash } : { start: rolled.start, hash: rolled.hash }
  return { timeMs: createdMs, event: { kind: 'key', slot, id, account: account.slot, label, ...secret } }
}

function* settings({
  slot: account,
  createdMs: timeMs,
  identities,
  limits,
  lowBalanceMicros,
}: AccountRecord): Generator<TimedEvent> {
  for (const { issuer, subject } of identities)
    yield { timeMs, event: { kind: 'identity', account, issuer, subject } }
  if (limits !== null) yield { timeMs, event: { kind: 'limits', account, limits } }
  if (lowBalanceMicros !== null) yield { timeMs, event: { kind: 'profile', account, lowBalanceMicros } }
}

/** The event that has made an entry. */
function entered(owner: AccountRecord, entry: Entry, source: string | undefined): TimedEvent {
  const { kind, timeMs, balanceMicros, debtMicros, reference, note } = entry
  const account = owner.slot
  const by = source === undefined ? {} : { by: source }
  switch (kind) {
    case 'free':
    case 'operator':
    case 'payment':
    case 'test': {
      const paid = { micros: balanceMicros - debtMicros, debtPaidMicros: 0 - debtMicros }
      return { timeMs, event: { kind: 'credit', account, ...paid, credit: kind, reference, note, ...by } }
    }
    case 'refund':
    case 'dispute': {
      const taken = { micros: debtMicros - balanceMicros, takenMicros: 0 - balanceMicros }
      return { timeMs, event: { kind: 'adjust', account, ...taken, adjust: kind, reference, note, ...by } }
    }
    case 'closed': {
      const closer = owner.standing?.by ?? ''
      const taken = { takenMicros: 0 - balanceMicros, reference, reason: note, by: closer }
      return { timeMs, event: { kind: 'closed', account, ...taken } }
    }
    default:
      kind satisfies never
      throw new Error(`an entry of the unknown kind ${kind}`)
  }
}

/** A closed account was closed by its entry. */
function* standing({ slot: account, standing: present }: AccountRecord): Generator<TimedEvent> {
  if (present === null || present.state === 'closed') return
  const { sinceMs: timeMs, reason, by } = present
  yield { timeMs, event: { kind: 'suspended', account, reason, by } }
}

function* ofKey(record: KeyRecord): Generator<TimedEvent> {
  const { slot: key, createdMs: timeMs, rolled, start, hash, capMicros, rules, revokedMs } = record
  if (rolled !== null) yield { timeMs, event: { kind: 'roll', key, start, hash, untilMs: rolled.untilMs } }
  if (capMicros !== null) yield { timeMs, event: { kind: 'cap', key, micros: capMicros } }
  if (rules !== null) yield { timeMs, event: { kind: 'rules', key, ...rules } }
  if (revokedMs !== 0) yield { timeMs: revokedMs, event: { kind: 'revoke', key } }
}

/** An account always has an owner: its own person stays one until all others are what they are. */
function* team({ slot: account, createdMs: timeMs, team }: AccountRecord): Generator<TimedEvent> {
  if (team === null) return
  for (const { id: invitation, email, role, endMs, by } of team.invitations.values())
    yield { timeMs, event: { kind: 'invited', account, invitation, email, role, endMs, by } }
  const common = { kind: 'member', account, invitation: null, by: '' } as const
  for (const [person, role] of team.members)
    yield { timeMs, event: { ...common, person, role: person === account ? 'owner' : role } }
  const own = team.members.get(account)
  if (own !== undefined && own !== 'owner') yield { timeMs, event: { ...common, person: account, role: own } }
}

/** Accounts and keys as plain objects. Only the book changes them. */

import { DAY_MS, HOUR_MS, monthOf, monthStartMs } from '../../../platform/time.ts'
import type { EntryKind, EventOf, KeyRules, RateLimits, Role } from '../event.ts'
import { USAGE_CLASSES_MAX } from '../meter/meter-layout.ts'
import { DAYS_KEPT, History, HOURS_KEPT } from './history.ts'

/** Maximum number of starts of previous secrets that a key remembers. */
export const PREVIOUS_STARTS_MAX = 16

/** A change of balance or debt other than usage. */
export interface Entry {
  sequence: number
  timeMs: number
  kind: EntryKind
  /** Change of the balance, and below of the debt. */
  balanceMicros: number
  debtMicros: number
  reference: string
  note: string
  /** Reference of the payment that it takes back, or gives back again. */
  payment?: string
}

export type Identity = Pick<EventOf<'identity'>, 'issuer' | 'subject'>
export type Invitation = { id: string } & Pick<EventOf<'invited'>, 'email' | 'role' | 'endMs' | 'by'>
type Standing = { state: 'suspended' | 'closed'; sinceMs: number } & Pick<EventOf<'closed'>, 'reason' | 'by'>

export interface Team {
  /** Roles by slot, in the order of joining; null for the account's own person after their removal. */
  members: Map<number, Role | null>
  invitations: Map<string, Invitation>
}

export class AccountRecord {
  readonly type = 'account'
  readonly slot: number
  readonly id: string
  readonly email: string
  readonly createdMs: number
  limits: RateLimits | null = null
  lowBalanceMicros: number | null = null
  note = ''
  standing: Standing | null = null
  /** Team; null until a first member or invitation. */
  team: Team | null = null
  readonly keys: KeyRecord[] = []
  readonly identities: Identity[] = []
  readonly entries: Entry[] = []
  creditedMicros = 0
  spentMicros = 0
  debtMicros = 0

  constructor({ slot, id, email }: Omit<EventOf<'account'>, 'kind'>, createdMs: number) {
    this.slot = slot
    this.id = id
    this.email = email
    this.createdMs = createdMs
  }
}

const NO_QUERIES: readonly number[] = new Array<number>(USAGE_CLASSES_MAX).fill(0)

export class KeyRecord {
  readonly type = 'key'
  readonly slot: number
  readonly id: string
  readonly account: AccountRecord
  readonly createdMs: number
  label: string
  start: string
  hash: string
  revokedMs = 0
  /** Time of switching off; 0 while the key is on. */
  offMs = 0
  /** Maximum spend of a UTC month. */
  capMicros: number | null = null
  rules: KeyRules | null = null
  /** Previous secret; null if the key was never rolled. */
  previous: Pick<EventOf<'roll'>, 'hash' | 'untilMs'> | null = null
  /** Starts of previous secrets, the newest first. Refused requests with one of them belong to this key. */
  previousStarts: readonly string[] = []
  queries = NO_QUERIES
  spentMicros = 0
  lastUsedMs = 0
  /** Months that the ledger entered, with the key's spend before each; empty unless a clock went back. */
  months: readonly { month: number; spentBeforeMicros: number }[] = []
  readonly hours = new History(HOUR_MS, HOURS_KEPT)
  readonly days = new History(DAY_MS, DAYS_KEPT)

  constructor(
    { slot, id, label, start, hash }: Omit<EventOf<'key'>, 'kind'>,
    account: AccountRecord,
    createdMs: number,
  ) {
    this.slot = slot
    this.id = id
    this.account = account
    this.createdMs = createdMs
    this.label = label
    this.start = start
    this.hash = hash
  }
}

export function balanceMicros(account: AccountRecord): number {
  return account.creditedMicros - account.spentMicros
}

/** Returns the starts of all secrets, the present one first. */
export const startsOf = ({ start, previousStarts }: KeyRecord): string[] => [start, ...previousStarts]

export function ownerOf(record: AccountRecord | KeyRecord): AccountRecord {
  return record.type === 'key' ? record.account : record
}

export function limitsOf(record: AccountRecord | KeyRecord): RateLimits | null {
  return record.type === 'key' ? (record.rules?.limits ?? null) : record.limits
}

export function queriesSum({ queries }: Pick<KeyRecord, 'queries'>): number {
  return queries.reduce((sum, count) => sum + count, 0)
}

/** Months that a key remembers after a clock went back. */
const MONTHS_KEPT = 4

/**
 * Begins a month of the ledger for a key. If the clock has left a later month, remembers both, so that no
 * clock gives a cap twice:
 *
 *   May: 3 spent. The clock goes to 2050: 4 spent. It comes back: May has 7. Then June begins with 0.
 *   May: 3 spent. The clock goes to 1970, where all count: 4 spent. It comes back: May has 7.
 */
export function enterMonth(key: KeyRecord, month: number): void {
  const lastUsed = monthOf(key.lastUsedMs)
  if (key.months.length === 0 && month >= lastUsed) return
  const begin = (month: number) => {
    return { month, spentBeforeMicros: key.spentMicros - monthSpentMicros(key, month) }
  }
  const others = key.months.filter(known => known.month !== month)
  if (key.months.length === 0) others.push(begin(lastUsed))
  key.months = [...others, begin(month)].slice(-MONTHS_KEPT)
}

/** Returns the spend of a month: everything since the ledger first had it. */
export function monthSpentMicros({ months, days, spentMicros }: KeyRecord, month: number): number {
  const last = months.at(-1)
  if (last === undefined) return days.spentSince(monthStartMs(month))
  const begun = months.find(known => known.month === month) ?? last
  return month > begun.month ? 0 : spentMicros - begun.spentBeforeMicros
}

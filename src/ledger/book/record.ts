/** Accounts and keys as plain objects. Only the book changes them. */
import { z } from 'zod'
import { USAGE_CLASSES_MAX } from '../../limits.ts'
import { DAY_MS, HOUR_MS, monthOf, monthStartMs } from '../../platform/time.ts'
import {
  count,
  ENTRY_KINDS,
  type EventOf,
  type KeyRules,
  type RateLimits,
  ROLES,
  type Role,
  text,
  time,
} from '../event.ts'
import { DAYS_KEPT, History, HOURS_KEPT } from './history.ts'

/** A credit, an adjustment, or what closing an account took. */
export const entry = z.strictObject({
  sequence: count,
  timeMs: time,
  kind: z.enum(ENTRY_KINDS),
  balanceMicros: z.int(),
  debtMicros: z.int(),
  reference: text,
  note: text,
})
export type Entry = z.infer<typeof entry>

export const identity = z.strictObject({ issuer: text, subject: text })
export type Identity = z.infer<typeof identity>

export const standing = z.strictObject({
  state: z.enum(['suspended', 'closed']),
  sinceMs: time,
  reason: text,
  by: text,
})
export type Standing = z.infer<typeof standing>

export const invitation = z.strictObject({
  id: text,
  email: text,
  role: z.enum(ROLES),
  endMs: time,
  by: text,
})
export type Invitation = z.infer<typeof invitation>

export const rolledSecret = z.strictObject({ start: text, hash: text, untilMs: time })
export type RolledSecret = z.infer<typeof rolledSecret>

export interface Team {
  /** Roles by slot, in the order in which people became members; null: the account's own person, who was removed. */
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
  standing: Standing | null = null
  /** Null while nobody but its own person has ever belonged to it or been invited. */
  team: Team | null = null
  readonly keys: KeyRecord[] = []
  activeKeys = 0
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
  /** Spend allowed in a UTC month. */
  capMicros: number | null = null
  rules: KeyRules | null = null
  rolled: RolledSecret | null = null
  queries = NO_QUERIES
  spentMicros = 0
  lastUsedMs = 0
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

export function queriesSum({ queries }: KeyRecord): number {
  return queries.reduce((sum, count) => sum + count, 0)
}

export function monthSpentMicros({ days }: KeyRecord, timeMs: number): number {
  const month = monthOf(timeMs)
  return days.spentBetween(monthStartMs(month), monthStartMs(month + 1))
}

/** The records that the request path works on: a few numbers each, next to what the book knows. */
import type { AccountRecord, KeyRecord } from '../../ledger/book/record.ts'
import type { Account, ApiKey, RateLimits } from '../types.ts'

export class LiveAccount implements Account {
  readonly id: string
  readonly record: AccountRecord
  /** First cell of the account's slot in the meter. */
  readonly cell: number
  availableMicros: number
  limits: RateLimits | null
  currentMinute = 0
  currentHour = 0
  currentDay = 0
  /** Free answers of the UTC minute `freeMinute`, counted from 1970. */
  freeAnswers = 0
  freeMinute = 0

  constructor(record: AccountRecord, cell: number, availableMicros: number) {
    this.id = record.id
    this.record = record
    this.cell = cell
    this.availableMicros = availableMicros
    this.limits = record.limits
  }

  get email(): string {
    return this.record.email
  }
}

export class LiveKey implements ApiKey {
  readonly id: string
  readonly record: KeyRecord
  readonly account: LiveAccount
  /** First cell of the key's slot in the meter. */
  readonly cell: number
  revokedMs: number
  /** What the cap still allows; Infinity without one. May be too low after the turn of a month, never too high. */
  capLeftMicros = Number.POSITIVE_INFINITY
  /** True while charges wait for the next flush. */
  dirty = false

  constructor(record: KeyRecord, account: LiveAccount, cell: number) {
    this.id = record.id
    this.record = record
    this.account = account
    this.cell = cell
    this.revokedMs = record.revokedMs
  }

  get label(): string {
    return this.record.label
  }

  get start(): string {
    return this.record.start
  }

  get createdMs(): number {
    return this.record.createdMs
  }
}

import {
  type AdjustmentKind,
  type CreditKind,
  type KeyEvent,
  type RateLimits,
  USAGE_CLASSES_COUNT,
} from '../event.ts'
import { DAY_MS, DAYS_KEPT, History, HOUR_MS, HOURS_KEPT } from './history.ts'

/** One credit or adjustment, as the statement shows it. */
export interface Entry {
  sequence: number
  timeMs: number
  kind: CreditKind | AdjustmentKind
  /** Signed effect on the balance. */
  balanceMicros: number
  /** Signed effect on the debt. */
  debtMicros: number
  reference: string
  note: string
}

/** What the ledger knows of an account. */
export interface AccountRecord {
  readonly type: 'account'
  readonly slot: number
  readonly id: string
  readonly email: string
  readonly createdMs: number
  /** Sum of the balance effects of `entries`. */
  creditedMicros: number
  debtMicros: number
  /** Sum of the spend of `keys`. */
  spentMicros: number
  limits: RateLimits | null
  lowBalanceMicros: number | null
  readonly identities: { issuer: string; subject: string }[]
  /** In the order of their creation, revoked ones included. */
  readonly keys: KeyRecord[]
  /** Keys that are not revoked. */
  activeKeys: number
  readonly entries: Entry[]
}

/** What the ledger knows of a key. Counts are cumulative. */
export interface KeyRecord {
  readonly type: 'key'
  readonly slot: number
  readonly id: string
  readonly account: AccountRecord
  label: string
  readonly start: string
  readonly hash: string
  readonly createdMs: number
  /** 0 while the key is active. */
  revokedMs: number
  capMicros: number | null
  readonly queries: number[]
  spentMicros: number
  /** 0: never used. */
  lastUsedMs: number
  /** The month of the last usage, in UTC months since 1970, and the spend in it. */
  month: number
  monthSpentMicros: number
  readonly hours: History
  readonly days: History
}

export function newAccountRecord(slot: number, id: string, email: string, createdMs: number): AccountRecord {
  return {
    type: 'account',
    slot,
    id,
    email,
    createdMs,
    creditedMicros: 0,
    debtMicros: 0,
    spentMicros: 0,
    limits: null,
    lowBalanceMicros: null,
    identities: [],
    keys: [],
    activeKeys: 0,
    entries: [],
  }
}

export function newKeyRecord(event: KeyEvent, account: AccountRecord, createdMs: number): KeyRecord {
  const { slot, id, label, start, hash } = event
  return {
    type: 'key',
    slot,
    id,
    account,
    label,
    start,
    hash,
    createdMs,
    revokedMs: 0,
    capMicros: null,
    queries: new Array<number>(USAGE_CLASSES_COUNT).fill(0),
    spentMicros: 0,
    lastUsedMs: 0,
    month: 0,
    monthSpentMicros: 0,
    hours: new History(HOUR_MS, HOURS_KEPT),
    days: new History(DAY_MS, DAYS_KEPT),
  }
}

/** Credits and adjustments less spend: what the customer owns. */
export function balanceMicros(account: AccountRecord): number {
  return account.creditedMicros - account.spentMicros
}

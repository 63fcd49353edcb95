/** The tables of a fleet as maps, and the clock: what `src/fleet/sql/0001-tables.sql` is to the database. */
import type { Committed, ExchangeAnswer, NodeFacts, WriteOff } from '../../src/fleet/store.ts'
import type { RateLimits } from '../../src/ledger/event.ts'
import { USAGE_CLASSES_COUNT } from '../../src/ledger/usage-rows.ts'

export interface Held {
  granted: number
  used: number
}

export interface AccountRow {
  slot: number
  /** A key with limits of its own, which has windows and no money. */
  isKey: boolean
  credited: number
  spent: number
  leased: number
  recallUntilMs: number
  limits: RateLimits | null
  /** By node. */
  leases: Map<string, Held>
  holds: Map<string, { minute: number; held: number }>
  windows: { minute: number; hour: number; day: number; counts: [number, number, number] } | null
}

export interface KeyRow {
  slot: number
  account: AccountRow
  cap: number | null
  month: number
  monthSpent: number
  monthLeased: number
  leases: Map<string, Held & { month: number }>
  /** Of all nodes, and the number of the call that changed it. */
  queries: number[]
  changedBy: number
  hours: Map<number, number[]>
}

export interface NodeRow extends NodeFacts {
  id: string
  epoch: number
  isSettled: boolean
  isWrittenOff: boolean
  isFolded: boolean
  seenMs: number
  exchangeNumber: number
  answer: ExchangeAnswer | null
  applied: number
  recalls: Set<number>
  /** Cumulative counts of its own, by key. */
  usage: Map<number, number[]>
}

export class MemoryTables {
  readonly fleet = '00000000-0000-4000-8000-000000000000'
  readonly events: Committed[] = []
  readonly accounts = new Map<number, AccountRow>()
  readonly keys = new Map<number, KeyRow>()
  readonly nodes = new Map<string, NodeRow>()
  readonly writeOffs: WriteOff[] = []
  /** Accounts whose rows a transaction of somebody else holds. */
  readonly locked = new Set<number>()
  /** Raised by each call that reports. */
  transaction = 0
}

export function newAccount(slot: number): AccountRow {
  return {
    slot,
    isKey: false,
    credited: 0,
    spent: 0,
    leased: 0,
    recallUntilMs: 0,
    limits: null,
    leases: new Map(),
    holds: new Map(),
    windows: null,
  }
}

export function newKey(slot: number, account: AccountRow): KeyRow {
  return {
    slot,
    account,
    cap: null,
    month: 0,
    monthSpent: 0,
    monthLeased: 0,
    leases: new Map(),
    queries: noQueries(),
    changedBy: 0,
    hours: new Map(),
  }
}

export function noQueries(): number[] {
  return new Array(USAGE_CLASSES_COUNT).fill(0)
}

export function freeMicros({ credited, spent, leased }: AccountRow): number {
  return credited - spent - leased
}

export function heldMicros(held: Held | undefined): number {
  return held === undefined ? 0 : held.granted - held.used
}

/** What a node holds of a key's cap in the key's month; nothing of an earlier one. */
export function capHeldMicros(key: KeyRow, node: string): number {
  const lease = key.leases.get(node)
  return lease?.month === key.month ? heldMicros(lease) : 0
}

export function monthAt(timeMs: number): number {
  const date = new Date(timeMs)
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth()
}

export function monthStartMs(month: number): number {
  return Date.UTC(1970 + Math.floor(month / 12), month % 12)
}

/** Starts a new month when the stored one has passed. */
export function rollMonth(key: KeyRow, presentMs: number): void {
  const month = monthAt(presentMs)
  if (key.month >= month) return
  key.month = month
  key.monthSpent = 0
  key.monthLeased = 0
}

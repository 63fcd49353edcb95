/** Size of leases: a node holds its spend of two seconds. That bounds the amount in doubt when its disk is lost. */
import type { WantedLease } from '../accounts/charging/charging.ts'
import type { AccountRecord, KeyRecord } from '../ledger/book/record.ts'
import { QUERY_PRICE_MICROS } from '../money.ts'
import { FLEET_EXCHANGE_MS } from './fleet-bounds.ts'

/** Time whose spend a node holds as a lease. */
export const AHEAD_MS = 2000
/** Minimum of queries leased ahead. A node returns its excess only if it holds this many more than it wants. */
export const FIRST_QUERIES = 100
/** Time without a charge after which an account's lease is returned. */
export const IDLE_MS = 30_000

const FIRST_MICROS = FIRST_QUERIES * QUERY_PRICE_MICROS
export function wantedMicros(recentMicros: number): number {
  return Math.max(FIRST_MICROS, Math.ceil(recentMicros / QUERY_PRICE_MICROS) * QUERY_PRICE_MICROS)
}

/** Returns the micros to ask for ahead of need; 0 while the node holds half of what it wants. */
export function missingMicros(heldMicros: number, wanted: number): number {
  return heldMicros < wanted / 2 ? wanted - heldMicros : 0
}

export function excessMicros(heldMicros: number, wanted: number): number {
  return heldMicros > wanted + FIRST_MICROS ? heldMicros - wanted : 0
}

export interface Waiting {
  wanted: WantedLease
  resolve(isWorthIt: boolean): void
}

export class LeasedAccount {
  readonly record: AccountRecord | KeyRecord
  readonly waiting = new Set<Waiting>()
  isRecalled = false
  /** Time of the last charge, by the monotonic clock. */
  usedMs: number
  /** Time of the last grant for waiting requests, by the monotonic clock. */
  servedMs = Number.NEGATIVE_INFINITY
  readonly #recent: { atMs: number; micros: number }[] = []
  #spentMicros: number
  #countedMs: number
  /** Micros that this node would like to hold, in whole queries. */
  aheadMicros = wantedMicros(0)

  /** @param record of the journal: its spend is charged by this node */
  constructor(record: AccountRecord | KeyRecord, nowMs: number) {
    this.record = record
    this.usedMs = nowMs
    this.#countedMs = nowMs
    this.#spentMicros = record.spentMicros
  }

  count(nowMs: number): void {
    const micros = this.record.spentMicros - this.#spentMicros
    this.#spentMicros = this.record.spentMicros
    if (micros > 0) this.usedMs = nowMs
    // With many accounts, exchanges are rare for each.
    const elapsedMs = nowMs - this.#countedMs
    this.#countedMs = nowMs
    if (micros > 0)
      this.#recent.push({ atMs: nowMs, micros: micros * Math.min(1, AHEAD_MS / Math.max(1, elapsedMs)) })
    // A spend is counted up to one exchange late.
    while (this.#recent.length > 0 && this.#recent[0].atMs <= nowMs - AHEAD_MS + FLEET_EXCHANGE_MS)
      this.#recent.shift()
    this.aheadMicros = wantedMicros(this.#recent.reduce((sum, spend) => sum + spend.micros, 0))
  }
}

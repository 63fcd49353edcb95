/** A node holds as much as was spent there in two seconds, so what is in doubt when its disk is lost is bounded by that. */
import type { Wanted } from '../accounts/charging/charging.ts'
import type { AccountRecord, KeyRecord } from '../ledger/book/record.ts'
import { QUERY_PRICE_MICROS } from '../limits.ts'
import { FLEET_EXCHANGE_MS } from './fleet-bounds.ts'

export const AHEAD_MS = 2000
/** Queries that are leased ahead however little is spent, and by which the node may hold more than it would ask for. */
export const FIRST_QUERIES = 100
/** An account that has not been charged for so long gives everything back. */
export const IDLE_MS = 30_000

const FIRST_MICROS = FIRST_QUERIES * QUERY_PRICE_MICROS
export function wantedMicros(recentMicros: number): number {
  return Math.max(FIRST_MICROS, Math.ceil(recentMicros / QUERY_PRICE_MICROS) * QUERY_PRICE_MICROS)
}

/** Returns what it asks for ahead of need: nothing while it has half of what it wants, since an exchange is not worth less. */
export function missingMicros(heldMicros: number, wanted: number): number {
  return heldMicros < wanted / 2 ? wanted - heldMicros : 0
}

export function excessMicros(heldMicros: number, wanted: number): number {
  return heldMicros > wanted + FIRST_MICROS ? heldMicros - wanted : 0
}

export interface Waiting {
  wanted: Wanted
  resolve(isWorthIt: boolean): void
}

export class LeasedAccount {
  readonly record: AccountRecord | KeyRecord
  readonly waiting = new Set<Waiting>()
  isRecalled = false
  /** When it was last charged, and when something was last granted for requests that wait, by the monotonic clock. */
  usedMs: number
  servedMs = Number.NEGATIVE_INFINITY
  readonly #recent: { atMs: number; micros: number }[] = []
  #spentMicros: number
  #countedMs: number
  /** Micros that this node would like to hold of it: whole queries. */
  aheadMicros = wantedMicros(0)

  /** @param record of the journal, whose spend is what this node has charged */
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
    // With very many accounts, exchanges reach one of them seldom.
    const elapsedMs = nowMs - this.#countedMs
    this.#countedMs = nowMs
    if (micros > 0)
      this.#recent.push({ atMs: nowMs, micros: micros * Math.min(1, AHEAD_MS / Math.max(1, elapsedMs)) })
    // An exchange counts what has been spent since the one before it.
    while (this.#recent.length > 0 && this.#recent[0].atMs <= nowMs - AHEAD_MS + FLEET_EXCHANGE_MS)
      this.#recent.shift()
    this.aheadMicros = wantedMicros(this.#recent.reduce((sum, spend) => sum + spend.micros, 0))
  }
}

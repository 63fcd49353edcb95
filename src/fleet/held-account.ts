/** An account that this node leases from, and what it will need. */

import type { Wanted } from '../accounts/types.ts'
import type { AccountRecord } from '../ledger/book/record.ts'
import { QUERY_PRICE_MICROS } from '../limits.ts'

/** Time that a lease should last at the account's recent rate. */
const AHEAD_MS = 2000
/** Queries leased ahead of need before anything is known of the rate. */
const FIRST_QUERIES = 100
/** Weight of the newest rate, of two that follow each other. */
const NEWEST = 0.5

/** A request that waits. */
export interface Waiting {
  wanted: Wanted
  resolve(isWorthIt: boolean): void
}

export class HeldAccount {
  readonly record: AccountRecord
  readonly waiting = new Set<Waiting>()
  /** Another node needs what this one can spare. */
  isRecalled = false
  /** When it was last charged, by the monotonic clock. */
  usedMs: number
  #spentMicros: number
  #countedMs: number
  #microsPerMs = 0

  /** @param record of the journal, whose spend is what this node has charged */
  constructor(record: AccountRecord, nowMs: number) {
    this.record = record
    this.usedMs = nowMs
    this.#countedMs = nowMs
    this.#spentMicros = record.spentMicros
  }

  /** Follows the rate. Returns whether it has been charged since the last call. */
  count(nowMs: number): boolean {
    const micros = this.record.spentMicros - this.#spentMicros
    const elapsedMs = Math.max(1, nowMs - this.#countedMs)
    this.#microsPerMs += NEWEST * (micros / elapsedMs - this.#microsPerMs)
    this.#spentMicros = this.record.spentMicros
    this.#countedMs = nowMs
    if (micros > 0) this.usedMs = nowMs
    return micros > 0
  }

  /** What it is likely to spend in the next moments: whole queries, in micros. */
  get aheadMicros(): number {
    const queries = Math.max(FIRST_QUERIES, Math.ceil((this.#microsPerMs * AHEAD_MS) / QUERY_PRICE_MICROS))
    return queries * QUERY_PRICE_MICROS
  }

  /** Resolves all that wait. */
  giveUp(): void {
    for (const waiting of this.waiting) waiting.resolve(false)
    this.waiting.clear()
  }
}

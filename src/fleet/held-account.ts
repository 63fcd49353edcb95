/** An account that this node leases from, or a key of whose own limits it does, and what it will need. */
import type { Wanted } from '../accounts/types.ts'
import type { AccountRecord, KeyRecord } from '../ledger/book/record.ts'
import { AHEAD_MS, RecentSpend, wantedMicros } from './lease-policy.ts'

/** A request that waits. */
export interface Waiting {
  wanted: Wanted
  resolve(isWorthIt: boolean): void
}

export class HeldAccount {
  readonly record: AccountRecord | KeyRecord
  readonly waiting = new Set<Waiting>()
  /** Another node needs what this one can spare. */
  isRecalled = false
  /** When it was last charged, and when something was last granted for requests that wait, by the monotonic clock. */
  usedMs: number
  servedMs = Number.NEGATIVE_INFINITY
  readonly #recent = new RecentSpend()
  #spentMicros: number
  #countedMs: number
  /** What this node would like to hold of it, in micros: whole queries. */
  aheadMicros = wantedMicros(0)

  /** @param record of the journal, whose spend is what this node has charged */
  constructor(record: AccountRecord | KeyRecord, nowMs: number) {
    this.record = record
    this.usedMs = nowMs
    this.#countedMs = nowMs
    this.#spentMicros = record.spentMicros
  }

  /** Follows the spend. */
  count(nowMs: number): void {
    // A charge that was taken back after its flush lowers it.
    const micros = Math.max(0, this.record.spentMicros - this.#spentMicros)
    this.#spentMicros = this.record.spentMicros
    if (micros > 0) this.usedMs = nowMs
    // With very many accounts, exchanges reach one of them seldom.
    const elapsedMs = nowMs - this.#countedMs
    this.#countedMs = nowMs
    this.#recent.add(elapsedMs > AHEAD_MS ? (micros * AHEAD_MS) / elapsedMs : micros, nowMs)
    this.aheadMicros = wantedMicros(this.#recent.micros(nowMs))
  }

  /** Resolves all that wait. */
  giveUp(): void {
    for (const waiting of this.waiting) waiting.resolve(false)
    this.waiting.clear()
  }
}

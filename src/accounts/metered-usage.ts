import type { AccountRecord, KeyRecord } from '../ledger/book/record.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { COUNTS, countOf, ROW_CELLS } from '../ledger/meter/meter-layout.ts'
import { QUERY_PRICE_MICROS, USAGE_CLASSES_MAX } from '../limits.ts'
import type { LiveState } from './live/live-state.ts'

/** Usage beyond what the book knows. Exact while the account's lock is held. */
export interface UsageAhead {
  aheadOf(account: AccountRecord): number
  aheadMicros(key: KeyRecord): number
  /** Queries of a key by usage class, with those that the book does not know. */
  queries(key: KeyRecord): number[]
}

/** Only a key whose bit is set has usage that the book lacks: the flusher takes the bit and books the counts in one turn. */
export class MeteredUsage implements UsageAhead {
  readonly #ledger: Ledger
  readonly #live: LiveState

  constructor(ledger: Ledger, live: LiveState) {
    this.#ledger = ledger
    this.#live = live
  }

  aheadOf({ slot }: AccountRecord): number {
    return this.#ledger.book.account(slot).keys.reduce((micros, key) => micros + this.aheadMicros(key), 0)
  }

  aheadMicros({ slot }: KeyRecord): number {
    if (!this.#live.isChanged(slot)) return 0
    const { queries } = this.#ledger.book.key(slot)
    let ahead = 0
    for (let usage = 0; usage < USAGE_CLASSES_MAX; usage++)
      ahead += this.#metered(slot, usage) - queries[usage]
    return ahead * QUERY_PRICE_MICROS
  }

  queries({ slot }: KeyRecord): number[] {
    return Array.from({ length: USAGE_CLASSES_MAX }, (_, usage) => this.#metered(slot, usage))
  }

  #metered(slot: number, usage: number): number {
    return countOf(this.#ledger.meter.rows.cells[slot * ROW_CELLS + COUNTS + usage])
  }
}

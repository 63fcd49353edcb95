import type { UsageAhead } from '../accounts/account-store.ts'
import type { Collector } from '../accounts/charging/collector.ts'
import { type AccountRecord, balanceMicros, type KeyRecord } from '../ledger/book/record.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { FleetRegistry } from './fleet-registry.ts'

/**
 * What has been used beyond the fleet's book. Of an account it is what its balance says. Of a key, this node knows its own charges
 * that are not in its journal yet; those that are on their way between nodes are missing for a second.
 */
export class FleetUsage implements UsageAhead {
  readonly #registry: FleetRegistry
  readonly #journal: Ledger
  readonly #collector: Collector

  constructor(registry: FleetRegistry, journal: Ledger, collector: Collector) {
    this.#registry = registry
    this.#journal = journal
    this.#collector = collector
  }

  aheadOf(account: AccountRecord): number {
    return Math.max(0, balanceMicros(account) - this.#registry.availableMicros(account))
  }

  aheadMicros({ slot }: KeyRecord): number {
    return this.#collector.aheadMicros(this.#journal.book.key(slot))
  }

  queries(key: KeyRecord): number[] {
    const { queries } = key
    const own = this.#journal.book.key(key.slot)
    const booked = own.queries
    for (const [usage, count] of this.#collector.queries(own).entries())
      queries[usage] += count - booked[usage]
    return queries
  }
}

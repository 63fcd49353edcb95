/** The book of the fleet in this node's memory: all that has been committed, and what all nodes have used. */

import { Book } from '../ledger/book/book.ts'
import { HOUR_MS } from '../ledger/book/history.ts'
import { appendUsageRow, usageEvents } from '../ledger/usage-rows.ts'
import { QUERY_PRICE_MICROS } from '../limits.ts'
import type { Committed, FleetImage, KeyCounts } from './store.ts'

export class Replica {
  readonly book = new Book()
  /** Of the newest transaction that the book has. */
  sequence = 0

  /** Loads everything. Cost: about 2 microseconds for each event and hour, and the time of the database. */
  async load({ committed, hours }: FleetImage): Promise<void> {
    for await (const one of committed) this.apply(one)
    let hour: KeyCounts[] = []
    let present = -1
    for await (const counts of hours) {
      if (counts.hour !== present) this.use(hour, present * HOUR_MS)
      if (counts.hour !== present) hour = []
      present = counts.hour
      hour.push(counts)
    }
    this.use(hour, present * HOUR_MS)
  }

  /** @throws Error when it is not the next one */
  apply({ sequence, timeMs, events }: Committed): void {
    if (sequence !== this.sequence + 1)
      throw new Error(
        `the fleet's transaction ${sequence} follows ${this.sequence}: the database has lost some`,
      )
    this.book.transact(events, timeMs, sequence)
    this.sequence = sequence
  }

  /** Brings keys up to what all nodes together had used at `timeMs`. Returns the accounts. */
  use(counts: readonly KeyCounts[], timeMs: number): Set<number> {
    const rows: number[] = []
    const accounts = new Set<number>()
    for (const { key, queries } of counts) {
      const record = this.book.key(key)
      const spentMicros = queries.reduce((sum, count) => sum + count, 0) * QUERY_PRICE_MICROS
      // A repetition of what is known.
      if (spentMicros <= record.spentMicros) continue
      accounts.add(record.account.slot)
      appendUsageRow(
        rows,
        key,
        queries.map(count => count || undefined),
        spentMicros,
      )
    }
    for (const event of usageEvents(rows)) this.book.apply(event, timeMs, this.sequence)
    return accounts
  }
}

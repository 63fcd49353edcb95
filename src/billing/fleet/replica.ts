/** Book of the fleet in this node's memory: all committed transactions, and the usage of all nodes. */

import { USAGE_CLASSES_MAX } from '../../platform/limits.ts'
import { HOUR_MS } from '../../platform/time.ts'
import { Book } from '../ledger/book/book.ts'
import type { AccountRecord } from '../ledger/book/record.ts'
import { usageEvents } from '../ledger/event.ts'
import { addPayload } from '../ledger/snapshot/snapshot-items.ts'
import { raisedUsage } from './journal.ts'
import type { Committed, FleetImage, KeyCount } from './messages.ts'
import type { PostgresStore } from './postgres-store.ts'

export class Replica {
  readonly book = new Book(true)
  sequence = 0

  static open(store: Pick<PostgresStore, 'image'>): Promise<{ replica: Replica; position: string }> {
    return store.image(async image => {
      const replica = new Replica()
      await replica.#load(image)
      return { replica, position: image.position }
    })
  }

  async #load({ snapshotSequence, snapshot, committed, history }: FleetImage): Promise<void> {
    /** Queries of keys so far, by usage class. */
    const sums = new Map<number, number[]>()
    for await (const payload of snapshot) addPayload(this.book, payload)
    this.sequence = snapshotSequence
    for await (const one of committed) this.apply(one)
    for await (const { hour, key, usage, queries } of history) {
      const before = sums.get(key) ?? new Array<number>(USAGE_CLASSES_MAX).fill(0)
      sums.set(key, before)
      before[usage] += queries
      this.applyUsage([{ key, usage, queries: before[usage] }], hour * HOUR_MS)
    }
  }

  apply({ sequence, timeMs, events }: Committed): void {
    if (sequence !== this.sequence + 1)
      throw new Error(
        `transaction ${sequence} of the fleet follows ${this.sequence}: some are missing. Restore the database, or restart all nodes`,
      )
    this.book.transact(events, timeMs, sequence)
    this.sequence = sequence
  }

  /** Raises keys to the usage of all nodes at `timeMs`. Returns the accounts that changed. */
  applyUsage(counts: readonly KeyCount[], timeMs: number): Set<AccountRecord> {
    const rows = raisedUsage(this.book, counts)
    for (const event of usageEvents(rows)) this.book.apply(event, timeMs, this.sequence)
    return new Set(rows.map(({ key }) => this.book.key(key).account))
  }
}

/** Book of the fleet in this node's memory: all committed transactions, and the usage of all nodes. */

import { HOUR_MS } from '../../platform/time.ts'
import type { Listeners } from '../accounts/deeds.ts'
import type { Registry } from '../accounts/registry.ts'
import { Book } from '../ledger/book/book.ts'
import type { AccountRecord } from '../ledger/book/record.ts'
import { type UsageRow, usageEvents } from '../ledger/event.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { addPayload } from '../ledger/snapshot/snapshot-items.ts'
import { QUERY_PRICE_MICROS } from '../money.ts'
import { mirror } from './journal.ts'
import type { LeasedState } from './leased-state.ts'
import type { Committed, FleetImage, KeyCounts } from './messages.ts'
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

  async #load({ snapshotSequence, snapshot, committed, hours }: FleetImage): Promise<void> {
    for await (const payload of snapshot) addPayload(this.book, payload)
    this.sequence = snapshotSequence
    for await (const one of committed) this.apply(one)
    for await (const { hour, ...counts } of hours) this.applyUsage([counts], hour * HOUR_MS)
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
  applyUsage(counts: readonly KeyCounts[], timeMs: number): Set<AccountRecord> {
    const rows: UsageRow[] = []
    const accounts = new Set<AccountRecord>()
    for (const { key, queries } of counts) {
      const record = this.book.key(key)
      const spentMicros = queries.reduce((sum, count) => sum + count, 0) * QUERY_PRICE_MICROS
      // A read may repeat known usage.
      if (spentMicros <= record.spentMicros) continue
      accounts.add(record.account)
      rows.push({ key, queries, spentMicros })
    }
    for (const event of usageEvents(rows)) this.book.apply(event, timeMs, this.sequence)
    return accounts
  }
}

export interface AppliedParts {
  replica: Replica
  journal: Ledger
  registry: Registry
  leased: LeasedState
  listeners: Listeners<string[]>
}

/** Applies a committed transaction. Resolves when all threads see it. @param isOwn true if its command notifies the listeners */
export async function applyCommitted(
  parts: AppliedParts,
  committed: Committed,
  isOwn: boolean,
): Promise<void> {
  const { replica, listeners, registry, leased, journal } = parts
  const { book } = replica
  // Only the opening of an account has several events, all of that account.
  const [first] = committed.events
  replica.apply(committed)
  if (first.kind === 'account' || first.kind === 'key') {
    await journal.meter.reserve(journal.book.slots.length + 1)
    mirror(journal, first)
    await journal.untilDurable()
  }
  if (first.kind === 'cap') leased.resetCap(book.key(first.key), replica.sequence)
  else if (first.kind === 'credit')
    leased.addElsewhere(book.account(first.account), first.micros - first.debtPaidMicros)
  else if (first.kind === 'adjust' || first.kind === 'closed')
    leased.addElsewhere(book.account(first.account), -first.takenMicros)
  registry.renew(first)
  const { account } = replica.book.subjectsOf(first)
  if (!isOwn && account !== null) listeners.notify([account.id])
}

/** The book of the fleet in this node's memory: all that has been committed, and what all nodes have used. */
import type { Listeners } from '../accounts/deeds.ts'
import type { Registry } from '../accounts/registry.ts'
import { Book } from '../ledger/book/book.ts'
import type { AccountRecord } from '../ledger/book/record.ts'
import { type LedgerEvent, type UsageRow, usageEvents } from '../ledger/event.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { addPayload } from '../ledger/snapshot/snapshot-items.ts'
import { QUERY_PRICE_MICROS } from '../limits.ts'
import { HOUR_MS } from '../platform/time.ts'
import { mirror } from './journal.ts'
import type { LeasedState } from './leased-state.ts'
import type { PostgresStore } from './postgres-store.ts'
import type { Committed, FleetImage, KeyCounts } from './store.ts'

export class Replica {
  readonly book = new Book()
  sequence = 0

  /** Loads everything that the store has. `position` is where its changes continue. */
  static open(store: Pick<PostgresStore, 'image'>): Promise<{ replica: Replica; position: string }> {
    return store.image(async image => {
      const replica = new Replica()
      await replica.#load(image)
      return { replica, position: image.position }
    })
  }

  /** Cost: about 2 microseconds for each event and hour, and the time of the database. */
  async #load({ snapshotSequence, snapshot, committed, hours }: FleetImage): Promise<void> {
    for await (const payload of snapshot) addPayload(this.book, payload)
    this.sequence = snapshotSequence
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
  use(counts: readonly KeyCounts[], timeMs: number): Set<AccountRecord> {
    const rows: UsageRow[] = []
    const accounts = new Set<AccountRecord>()
    for (const { key, queries } of counts) {
      const record = this.book.key(key)
      const spentMicros = queries.reduce((sum, count) => sum + count, 0) * QUERY_PRICE_MICROS
      // A repetition of what is known.
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
  listeners: Listeners
}

/** Applies a committed transaction. Resolves when all threads see it. @param isOwn its command notifies the listeners itself */
export async function applyCommitted(
  parts: AppliedParts,
  committed: Committed,
  isOwn: boolean,
): Promise<void> {
  const { replica, listeners } = parts
  // The others of a transaction concern the account that the first one opens.
  const [first] = committed.events
  replica.apply(committed)
  await follow(parts, first)
  const account = isOwn ? undefined : accountOf(replica.book, first)
  if (account !== undefined) listeners.notify(account.id)
}

async function follow(
  { registry, leased, journal, replica }: AppliedParts,
  event: LedgerEvent,
): Promise<void> {
  const { book } = replica
  if (event.kind === 'account' || event.kind === 'key') await mirrorOne(journal, event)
  if (event.kind === 'cap') leased.capChanged(book.key(event.key), replica.sequence)
  else if (event.kind === 'credit')
    leased.addElsewhere(book.account(event.account), event.micros - event.debtPaidMicros)
  else if (event.kind === 'adjust' || event.kind === 'closed')
    leased.addElsewhere(book.account(event.account), -event.takenMicros)
  registry.renew(event)
  if (event.kind !== 'rules') return
  const key = book.key(event.key)
  leased.ownLimitsChanged(key, key.account)
}

async function mirrorOne(journal: Ledger, event: LedgerEvent): Promise<void> {
  await journal.meter.reserve(journal.book.slots.length + 1)
  mirror(journal, event)
  await journal.settled()
}

function accountOf(book: Book, event: LedgerEvent): AccountRecord | undefined {
  if (event.kind === 'account') return book.account(event.slot)
  if ('account' in event) return book.account(event.account)
  return 'key' in event ? book.key(event.key).account : undefined
}

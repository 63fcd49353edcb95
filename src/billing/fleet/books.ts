/**
 * The two books of a node: the replica of the fleet's, and the book of the node's own ledger, which counts
 * the usage charged here. Each account has an endless credit there. Accounts and keys are mirrored in the
 * order of the fleet's events, so their slots are the same.
 */

import { HOUR_MS } from '../../platform/time.ts'
import { CREDITED_MAX_MICROS } from '../accounts/commands/change-balance.ts'
import { Book } from '../ledger/book/book.ts'
import { type AccountRecord, type KeyRecord, queriesSum } from '../ledger/book/record.ts'
import { type KeyUsage, usageEvents } from '../ledger/event.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { COUNTS, ROW_CELLS, storedCount } from '../ledger/meter/meter-layout.ts'
import { addPayload } from '../ledger/snapshot/snapshot.ts'
import { QUERY_PRICE_MICROS } from '../money.ts'
import type { FleetDatabase } from './fleet-database.ts'
import type { Committed, KeyCount } from './messages.ts'

const MIRRORED_PER_SYNC = 10_000

export function isSameSlot(slot: number, own: Book, fleet: Book): boolean {
  const [record, known] = [own.slots[slot], fleet.slots[slot]]
  return record !== undefined && record.type === known?.type && record.id === known.id
}

/** @throws Error unless the node's slots are the first slots of the fleet */
export function expectSameSlots(own: Book, fleet: Book): void {
  for (const [slot, record] of own.slots.entries()) {
    if (isSameSlot(slot, own, fleet)) continue
    throw new Error(
      `this node has ${record.id} in slot ${slot}, and the fleet ${fleet.slots[slot]?.id ?? 'nothing'}: the database is older than ` +
        'this node, or another one. Restore the newest backup of the database; or report the usage of this node with ' +
        '`postrie node recover`, and start with an empty folder.',
    )
  }
}

/** Mirrors the missing accounts and keys of the fleet's book. */
export async function mirrorMissing(ledger: Ledger, book: Book): Promise<void> {
  const { slots } = ledger.book
  await ledger.meter.reserve(book.slots.length)
  for (let slot = slots.length; slot < book.slots.length; slot++) {
    const record = book.slots[slot]
    const { id } = record
    if (record.type === 'account') {
      const endless = { micros: CREDITED_MAX_MICROS, debtPaidMicros: 0, credit: 'operator' } as const
      const why = { reference: `node:${id}`, note: 'only leases bound what this node charges' }
      ledger.append([
        { kind: 'account', slot, id, email: record.email },
        { kind: 'credit', account: slot, ...endless, ...why },
      ])
    } else {
      const { account, label, start, hash } = record
      ledger.append([{ kind: 'key', slot, id, account: account.slot, label, start, hash }])
    }
    if (slot % MIRRORED_PER_SYNC === 0) await ledger.untilDurable()
  }
  await ledger.untilDurable()
}

export function countsOf({ slot, queries }: KeyRecord): KeyCount[] {
  return queries.flatMap((count, usage) => (count > 0 ? [{ key: slot, usage, queries: count }] : []))
}

export function allCounts(book: Book): KeyCount[] {
  return [...book.keys.values()].flatMap(countsOf)
}

/** Returns the usage of keys after `counts`, which may repeat known ones. */
function raisedUsage(book: Book, counts: readonly KeyCount[]): KeyUsage[] {
  const raised = new Map<number, number[]>()
  for (const { key, usage, queries } of counts) {
    const known = raised.get(key) ?? [...book.key(key).queries]
    if (queries <= known[usage]) continue
    known[usage] = queries
    raised.set(key, known)
  }
  return Array.from(raised, ([key, queries]) => ({
    key,
    queries,
    spentMicros: queriesSum({ queries }) * QUERY_PRICE_MICROS,
  }))
}

/** Raises a ledger that lost its end to the database's counts. As with a charge, the meter is first. */
export function raiseLedger(ledger: Ledger, known: readonly KeyCount[]): Promise<void> {
  const rows = raisedUsage(ledger.book, known)
  for (const { key, queries } of rows)
    ledger.meter.rows.cells.set(queries.map(storedCount), key * ROW_CELLS + COUNTS)
  for (const event of usageEvents(rows)) ledger.append([event])
  return ledger.untilDurable()
}

/** Book of the fleet in this node's memory: all committed transactions, and the usage of all nodes. */
export class Replica {
  readonly book = new Book(true)
  sequence = 0
  /** Position from which changed usage is read next. */
  position: string

  constructor(position: string) {
    this.position = position
  }

  static open(database: FleetDatabase): Promise<Replica> {
    return database.image(async ({ position, snapshotSequence, snapshot, committed, history }) => {
      const replica = new Replica(position)
      for await (const payload of snapshot) addPayload(replica.book, payload)
      replica.sequence = snapshotSequence
      for await (const one of committed) replica.apply(one)
      // The book may have more, from the snapshot.
      for await (const { hour, ...count } of history) replica.applyUsage([count], hour * HOUR_MS)
      return replica
    })
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

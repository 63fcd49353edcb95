/**
 * The journal of a node: the usual ledger, in which every account has a credit that cannot be used up, so that its usage events are
 * all that matters. Accounts and keys are mirrored into it in the order of the fleet's events, so that their slots are the same.
 */
import type { UsageAhead } from '../accounts/metered-usage.ts'
import type { Book } from '../ledger/book/book.ts'
import type { KeyRecord } from '../ledger/book/record.ts'
import { type EventOf, type LedgerEvent, type UsageRow, usageEvents } from '../ledger/event.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { CREDITED_MAX_MICROS, QUERY_PRICE_MICROS } from '../limits.ts'
import type { KeyCounts, Lacking } from './store.ts'

/** Usage beyond the fleet's book: a node does not guess what is on its way to the database. */
export const NOTHING_AHEAD: UsageAhead = {
  aheadOf: () => 0,
  aheadMicros: () => 0,
  queries: key => [...key.queries],
}

const MIRRORED_PER_SYNC = 10_000

export function mirror(journal: Ledger, event: LedgerEvent): void {
  if (event.kind === 'key') journal.append([event])
  else if (event.kind === 'account') journal.append([event, endlessCredit(event)])
}

export function isSameSlot(slot: number, journal: Book, book: Book): boolean {
  const [own, known] = [journal.slots[slot], book.slots[slot]]
  return own !== undefined && own.type === known?.type && own.id === known.id
}

/** @throws Error unless the journal's slots are the first ones of the fleet */
export function expectSameSlots(journal: Book, book: Book): void {
  for (const [slot, record] of journal.slots.entries()) {
    if (isSameSlot(slot, journal, book)) continue
    throw new Error(
      `the journal has ${record.id} in slot ${slot}, and the fleet ${book.slots[slot]?.id ?? 'nothing'}: the database is older than ` +
        'this node, or another one. Restore the newest backup of the database; or have this node reported with ' +
        '`postrie node recover`, and start with an empty folder.',
    )
  }
}

export function olderCopyNotice({ coveredMicros, forgivenMicros }: Lacking): string {
  return (
    'the database of the fleet did not know of leases that this node had charged, so it was replaced by an older copy: ' +
    `${coveredMicros} micro-dollars were booked all the same, and ${forgivenMicros} exceeded the balances and are not charged`
  )
}

/** Brings the journal up to the fleet's book at a start, after `expectSameSlots`. */
export async function mirrorAll(journal: Ledger, book: Book): Promise<void> {
  const { slots } = journal.book
  for (let slot = slots.length; slot < book.slots.length; slot++) {
    const record = book.slots[slot]
    const { id } = record
    if (record.type === 'account') mirror(journal, { kind: 'account', slot, id, email: record.email })
    else {
      const { account, label, start, hash } = record
      mirror(journal, { kind: 'key', slot, id, account: account.slot, label, start, hash })
    }
    if (slot % MIRRORED_PER_SYNC === 0) await journal.settled()
  }
  await journal.settled()
}

export function countsOf(key: KeyRecord): KeyCounts {
  return { key: key.slot, queries: [...key.queries] }
}

export function allCounts(book: Book): KeyCounts[] {
  const used = [...book.keys.values()].filter(key => key.spentMicros > 0)
  return used.map(countsOf)
}

/** Brings a journal that has lost its end up to what the database knows of this node. True if it had. */
export function raise(journal: Ledger, known: readonly KeyCounts[]): boolean {
  const rows: UsageRow[] = []
  for (const { key, queries } of known) {
    const record = journal.book.key(key)
    if (queries.every((count, usage) => count <= record.queries[usage])) continue
    const greatest = queries.map((count, usage) => Math.max(count, record.queries[usage]))
    const sum = greatest.reduce((total, count) => total + count, 0)
    rows.push({ key, queries: greatest, spentMicros: sum * QUERY_PRICE_MICROS })
  }
  for (const event of usageEvents(rows)) journal.append([event])
  return rows.length > 0
}

function endlessCredit({ slot, id }: EventOf<'account'>): LedgerEvent {
  return {
    kind: 'credit',
    account: slot,
    micros: CREDITED_MAX_MICROS,
    debtPaidMicros: 0,
    credit: 'operator',
    reference: `journal:${id}`,
    note: 'only leases bound what this node charges',
  }
}

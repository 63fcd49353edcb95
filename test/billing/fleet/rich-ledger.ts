import { type LedgerEvent, usageEvents } from '../../../src/billing/ledger/event.ts'
import { type Ledger, openLedger } from '../../../src/billing/ledger/ledger.ts'
import { COUNTS, ROW_CELLS, storedCount } from '../../../src/billing/ledger/meter/meter-layout.ts'
import { type Clock, systemClock } from '../../../src/billing/ledger/timeline.ts'
import { QUERY_PRICE_MICROS } from '../../../src/billing/money.ts'
import { DAY_MS, HOUR_MS } from '../../../src/platform/time.ts'
import { everyEvent } from '../ledger/every-event.ts'

const DAYS = 60

/** Writes a ledger with every kind of event to `dir`. It ends now. `customers` charge every hour for two months. */
export async function writeRichLedger(dir: string, customers: number): Promise<void> {
  const endMs = Date.now()
  let nowMs = endMs - DAYS * DAY_MS
  const clock: Clock = { ...systemClock, wallMs: () => nowMs, monotonicMs: () => nowMs }
  const ledger = await openLedger({ dir, clock })
  const [, ...events] = everyEvent(nowMs)
  for (const transaction of events) ledger.append(transaction)
  const keys = Array.from({ length: customers }, () => openCustomer(ledger))
  for (let step = 1; nowMs < endMs; step++) {
    // An entry that waits for the disk must not grow old.
    await ledger.untilDurable()
    // The last days are written by hour, so that hours and days of histories overlap.
    nowMs += endMs - nowMs > 2 * DAY_MS ? DAY_MS : HOUR_MS
    const rows = keys.map(key => ({
      key,
      queries: [step, 0, key],
      spentMicros: (step + key) * QUERY_PRICE_MICROS,
    }))
    for (const event of usageEvents(rows)) ledger.append([event])
  }
  // The meter has each charge, and had it first.
  const { meter, book } = ledger
  await meter.reserve(book.slots.length)
  for (const { slot, queries } of book.keys.values())
    meter.rows.cells.set(queries.map(storedCount), slot * ROW_CELLS + COUNTS)
  await ledger.close()
}

/** Returns the slot of the key. */
function openCustomer(ledger: Ledger): number {
  const slot = ledger.book.slots.length
  const credit = { micros: 1e6, debtPaidMicros: 0, credit: 'payment', reference: `ref-${slot}` } as const
  const opening: LedgerEvent[] = [
    { kind: 'account', slot, id: `acct_${slot}`, email: `p${slot}@example.com` },
    { kind: 'credit', account: slot, ...credit, note: 'Zürich ✓', by: 'ada@example.com' },
  ]
  ledger.append(opening)
  const key = { slot: slot + 1, id: `key_${slot}`, account: slot, label: '', start: 'pk_live_0000' }
  ledger.append([{ kind: 'key', ...key, hash: `hash ${slot}` }])
  return slot + 1
}

/** Accounts of a single node. Its ledger has all of a balance, and all of each limit. */
import { Listeners } from '../../platform/listeners.ts'
import { monthOf, monthStartMs } from '../../platform/time.ts'
import {
  type AccountRecord,
  balanceMicros,
  type KeyRecord,
  limitsOf,
  monthSpentMicros,
  ownerOf,
  queriesSum,
} from '../ledger/book/record.ts'
import type { LedgerEvent } from '../ledger/event.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { meteredQueries } from '../ledger/meter/meter-layout.ts'
import { QUERY_PRICE_MICROS } from '../money.ts'
import type { AccountStore } from './account-store.ts'
import { CELLS_PER_WINDOW, LEFT, setCounter, windowLimits } from './live/counter.ts'
import { type LiveState, withLock } from './live/live-state.ts'
import { type Refills, writeAll, writeEvent } from './live/write-live.ts'

/** Events that take effect when they are on the disk, since they give something. All others act at once. */
const GIVING: ReadonlySet<LedgerEvent['kind']> = new Set(['account', 'key', 'credit', 'resumed', 'roll'])

export function ledgerStore(ledger: Ledger, live: LiveState): AccountStore {
  const { book, timeline } = ledger
  const listeners = new Listeners<string[]>()
  const refills: Refills = { book, refillFunds, refillWindows, changeBalance }
  /**
   * Micros debited from credits that are still being synced, by account:
   *
   * 1. An account has 0. A credit of 5 is in the book, and not on the disk yet: LEFT stays 0.
   * 2. A debit of 3 is due. LEFT cannot pay, so 3 are owed.
   * 3. The credit is on the disk: LEFT becomes 2.
   */
  const owed = new Map<number, number>()

  function refillWindows(record: AccountRecord | KeyRecord): void {
    const { windows } = live.lineOf(record.slot)
    // Their first use finds their counts in the meter.
    withLock(live, ownerOf(record), ({ cells }) => {
      for (const [window, limit] of windowLimits(limitsOf(record)).entries())
        setCounter(cells, windows + window * CELLS_PER_WINDOW, { limit, next: limit })
    })
  }

  function refillFunds(record: AccountRecord | KeyRecord): void {
    const { funds } = live.lineOf(record.slot)
    withLock(live, ownerOf(record), ({ cells }) => {
      if (record.type === 'account')
        return setCounter(cells, funds, { left: balanceMicros(record), untilMs: Number.POSITIVE_INFINITY })
      const limit = record.capMicros ?? Number.POSITIVE_INFINITY
      const month = monthOf(timeline.nowMs())
      // Without a backward clock, nothing is spent in the next month yet.
      const next = limit - (record.months.length === 0 ? 0 : monthSpentMicros(record, month + 1))
      const left = limit - monthSpentMicros(record, month) - unbookedMicros(record)
      setCounter(cells, funds, { limit, next, left, untilMs: monthStartMs(month + 1), elsewhere: 0 })
    })
  }

  function changeBalance(account: AccountRecord, micros: number): void {
    const due = owed.get(account.slot) ?? 0
    const paid = Math.min(due, micros)
    if (due > 0) owed.set(account.slot, due - paid)
    withLock(live, account, ({ cells, funds }) => {
      cells[funds + LEFT] += micros - paid
    })
  }

  /** Returns the spend that the book does not have yet. Exact while the account's lock is held. */
  function unbookedMicros(key: KeyRecord): number {
    // Only a key with its bit set is ahead: the flusher takes the bit and books the counts in one turn.
    if (!live.isChanged(key.slot)) return 0
    const queries = meteredQueries(ledger.meter.rows, key.slot)
    return (queriesSum({ queries }) - queriesSum(key)) * QUERY_PRICE_MICROS
  }

  function debit(account: AccountRecord, micros: number): number {
    return withLock(live, account, ({ cells, funds }) => {
      const unbooked = account.keys.reduce((sum, key) => sum + unbookedMicros(key), 0)
      const due = Math.min(balanceMicros(account) - unbooked, micros)
      const taken = Math.min(cells[funds + LEFT], due)
      cells[funds + LEFT] -= taken
      if (taken < due) owed.set(account.slot, (owed.get(account.slot) ?? 0) + due - taken)
      return due
    })
  }

  writeAll(refills, live)
  return {
    book,
    timeline,
    listeners,
    /** Computes the caps again: the frame may fall into the next month. */
    noteBooked(keys) {
      for (const key of keys) if (key.capMicros !== null) refillFunds(key)
      // The ledger reports a failure.
      ledger.untilDurable().then(
        () => listeners.notify([...new Set(keys.map(key => key.account.id))]),
        () => {},
      )
    },
    record(...events) {
      ledger.append(events)
      const durable = ledger.untilDurable()
      const [first] = events
      if (GIVING.has(first.kind)) return durable.then(() => writeEvent(refills, live, first))
      writeEvent(refills, live, first)
      return durable
    },
    async catchUp() {},
    untilDurable: ledger.untilDurable,
    run: command => command(debit),
    /** Computes a cap that the thread does not know: the clock was set, or the key was idle for months. */
    async waitForLease({ keySlot }) {
      refillFunds(book.key(keySlot))
      return true
    },
    async close() {},
  }
}

/** Accounts of a single node. Its ledger has all of a balance, and all of each limit. */
import { monthOf, monthStartMs } from '../../platform/time.ts'
import type { Book } from '../ledger/book/book.ts'
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
import { Listeners } from './audited-changes.ts'
import type { Shortfall } from './charging/charging.ts'
import { ELSEWHERE, LEFT, setCounter, setLimits, UNTIL_MS } from './live/counter.ts'
import type { LiveState } from './live/live-state.ts'
import { withLock } from './live/lock.ts'
import { openAll, type Refills, renew } from './refills.ts'

/** Events that take effect once they are durable. Restrictions take effect at once. */
const GIVING: ReadonlySet<LedgerEvent['kind']> = new Set(['account', 'key', 'credit', 'resumed', 'roll'])

export class LedgerStore implements AccountStore, Refills {
  readonly book: Book
  readonly timeline: { nowMs(): number }
  readonly listeners = new Listeners<string[]>()
  readonly #ledger: Ledger
  readonly #live: LiveState
  /** Debited micros of credits that are not durable yet, by slot. Such a credit pays them first. */
  readonly #owed = new Map<number, number>()

  constructor(ledger: Ledger, live: LiveState) {
    this.#ledger = ledger
    this.#live = live
    this.book = ledger.book
    this.timeline = ledger.timeline
    openAll(this, live)
  }

  open(record: AccountRecord | KeyRecord): void {
    if (record.type === 'key') return this.setCap(record)
    const { cells, funds } = this.#live.lineOf(record.slot)
    cells[funds + LEFT] = balanceMicros(record)
    cells[funds + UNTIL_MS] = Number.POSITIVE_INFINITY
  }

  setLimits(record: AccountRecord | KeyRecord): void {
    const limits = limitsOf(record)
    if (limits === null) return
    const { windows } = this.#live.lineOf(record.slot)
    withLock(this.#live, ownerOf(record), ({ cells }) => setLimits(cells, windows, limits))
  }

  setCap(key: KeyRecord): void {
    const { funds } = this.#live.lineOf(key.slot)
    withLock(this.#live, key.account, ({ cells }) => {
      const cap = key.capMicros ?? Number.POSITIVE_INFINITY
      const month = monthOf(this.timeline.nowMs())
      // The next month is known only after a clock went back.
      const nextMicros = key.months.length === 0 ? 0 : monthSpentMicros(key, month + 1)
      setCounter(cells, funds, cap, cap - nextMicros)
      cells[funds + LEFT] = cap - monthSpentMicros(key, month) - this.#unbookedMicros(key)
      cells[funds + UNTIL_MS] = monthStartMs(month + 1)
      cells[funds + ELSEWHERE] = 0
    })
  }

  credit(account: AccountRecord, micros: number): void {
    const owed = this.#owed.get(account.slot) ?? 0
    const paid = Math.min(owed, micros)
    if (owed > 0) this.#owed.set(account.slot, owed - paid)
    withLock(this.#live, account, ({ cells, funds }) => {
      cells[funds + LEFT] += micros - paid
    })
  }

  take(account: AccountRecord, micros: number): number {
    const owed = this.#owed.get(account.slot) ?? 0
    return withLock(this.#live, account, ({ cells, funds }) => {
      const unbooked = account.keys.reduce((sum, key) => sum + this.#unbookedMicros(key), 0)
      const due = Math.min(balanceMicros(account) - unbooked, micros)
      const taken = Math.min(cells[funds + LEFT], due)
      cells[funds + LEFT] -= taken
      if (taken < due) this.#owed.set(account.slot, owed + due - taken)
      return due
    })
  }

  /** Returns the spend that the book does not have yet. Exact while the account's lock is held. */
  #unbookedMicros(key: KeyRecord): number {
    // Only a key with its bit set is ahead: the flusher takes the bit and books the counts in one turn.
    if (!this.#live.isChanged(key.slot)) return 0
    const queries = meteredQueries(this.#ledger.meter.rows, key.slot)
    return (queriesSum({ queries }) - queriesSum(key)) * QUERY_PRICE_MICROS
  }

  /** The frame may be dated in a later month than the charges, which renews the cap. */
  booked(keys: readonly KeyRecord[]): void {
    for (const key of keys) if (key.capMicros !== null) this.setCap(key)
    if (this.listeners.isEmpty) return
    // The ledger reports a failure.
    this.untilDurable().then(
      () => this.listeners.notify([...new Set(keys.map(key => key.account.id))]),
      () => {},
    )
  }

  record(...events: LedgerEvent[]): Promise<void> {
    const durable = this.#ledger.record(...events)
    // Further events of a transaction concern the account or key opened by the first.
    const [first] = events
    if (!GIVING.has(first.kind)) renew(this, this.#live, first)
    return durable.then(() => {
      if (GIVING.has(first.kind)) renew(this, this.#live, first)
    })
  }

  async catchUp(): Promise<void> {}

  untilDurable(): Promise<void> {
    return this.#ledger.untilDurable()
  }

  async run<T>(command: () => Promise<T>): Promise<T> {
    return command()
  }

  /** Computes the rest of a cap that is asked for, after the clock was set or the key idle for months. */
  async lease({ key }: Shortfall): Promise<boolean> {
    this.setCap(this.book.key(key))
    return true
  }

  async close(): Promise<void> {}
}

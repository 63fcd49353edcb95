import type { AccountRecord, KeyRecord } from '../../ledger/book/record.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import {
  COUNTS,
  LINK,
  METER_THREADS_MAX,
  OWNER,
  ROW_CLASSES,
  ROW_WORDS,
  SLOT,
  SUM,
} from '../../ledger/meter/meter-layout.ts'
import { USAGE_CLASSES_COUNT } from '../../ledger/usage-rows.ts'
import { QUERY_PRICE_MICROS } from '../../limits.ts'
import { CHANGED_ROWS, HOLD_REFUSED, HOLDS, threadWord } from '../live/live-layout.ts'
import type { LiveState } from '../live/live-state.ts'

/** Numbers kept of each row: those of its counts that are in the ledger, and their sum. */
const READ_WORDS = ROW_CLASSES + 1
const READ_SUM = ROW_CLASSES
/** Of `OWNER`: the thread. */
const THREAD_BITS = 0xffff

/**
 * What the rows of all threads count beyond the ledger, on the ledger thread. A thread lists each of its rows once when it
 * changes; from then on the row waits here until its counts are moved into the ledger.
 */
export class Collector {
  readonly #ledger: Ledger
  readonly #live: LiveState
  /** Rows with counts that the ledger lacks. Only these may have their link cleared: the others are on a thread's list. */
  readonly waiting = new Set<number>()
  /** Whether threads still charge, and may take back what they hold. */
  #isLive = true
  #isHeldUp = false
  /** Rows of each key that has been charged, by slot. */
  readonly #rowsOf = new Map<number, number[]>()
  #isKnown = new Uint8Array(64)
  #read = new Float64Array(64 * READ_WORDS)

  constructor(ledger: Ledger, live: LiveState) {
    this.#ledger = ledger
    this.#live = live
  }

  /** Takes the lists of all threads. Costs some nanoseconds for each thread, and as much again for each changed row. */
  collect(): void {
    const { header } = this.#live
    for (let thread = 0; thread < METER_THREADS_MAX; thread++) {
      const head = threadWord(thread) + CHANGED_ROWS
      if (header[head] !== 0) this.#take(Atomics.exchange(header, head, 0))
    }
  }

  /** The rows of a key that wait. */
  waitingOf(key: KeyRecord): number[] {
    return (this.#rowsOf.get(key.slot) ?? []).filter(row => this.waiting.has(row))
  }

  /** Spend of a key that the ledger does not know. Exact while the account's lock is held. */
  aheadMicros(key: KeyRecord): number {
    this.collect()
    return this.#micros(this.waitingOf(key))
  }

  /** The same of all keys of an account. The lock is held for as long as a look at the keys that wait or at those that there are. */
  aheadOf({ slot, keys }: AccountRecord): number {
    this.collect()
    if (this.waiting.size > keys.length) return this.#micros(keys.flatMap(key => this.waitingOf(key)))
    const { book } = this.#ledger
    return this.#micros([...this.waiting].filter(row => book.key(this.slotOf(row)).account.slot === slot))
  }

  #micros(rows: readonly number[]): number {
    const { words } = this.#ledger.meter.rows
    let queries = 0
    for (const row of rows) queries += words[row * ROW_WORDS + SUM] - this.#read[row * READ_WORDS + READ_SUM]
    return queries * QUERY_PRICE_MICROS
  }

  /** Queries of a key by usage class, with those that the ledger does not know. */
  queries(key: KeyRecord): number[] {
    this.collect()
    const { queries } = key
    for (const row of this.waitingOf(key)) this.#eachAhead(row, (usage, ahead) => (queries[usage] += ahead))
    return queries
  }

  /** The slot of a row's key. */
  slotOf(row: number): number {
    return this.#ledger.meter.rows.words[row * ROW_WORDS + SLOT] - 1
  }

  /**
   * Adds what a waiting row counts beyond the ledger to `added`, by usage class. From now on it counts as in the ledger, and
   * the row no longer waits. The caller holds the account's lock.
   * @returns false when the row has to wait, because its thread may take a part of it back
   */
  move(row: number, added: number[]): boolean {
    const { words } = this.#ledger.meter.rows
    const word = row * ROW_WORDS
    const read = row * READ_WORDS
    if (this.#isHeld(words[word + OWNER] & THREAD_BITS)) return false
    this.waiting.delete(row)
    words[word + LINK] = 0
    this.#eachAhead(row, (usage, ahead) => (added[usage] += ahead))
    for (let column = 0; column < ROW_CLASSES; column++)
      this.#read[read + column] = words[word + COUNTS + column]
    this.#read[read + READ_SUM] = words[word + SUM]
    return true
  }

  /** Whether a row had to wait since this was last asked: it will not have to when its thread's turn has ended. */
  takeHeldUp(): boolean {
    const isHeldUp = this.#isHeldUp
    this.#isHeldUp = false
    return isHeldUp
  }

  #isHeld(thread: number): boolean {
    if (!this.#isLive) return false
    const { header } = this.#live
    const word = threadWord(thread)
    const isHeld = Atomics.load(header, word + HOLDS) === 1
    if (isHeld) this.#isHeldUp = true
    if (Atomics.load(header, word + HOLD_REFUSED) !== Number(isHeld))
      Atomics.store(header, word + HOLD_REFUSED, Number(isHeld))
    return isHeld
  }

  /** No thread charges any more, or takes anything back. One that has died may have left its rows held. */
  end(): void {
    this.#isLive = false
  }

  #eachAhead(row: number, act: (usage: number, ahead: number) => void): void {
    const { words } = this.#ledger.meter.rows
    const word = row * ROW_WORDS
    const firstClass = (words[word + OWNER] >> 16) * ROW_CLASSES
    for (let column = 0; column < ROW_CLASSES && firstClass + column < USAGE_CLASSES_COUNT; column++) {
      act(firstClass + column, words[word + COUNTS + column] - this.#read[row * READ_WORDS + column])
    }
  }

  #take(newest: number): void {
    const { words } = this.#ledger.meter.rows
    for (let row = newest; row > 0; row = words[row * ROW_WORDS + LINK]) {
      this.waiting.add(row)
      if (this.#isKnown[row] !== 1) this.#know(row)
    }
  }

  #know(row: number): void {
    if (row >= this.#isKnown.length) this.#grow(row)
    this.#isKnown[row] = 1
    const slot = this.slotOf(row)
    const rows = this.#rowsOf.get(slot)
    if (rows === undefined) this.#rowsOf.set(slot, [row])
    else rows.push(row)
  }

  #grow(row: number): void {
    const rows = Math.max(this.#isKnown.length * 2, row + 1)
    const isKnown = new Uint8Array(rows)
    isKnown.set(this.#isKnown)
    const read = new Float64Array(rows * READ_WORDS)
    read.set(this.#read)
    this.#isKnown = isKnown
    this.#read = read
  }
}

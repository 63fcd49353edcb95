import {
  BANKS,
  COUNTS,
  IDENTITY,
  IN_PROGRESS,
  LINK,
  OWNER,
  ownerOf,
  ROW_CLASSES,
  ROW_SUM_MAX,
  ROW_WORDS,
  SLOT,
  SUM,
} from '../../ledger/meter/meter-layout.ts'
import type { MeterRows } from '../../ledger/meter/meter-rows.ts'
import {
  AWAKE,
  CHANGED_ROWS,
  HOLD_REFUSED,
  HOLDS,
  KEY_IDENTITY,
  NEXT_ROW,
  threadWord,
} from '../live/live-layout.ts'
import type { LiveState } from '../live/live-state.ts'
import type { SharedKey } from './shared-key.ts'

/** Ends the list of changed rows. */
const END = -1

/**
 * The rows of the meter that one thread writes: one for each key that it has charged, opened at the first charge. The caller
 * holds the lock of the key's account, so that the ledger thread reads no row in the middle of a change.
 */
export class ThreadRows {
  readonly #rows: MeterRows
  readonly #live: LiveState
  readonly #thread: number
  /** Wakes the ledger thread. */
  readonly #wake: () => void
  /** By slot and bank: which of this thread's rows, counted from 1; 0: none yet. */
  #ordinals = new Int32Array(64)
  #count = 0
  /** By that number: the row, and by usage class the queries since the ledger thread has last read it. */
  #numbers = new Int32Array(64)
  #unread = new Int32Array(64 * ROW_CLASSES)

  constructor(rows: MeterRows, live: LiveState, thread: number, wake: () => void) {
    this.#rows = rows
    this.#live = live
    this.#thread = thread
    this.#wake = wake
  }

  /** From now on the ledger thread leaves these rows alone until `release`, unless it has refused to wait. */
  hold(): void {
    const { header } = this.#live
    const word = threadWord(this.#thread)
    if (Atomics.load(header, word + HOLD_REFUSED) === 0) Atomics.store(header, word + HOLDS, 1)
  }

  release(): void {
    Atomics.store(this.#live.header, threadWord(this.#thread) + HOLDS, 0)
  }

  /** Makes sure that `count` will have a row for the key. False when none is left; the ledger thread then makes more. */
  prepare(key: SharedKey, usage: number, queries: number): boolean {
    const ordinal = this.#ordinals[key.slot * BANKS + bankOf(usage)]
    // Undefined beyond the end of the array, which makes the comparison false.
    if (ordinal > 0 && this.#rows.words[this.#numbers[ordinal] * ROW_WORDS + SUM] <= ROW_SUM_MAX - queries)
      return true
    return this.#open(key, bankOf(usage))
  }

  /**
   * Counts queries: four stores into one cache line. The order matters: FORMAT.md says what a process that dies in between
   * leaves, and how a start distinguishes that from damage.
   */
  count(key: SharedKey, usage: number, queries: number): void {
    const bank = bankOf(usage)
    const ordinal = this.#ordinals[key.slot * BANKS + bank]
    const row = this.#numbers[ordinal]
    const { words } = this.#rows
    const word = row * ROW_WORDS
    const column = usage - bank * ROW_CLASSES
    words[word + IN_PROGRESS] = queries
    words[word + SUM] += queries
    words[word + COUNTS + column] += queries
    words[word + IN_PROGRESS] = 0
    if (words[word + LINK] === 0) this.#note(row, ordinal)
    this.#unread[ordinal * ROW_CLASSES + column] += queries
  }

  /**
   * Undoes `count`, or returns false when the ledger thread may have read it. The order of the stores is the mirror image,
   * so that a process that dies in between leaves what a charge in progress leaves: a sum that is ahead by those queries.
   */
  takeBack(key: SharedKey, usage: number, queries: number): boolean {
    const bank = bankOf(usage)
    const ordinal = this.#ordinals[key.slot * BANKS + bank]
    const { words } = this.#rows
    const word = this.#numbers[ordinal] * ROW_WORDS
    const column = usage - bank * ROW_CLASSES
    const unread = ordinal * ROW_CLASSES + column
    if (!(ordinal > 0) || words[word + LINK] === 0 || this.#unread[unread] < queries) return false
    words[word + IN_PROGRESS] = queries
    words[word + COUNTS + column] -= queries
    words[word + SUM] -= queries
    words[word + IN_PROGRESS] = 0
    this.#unread[unread] -= queries
    return true
  }

  /** Puts a row that has just changed on the list that the ledger thread takes as a whole. */
  #note(row: number, ordinal: number): void {
    this.#unread.fill(0, ordinal * ROW_CLASSES, (ordinal + 1) * ROW_CLASSES)
    const { header } = this.#live
    const head = threadWord(this.#thread) + CHANGED_ROWS
    for (;;) {
      const newest = Atomics.load(header, head)
      this.#rows.words[row * ROW_WORDS + LINK] = newest === 0 ? END : newest
      if (Atomics.compareExchange(header, head, newest, row) === newest) break
    }
    this.#wakeLedger()
  }

  #wakeLedger(): void {
    if (Atomics.exchange(this.#live.header, AWAKE, 1) === 0) this.#wake()
  }

  #open(key: SharedKey, bank: number): boolean {
    const row = takeRow(this.#live, this.#rows)
    // The charge may be refused, and then nothing else would wake the thread that makes rows.
    if (row === 0 || row + 1 === this.#rows.capacity) this.#wakeLedger()
    if (row === 0) return false
    const words = this.#rows.words.subarray(row * ROW_WORDS, (row + 1) * ROW_WORDS)
    words[OWNER] = ownerOf(this.#thread, bank)
    words[IDENTITY] = key.words[key.word + KEY_IDENTITY]
    words[SLOT] = key.slot + 1
    this.#count++
    this.#numbers = withRoom(this.#numbers, this.#count)
    this.#unread = withRoom(this.#unread, (this.#count + 1) * ROW_CLASSES)
    this.#ordinals = withRoom(this.#ordinals, key.slot * BANKS + bank)
    this.#numbers[this.#count] = row
    this.#ordinals[key.slot * BANKS + bank] = this.#count
    return true
  }
}

/** Takes the next unused row of the meter for the calling thread; 0 when it sees none. */
export function takeRow({ header }: LiveState, { capacity }: MeterRows): number {
  for (;;) {
    const row = Atomics.load(header, NEXT_ROW)
    if (row >= capacity) return 0
    if (Atomics.compareExchange(header, NEXT_ROW, row, row + 1) === row) return row
  }
}

function bankOf(usage: number): number {
  return usage < ROW_CLASSES ? 0 : Math.floor(usage / ROW_CLASSES)
}

function withRoom(array: Int32Array<ArrayBuffer>, index: number): Int32Array<ArrayBuffer> {
  if (index < array.length) return array
  const longer = new Int32Array(Math.max(array.length * 2, index + 1))
  longer.set(array)
  return longer
}

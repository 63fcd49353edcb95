/**
 * Counts by key in a table of fixed size that all threads share: connections and failed keys by address, charges taken back by
 * account. A key is 64 bits. Counts belong to an epoch, such as a minute; those of an earlier one are free room.
 *
 *   cells: lock | present epoch | high, low, epoch, count | high, low, epoch, count | …
 */
import { locked } from './lock.ts'

/** Rows that may hold a key, from the one that its hash points to. */
const PROBES_MAX = 16
const LOCK = 0
const PRESENT = 1
const FIRST_ROW = 2
const ROW_CELLS = 4
const HIGH = 0
const LOW = 1
const EPOCH = 2
const COUNT = 3
const HEX_DIGITS = 8

export class Tally {
  /** For another thread's `Tally`. */
  readonly memory: SharedArrayBuffer
  readonly #cells: Int32Array
  readonly #rowMask: number

  /** @param memory of `tallyMemory`, also of another thread */
  constructor(memory: SharedArrayBuffer) {
    this.memory = memory
    this.#cells = new Int32Array(memory)
    this.#rowMask = (this.#cells.length - FIRST_ROW) / ROW_CELLS - 1
  }

  /**
   * Adds `amount` to the count of `key`.
   * @param epoch a non-negative 32-bit integer; one later than the present one begins a new count of everything
   * @param max no more is added than leads to this count
   * @returns the count with `amount`, which is more than `max` when nothing was added; -1 when the table has no room for the key
   */
  add(key: TallyKey, epoch: number, amount: number, max = Number.POSITIVE_INFINITY): number {
    const cells = this.#cells
    return locked(cells, LOCK, () => {
      // Another thread may have seen the next minute a moment earlier.
      cells[PRESENT] = Math.max(1, cells[PRESENT], epoch)
      return this.#add(key, amount, max)
    })
  }

  /**
   * Begins the next epoch with what was found by counting otherwise, in one step. While that was done, `added` were added to some
   * keys, of which it may or may not know. So no key gets more than it had, or than was found of it and `added`. Costs a walk
   * through the table.
   */
  correct(found: Iterable<readonly [TallyKey, number]>, added: number): void {
    const cells = this.#cells
    locked(cells, LOCK, () => {
      const corrected: [TallyKey, number][] = []
      for (const [key, count] of found) {
        const row = this.#rowOf(key)
        const isKnown = row >= 0 && cells[row + EPOCH] === cells[PRESENT]
        corrected.push([key, isKnown ? Math.min(cells[row + COUNT], count + added) : count])
        if (isKnown) cells[row + COUNT] = 0
      }
      if (added > 0) corrected.push(...this.#countsUpTo(added))
      cells[PRESENT]++
      for (const [key, count] of corrected) this.#add(key, count, Number.POSITIVE_INFINITY)
    })
  }

  /** Every key with a count, which is `most` at most. */
  *#countsUpTo(most: number): Generator<[TallyKey, number]> {
    const cells = this.#cells
    for (let row = FIRST_ROW; row < cells.length; row += ROW_CELLS) {
      if (cells[row + EPOCH] !== cells[PRESENT] || cells[row + COUNT] === 0) continue
      yield [{ high: cells[row + HIGH], low: cells[row + LOW] }, Math.min(cells[row + COUNT], most)]
    }
  }

  #add(key: TallyKey, amount: number, max: number): number {
    const cells = this.#cells
    const row = this.#rowOf(key)
    if (row < 0) return -1
    const count = (cells[row + EPOCH] === cells[PRESENT] ? cells[row + COUNT] : 0) + amount
    if (count > max) return count
    cells[row + HIGH] = key.high
    cells[row + LOW] = key.low
    cells[row + EPOCH] = cells[PRESENT]
    cells[row + COUNT] = count
    return count
  }

  /** The row of the key, or else a free one, or -1. */
  #rowOf({ high, low }: TallyKey): number {
    const cells = this.#cells
    const epoch = cells[PRESENT]
    const hash = Math.imul(high ^ Math.imul(low, 0x9e3779b1), 0x85ebca6b)
    let free = -1
    for (let probe = 0; probe < PROBES_MAX; probe++) {
      const row = FIRST_ROW + (((hash >>> 7) + probe) & this.#rowMask) * ROW_CELLS
      if (cells[row + EPOCH] !== epoch) free = free < 0 ? row : free
      else if (cells[row + HIGH] === high && cells[row + LOW] === low) return row
    }
    return free
  }
}

/** Two halves of 64 bits, as signed integers. */
export interface TallyKey {
  readonly high: number
  readonly low: number
}

/** Memory of a tally with so many rows, a power of two. */
export function tallyMemory(rows: number): SharedArrayBuffer {
  return new SharedArrayBuffer((FIRST_ROW + rows * ROW_CELLS) * Int32Array.BYTES_PER_ELEMENT)
}

/** The key of an address of `addressKey`: 8 hex digits of IPv4, 16 of IPv6. No IPv6 network begins like the former. */
export function addressTallyKey(address: string): TallyKey {
  if (address.length <= HEX_DIGITS) return { high: 0xffff, low: hex(address) }
  return { high: hex(address.slice(0, HEX_DIGITS)), low: hex(address.slice(HEX_DIGITS)) }
}

function hex(digits: string): number {
  return Number.parseInt(digits, 16) | 0
}

/** The key of a text: FNV-1a over its characters, from two starts. */
export function textTallyKey(text: string): TallyKey {
  let high = 0x811c9dc5
  let low = 0x01000193
  for (let i = 0; i < text.length; i++) {
    high = Math.imul(high ^ text.charCodeAt(i), 0x01000193)
    low = Math.imul(low ^ text.charCodeAt(i), 0x01000193)
  }
  return { high, low }
}

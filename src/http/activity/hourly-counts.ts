/**
 * Counts by key and hour in a table of fixed size, with one writer: errors of accounts, and failed keys by their first characters.
 * Where all places of a new row are taken, the oldest of an earlier hour makes room; within an hour the first rows stay.
 *
 *   row: high | low | hour plus 1 | 5 counts
 */
import { ERROR_HOURS } from '../../limits.ts'
import type { TallyKey } from '../shared/tally.ts'

/** Counts of a row. */
export const COLUMNS = 5
export const HOUR_MS = 3_600_000

/** Rows that may hold a key, from the one that its hash points to. */
const PROBES_MAX = 16
const HIGH = 0
const LOW = 1
const HOUR = 2
const FIRST_COUNT = 3
const ROW_WORDS = 8

export class HourlyCounts {
  readonly #words: Int32Array
  readonly #rowMask: number

  /** @param memory of `hourlyMemory`, also of another thread */
  constructor(memory: SharedArrayBuffer) {
    this.#words = new Int32Array(memory)
    this.#rowMask = this.#words.length / ROW_WORDS - 1
  }

  /** Counts one in `column`. False when the table has no room for the key in this hour. */
  add(key: TallyKey, hour: number, column: number): boolean {
    const words = this.#words
    let row = this.#find(key, hour)
    if (row < 0) row = this.#begin(key, hour)
    if (row < 0) return false
    words[row + FIRST_COUNT + column]++
    return true
  }

  /** The count of `column` in one hour. */
  get(key: TallyKey, hour: number, column: number): number {
    const row = this.#find(key, hour)
    return row < 0 ? 0 : this.#words[row + FIRST_COUNT + column]
  }

  #find({ high, low }: TallyKey, hour: number): number {
    const words = this.#words
    const first = this.#firstRow(high, low, hour)
    for (let probe = 0; probe < PROBES_MAX; probe++) {
      const row = ((first + probe) & this.#rowMask) * ROW_WORDS
      if (words[row + HOUR] === hour + 1 && words[row + HIGH] === high && words[row + LOW] === low) return row
    }
    return -1
  }

  #begin({ high, low }: TallyKey, hour: number): number {
    const words = this.#words
    const first = this.#firstRow(high, low, hour)
    let oldest = -1
    for (let probe = 0; probe < PROBES_MAX; probe++) {
      const row = ((first + probe) & this.#rowMask) * ROW_WORDS
      if (oldest < 0 || words[row + HOUR] < words[oldest + HOUR]) oldest = row
    }
    const present = words[oldest + HOUR] - 1
    // A row of a later hour was left by a clock that has been set back since.
    if (present === hour) return -1
    words[oldest + HOUR] = 0
    words[oldest + HIGH] = high
    words[oldest + LOW] = low
    for (let column = 0; column < COLUMNS; column++) words[oldest + FIRST_COUNT + column] = 0
    words[oldest + HOUR] = hour + 1
    return oldest
  }

  #firstRow(high: number, low: number, hour: number): number {
    // Slots and hours are small numbers in a row: each step carries its high bits down to those that choose the row.
    let hash = Math.imul(high, 0x9e3779b1) ^ low
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b) ^ hour
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
    return (hash ^ (hash >>> 16)) >>> 0
  }
}

/** Memory of a table with so many rows, a power of two. */
export function hourlyMemory(rows: number): SharedArrayBuffer {
  return new SharedArrayBuffer(rows * ROW_WORDS * Int32Array.BYTES_PER_ELEMENT)
}

/** The hours that are shown, the present one last. */
export function shownHours(nowMs: number): number[] {
  const present = Math.floor(nowMs / HOUR_MS)
  return Array.from({ length: ERROR_HOURS }, (_, i) => present - ERROR_HOURS + 1 + i)
}

/** The key of some bytes: FNV-1a over them, from two starts. */
export function bytesKey(bytes: Uint8Array, length: number): TallyKey {
  let high = 0x811c9dc5
  let low = 0x01000193
  for (let i = 0; i < length; i++) {
    high = Math.imul(high ^ bytes[i], 0x01000193)
    low = Math.imul(low ^ bytes[i], 0x01000193)
  }
  return { high, low }
}

/**
 * The numbers of a book: a row of cells for each slot, outside the heap of JavaScript and never moved. Nearly all of a
 * replay adds to them, and reaches them from the slot alone. As fields of objects, those of hundreds of thousands of keys
 * cost a start as much time in the garbage collector as everything else together.
 */
import { FIRST_CLASSES } from '../usage-rows.ts'

/** Cells of a key. */
export const CREATED_MS = 0
export const REVOKED_MS = 1
/** The cap plus 1, so that 0 is no cap. */
export const CAP_MICROS_PLUS_1 = 2
/** Slot of the account plus 1, so that 0 is not a key. */
export const ACCOUNT_PLUS_1 = 3
export const LAST_USED_MS = 4
export const MONTH = 5
export const MONTH_SPENT_MICROS = 6
/** Queries of the first classes, and the spend. The few keys that use further classes keep those counts on the heap. */
export const QUERIES = 7
export const SPENT_MICROS = QUERIES + FIRST_CLASSES
/** The hour since 1970 that is not in the histories yet, with its queries of the first classes and its spend. */
export const HOUR = SPENT_MICROS + 1
export const HOUR_QUERIES = HOUR + 1
export const HOUR_SPENT_MICROS = HOUR_QUERIES + FIRST_CLASSES
/** Where the packed texts begin, and where the histories that a snapshot had begin and end. */
export const TEXTS_START = HOUR_SPENT_MICROS + 1
export const HISTORIES_START = TEXTS_START + 1
export const HISTORIES_END = HISTORIES_START + 1

/** Cells of an account. */
export const ACCOUNT_CREDITED_MICROS = 0
export const ACCOUNT_SPENT_MICROS = 1
export const ACCOUNT_DEBT_MICROS = 2

/** Cells of a row: three cache lines. */
const ROW_CELLS = 24
const CHUNK_ROWS = 256

export class Cells {
  readonly #chunks: Float64Array[] = []
  /** Rows from this one on were never taken: their cells are 0. */
  #unused = 0

  /** The cells among which the row of `slot` is. The slot is taken. */
  of(slot: number): Float64Array {
    return this.#chunks[Math.floor(slot / CHUNK_ROWS)]
  }

  /** Takes the next row, or sets all cells of one that was taken before to 0. Returns the cells among which it is. */
  clear(slot: number): Float64Array {
    if (slot > this.#unused) throw new Error(`slot ${slot} does not follow slot ${this.#unused - 1}`)
    if (slot === this.#unused) {
      this.#unused++
      if (slot % CHUNK_ROWS === 0) this.#chunks.push(new Float64Array(CHUNK_ROWS * ROW_CELLS))
      return this.of(slot)
    }
    return this.of(slot).fill(0, rowOf(slot), rowOf(slot) + ROW_CELLS)
  }
}

/** First cell of the row of `slot`. */
export function rowOf(slot: number): number {
  return (slot % CHUNK_ROWS) * ROW_CELLS
}

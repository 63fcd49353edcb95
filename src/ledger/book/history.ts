import { USAGE_CLASSES_COUNT } from '../event.ts'

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

/** Buckets kept per key: those with usage only, so any 48 hours and any 90 days are covered. */
export const HOURS_KEPT = 50
export const DAYS_KEPT = 92

/** Start index, queries by class, spend. */
const FIELDS = 1 + USAGE_CLASSES_COUNT + 1
const SPEND = FIELDS - 1

/**
 * Usage of one key by hour or by day, as the ledger's frames date it. Holds only buckets in which the key was used, the
 * newest `kept` of them: 56 bytes each, so a key used every hour for months takes at most 8 KB in both resolutions.
 */
export class History {
  /** Rows of FIELDS numbers, ascending by start index. */
  #rows: Float64Array
  #count: number
  readonly #bucketMs: number
  readonly #kept: number

  constructor(bucketMs: number, kept: number, rows: readonly number[] = []) {
    this.#bucketMs = bucketMs
    this.#kept = kept
    this.#rows = Float64Array.from(rows)
    this.#count = rows.length / FIELDS
  }

  /** Adds queries of one class. */
  addQueries(timeMs: number, usageClass: number, queries: number): void {
    const row = this.#rowAt(Math.floor(timeMs / this.#bucketMs))
    if (row >= 0) this.#rows[row + 1 + usageClass] = at(this.#rows, row + 1 + usageClass) + queries
  }

  addSpend(timeMs: number, micros: number): void {
    const row = this.#rowAt(Math.floor(timeMs / this.#bucketMs))
    if (row >= 0) this.#rows[row + SPEND] = at(this.#rows, row + SPEND) + micros
  }

  /** Calls `visit` with each bucket, oldest first. `queries` is valid during the call. */
  each(visit: (startMs: number, queries: Float64Array, spentMicros: number) => void): void {
    for (let row = 0; row < this.#count * FIELDS; row += FIELDS) {
      const queries = this.#rows.subarray(row + 1, row + 1 + USAGE_CLASSES_COUNT)
      visit(at(this.#rows, row) * this.#bucketMs, queries, at(this.#rows, row + SPEND))
    }
  }

  /** Every number, for a snapshot; the constructor takes them back. */
  toRows(): number[] {
    return Array.from(this.#rows.subarray(0, this.#count * FIELDS))
  }

  /** Offset of the bucket's row, made when missing; -1 when it is older than all that is kept. */
  #rowAt(index: number): number {
    let position = this.#count
    while (position > 0 && at(this.#rows, (position - 1) * FIELDS) > index) position--
    if (position > 0 && at(this.#rows, (position - 1) * FIELDS) === index) return (position - 1) * FIELDS
    if (this.#count === this.#kept) {
      if (position === 0) return -1
      this.#rows.copyWithin(0, FIELDS, position * FIELDS)
      position--
    } else {
      this.#reserve()
      this.#rows.copyWithin((position + 1) * FIELDS, position * FIELDS, this.#count * FIELDS)
      this.#count++
    }
    this.#rows.fill(0, position * FIELDS, (position + 1) * FIELDS)
    this.#rows[position * FIELDS] = index
    return position * FIELDS
  }

  #reserve(): void {
    if ((this.#count + 1) * FIELDS <= this.#rows.length) return
    const grown = new Float64Array(Math.min(Math.max(2, this.#count * 2), this.#kept) * FIELDS)
    grown.set(this.#rows)
    this.#rows = grown
  }
}

/** A read within the array's known length: the compiler cannot see the bound. */
function at(array: Float64Array, index: number): number {
  return array[index] ?? Number.NaN
}

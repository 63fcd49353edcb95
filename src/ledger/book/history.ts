import { USAGE_CLASSES_COUNT } from '../event.ts'
import { packRows, unpackRows } from './packed-rows.ts'

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

/** Buckets kept per key: those with usage only, so any 48 hours and any 90 days are covered. */
export const HOURS_KEPT = 50
export const DAYS_KEPT = 92

/** Start index, queries by class, spend. */
export const FIELDS = 1 + USAGE_CLASSES_COUNT + 1
const SPEND = FIELDS - 1

/** Shared by all keys that were never used. */
const NO_ROWS = new Float64Array(0)
const NO_BYTES = new Uint8Array(0)

/**
 * Usage of one key by hour or by day, as the ledger's frames date it. Holds only buckets in which the key was used, the
 * newest `kept` of them: 56 bytes each, so a key used every hour for months takes at most 8 KB in both resolutions. A
 * history that comes from a snapshot stays packed, in a tenth of that, until something asks for it.
 *
 * Frames are in the order of their sequence numbers, so a bucket more than a day ahead of the frame being applied was
 * dated by a clock that was wrong. Its usage moves to the bucket of that frame: it stays counted, and it does not keep
 * the space of buckets that are still to come.
 */
export class History {
  /** Rows of FIELDS numbers, ascending by start index. */
  #rows: Float64Array
  #count: number
  #packed: Uint8Array | null
  readonly #bucketMs: number
  readonly #kept: number

  /** `stored` is what `toPacked` returned, or plain rows, as the first format of snapshots has them. */
  constructor(bucketMs: number, kept: number, stored: Uint8Array | readonly number[] = NO_BYTES) {
    this.#bucketMs = bucketMs
    this.#kept = kept
    this.#packed = stored instanceof Uint8Array && stored.length > 0 ? stored : null
    this.#rows = stored instanceof Uint8Array || stored.length === 0 ? NO_ROWS : Float64Array.from(stored)
    this.#count = this.#rows.length / FIELDS
  }

  /** Adds queries of one class. */
  addQueries(timeMs: number, usageClass: number, queries: number): void {
    const row = this.#rowAt(Math.floor(timeMs / this.#bucketMs))
    if (row >= 0) this.#rows[row + 1 + usageClass] += queries
  }

  addSpend(timeMs: number, micros: number): void {
    const row = this.#rowAt(Math.floor(timeMs / this.#bucketMs))
    if (row >= 0) this.#rows[row + SPEND] += micros
  }

  /** Calls `visit` with each bucket, oldest first. `queries` is valid during the call. */
  each(visit: (startMs: number, queries: Float64Array, spentMicros: number) => void): void {
    this.#unpack()
    for (let row = 0; row < this.#count * FIELDS; row += FIELDS) {
      const queries = this.#rows.subarray(row + 1, row + 1 + USAGE_CLASSES_COUNT)
      visit(this.#rows[row] * this.#bucketMs, queries, this.#rows[row + SPEND])
    }
  }

  /** Spend of the buckets that start at or after `fromMs` and before `toMs`. */
  spentBetween(fromMs: number, toMs: number): number {
    let micros = 0
    this.each((startMs, _, spentMicros) => {
      if (startMs >= fromMs && startMs < toMs) micros += spentMicros
    })
    return micros
  }

  /** The history for a snapshot; the constructor takes it back. Costs nothing while it is packed. */
  toPacked(): Uint8Array {
    return this.#packed ?? packRows(this.#rows, this.#count)
  }

  #unpack(): void {
    if (this.#packed === null) return
    this.#rows = unpackRows(this.#packed)
    this.#count = this.#rows.length / FIELDS
    this.#packed = null
  }

  /** Offset of the bucket's row, made when missing; -1 when it is older than all that is kept. */
  #rowAt(index: number): number {
    this.#unpack()
    const latest = index + DAY_MS / this.#bucketMs
    if (this.#count > 0 && this.#rows[(this.#count - 1) * FIELDS] > latest) this.#foldAfter(latest, index)
    let position = this.#count
    while (position > 0 && this.#rows[(position - 1) * FIELDS] > index) position--
    if (position > 0 && this.#rows[(position - 1) * FIELDS] === index) return (position - 1) * FIELDS
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

  /** Moves all buckets after `latest` into the one at `index`. */
  #foldAfter(latest: number, index: number): void {
    const sums = new Float64Array(FIELDS)
    while (this.#count > 0 && this.#rows[(this.#count - 1) * FIELDS] > latest) {
      this.#count--
      for (let field = 1; field < FIELDS; field++) sums[field] += this.#rows[this.#count * FIELDS + field]
    }
    // At least one row has just become free, so there is room for this one.
    const row = this.#rowAt(index)
    for (let field = 1; field < FIELDS; field++) this.#rows[row + field] += sums[field]
  }

  #reserve(): void {
    if ((this.#count + 1) * FIELDS <= this.#rows.length) return
    const grown = new Float64Array(Math.min(Math.max(2, this.#count * 2), this.#kept) * FIELDS)
    grown.set(this.#rows.subarray(0, this.#count * FIELDS))
    this.#rows = grown
  }
}

import {
  appendedBytesMax,
  lastIndex,
  packRows,
  ROW_FIELDS,
  ROW_SPEND,
  unpackRows,
  writeAppended,
} from './packed-rows.ts'

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

/** Buckets kept per key: those with usage only, so any 48 hours and any 90 days are covered. */
export const HOURS_KEPT = 50
export const DAYS_KEPT = 92

/** Rows that gather unpacked, at 96 bytes each. A key that is used without a pause is packed again every so many hours. */
const RECENT_ROWS_MAX = 3

/**
 * Usage of one key by hour or by day, as the ledger's frames date it. Holds only buckets in which the key was used, the
 * newest `kept` of them. All but the most recent ones are packed, as a snapshot stores them: 142 full buckets of a key
 * take about 1 KB instead of 8, and a start does not have to unpack them.
 *
 * Frames are in the order of their sequence numbers, so a bucket more than a day ahead of the frame being applied was
 * dated by a clock that was wrong. Its usage moves to the bucket of that frame: it stays counted, and it does not keep
 * the space of buckets that are still to come.
 */
export class History {
  /** The older rows are `#bytes[#start, #end)`. The start index of the last of them: -1 for none, null while not read. */
  #bytes: Uint8Array
  #start: number
  #end: number
  #packedLast: number | null = null
  /** The newer rows, ascending. The first may continue the last packed one, of the same start index. */
  #recent: number[] = NO_ROWS
  readonly #bucketMs: number
  readonly #kept: number

  /** `bytes[start, end)` is what `toPacked` returned; it must not change any more. */
  constructor(bucketMs: number, kept: number, bytes: Uint8Array = NO_BYTES, start = 0, end = bytes.length) {
    this.#bucketMs = bucketMs
    this.#kept = kept
    this.#bytes = bytes
    this.#start = start
    this.#end = end
  }

  /** Adds queries of one class. Cost: some nanoseconds, and microseconds when rows are packed again. */
  addQueries(timeMs: number, usageClass: number, queries: number): void {
    this.#add(Math.floor(timeMs / this.#bucketMs), 1 + usageClass, queries)
  }

  addSpend(timeMs: number, micros: number): void {
    this.#add(Math.floor(timeMs / this.#bucketMs), ROW_SPEND, micros)
  }

  /** Calls `visit` with each bucket, oldest first. */
  each(visit: (startMs: number, queries: readonly number[], spentMicros: number) => void): void {
    const rows = this.#rows()
    for (let row = 0; row < rows.length; row += ROW_FIELDS) {
      visit(rows[row] * this.#bucketMs, rows.slice(row + 1, row + ROW_SPEND), rows[row + ROW_SPEND])
    }
  }

  /** Spend of the buckets that start at or after `fromMs` and before `toMs`. */
  spentBetween(fromMs: number, toMs: number): number {
    this.#packedLast ??= lastIndex(this.#bytes, this.#start, this.#end)
    // At the turn of a month nothing needs to be unpacked.
    const rows = this.#packedLast * this.#bucketMs < fromMs ? this.#recent : this.#rows()
    let micros = 0
    for (let row = 0; row < rows.length; row += ROW_FIELDS) {
      const startMs = rows[row] * this.#bucketMs
      if (startMs >= fromMs && startMs < toMs) micros += rows[row + ROW_SPEND]
    }
    return micros
  }

  /** The packed history; the constructor takes it back. Costs nothing when nothing was added. */
  toPacked(): Uint8Array {
    this.#packRecent()
    return this.#bytes.subarray(this.#start, this.#end)
  }

  /** No fewer bytes than `writeTo` writes. */
  get bytesMax(): number {
    return appendedBytesMax(this.#end - this.#start, this.#recent)
  }

  /** Writes what `toPacked` returns to `target` and returns where it ends. Changes nothing and leaves no garbage. */
  writeTo(target: Uint8Array, offset: number): number {
    const packed = { bytes: this.#bytes, start: this.#start, end: this.#end }
    if (this.#recent.length > 0) return writeAppended(target, offset, packed, this.#recent, this.#kept)
    target.set(this.#bytes.subarray(this.#start, this.#end), offset)
    return offset + this.#end - this.#start
  }

  /** Adds to one field of the bucket at `index`, which is nearly always the newest. */
  #add(index: number, field: number, amount: number): void {
    const recent = this.#recent
    const row = recent.length - ROW_FIELDS
    if (row >= 0 && recent[row] === index) recent[row + field] += amount
    else this.#addElsewhere(index, field, amount)
  }

  #addElsewhere(index: number, field: number, amount: number): void {
    this.#packedLast ??= lastIndex(this.#bytes, this.#start, this.#end)
    const count = this.#recent.length
    const newest = count > 0 ? this.#recent[count - ROW_FIELDS] : this.#packedLast
    if (newest > index) return this.#addLate(index, field, amount)
    // The newest bucket of all, or one that continues the last packed one.
    if (count === RECENT_ROWS_MAX * ROW_FIELDS) this.#packRecent()
    if (this.#recent === NO_ROWS) this.#recent = []
    this.#recent.push(index)
    for (let empty = 1; empty < ROW_FIELDS; empty++) this.#recent.push(0)
    this.#recent[this.#recent.length - ROW_FIELDS + field] += amount
  }

  /** The slow path of a bucket before the newest one. When it is older than all that are kept, it is not kept either. */
  #addLate(index: number, field: number, amount: number): void {
    const rows = this.#rows()
    const latest = index + DAY_MS / this.#bucketMs
    const ahead = new Array<number>(ROW_FIELDS).fill(0)
    while (rows.length > 0 && rows[rows.length - ROW_FIELDS] > latest)
      addFields(ahead, 0, rows.splice(-ROW_FIELDS))
    ahead[field] += amount
    let row = rows.length
    while (row > 0 && rows[row - ROW_FIELDS] > index) row -= ROW_FIELDS
    if (row === 0 || rows[row - ROW_FIELDS] !== index) rows.splice(row, 0, ...emptyRow(index))
    else row -= ROW_FIELDS
    addFields(rows, row, ahead)
    this.#replaceWith(packRows(rows.slice(-this.#kept * ROW_FIELDS)))
  }

  /** All rows that are kept. */
  #rows(): number[] {
    const rows = unpackRows(this.#bytes, this.#start, this.#end)
    let recent: readonly number[] = this.#recent
    if (rows.length > 0 && recent.length > 0 && rows[rows.length - ROW_FIELDS] === recent[0]) {
      addFields(rows, rows.length - ROW_FIELDS, recent)
      recent = recent.slice(ROW_FIELDS)
    }
    for (const number of recent) rows.push(number)
    return rows.length > this.#kept * ROW_FIELDS ? rows.slice(-this.#kept * ROW_FIELDS) : rows
  }

  #packRecent(): void {
    if (this.#recent.length === 0) return
    const bytes = new Uint8Array(this.bytesMax)
    this.#replaceWith(bytes.slice(0, this.writeTo(bytes, 0)))
  }

  #replaceWith(bytes: Uint8Array): void {
    this.#bytes = bytes
    this.#start = 0
    this.#end = bytes.length
    this.#packedLast = null
    this.#recent = NO_ROWS
  }
}

/** Shared by all keys that were never used. */
const NO_ROWS: number[] = []
const NO_BYTES = new Uint8Array(0)

function emptyRow(index: number): number[] {
  const row = new Array<number>(ROW_FIELDS).fill(0)
  row[0] = index
  return row
}

/** Adds the counts and the spend of the first row of `added` to those of the row at `row`. */
function addFields(rows: number[], row: number, added: readonly number[]): void {
  for (let field = 1; field < ROW_FIELDS; field++) rows[row + field] += added[field]
}

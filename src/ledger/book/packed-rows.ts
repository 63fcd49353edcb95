/**
 * The rows of a history in a tenth of their bytes: first the start index of the last row, then for each row the distance
 * of its start index from the previous row's (the first from 0), a number with one bit per usage class that has queries,
 * those counts, and the spend. All numbers are unsigned LEB128: seven bits a byte, lowest first, the top bit set in all
 * bytes but the last. No rows are no bytes.
 */
import { USAGE_CLASSES_COUNT } from '../usage-rows.ts'

/** A row: start index, queries by class, spend. */
export const ROW_FIELDS = 1 + USAGE_CLASSES_COUNT + 1
export const ROW_SPEND = ROW_FIELDS - 1

/** Of one number: a safe integer has 53 bits. */
const NUMBER_BYTES_MAX = 8
/** Its fields, and its bits. */
const ROW_BYTES_MAX = (ROW_FIELDS + 1) * NUMBER_BYTES_MAX

const NO_BYTES = new Uint8Array(0)

/** Packs rows of non-negative safe integers, ascending by start index. Cost: about 50 ns a row. */
export function packRows(rows: readonly number[]): Uint8Array {
  if (rows.length === 0) return NO_BYTES
  const bytes = scratch(appendedBytesMax(0, rows))
  const end = writeNumber(bytes, 0, rows[rows.length - ROW_FIELDS])
  return bytes.slice(0, writeRows(bytes, end, 0, rows))
}

/** No fewer bytes than `writeAppended` writes for `packedBytes` bytes and these rows. */
export function appendedBytesMax(packedBytes: number, rows: readonly number[]): number {
  return packedBytes + 2 * NUMBER_BYTES_MAX + (rows.length / ROW_FIELDS) * ROW_BYTES_MAX
}

/**
 * Writes the rows in `bytes[start, end)` and after them `rows`, at least one, the newest `kept` in all, to `target` from
 * `offset` on. Returns where they end. The first of `rows` may continue the last packed one, of the same start index; none
 * is before it. Packed rows are copied and not unpacked, which costs a tenth. @throws Error when they end within a row
 */
export function writeAppended(
  target: Uint8Array,
  offset: number,
  { bytes, start, end }: Packed,
  rows: readonly number[],
  kept: number,
): number {
  const at = writeNumber(target, offset, rows[rows.length - ROW_FIELDS])
  const cursor = { bytes, offset: start, end }
  const newest = start === end ? -1 : readNumber(cursor)
  const first = cursor.offset
  let last = first
  let beforeLast = 0
  let copied = 0
  for (let index = 0; cursor.offset < end; copied++) {
    last = cursor.offset
    beforeLast = index
    index += readNumber(cursor)
    skipFields(cursor)
  }
  let added = rows
  let previous = Math.max(0, newest)
  if (newest === rows[0]) {
    added = addRowAt({ bytes, offset: last, end }, rows)
    cursor.end = last
    previous = beforeLast
    copied--
  }
  const dropped = copied + added.length / ROW_FIELDS - kept
  if (dropped >= copied) return writeRows(target, at, 0, added.slice(-kept * ROW_FIELDS))
  cursor.offset = first
  return writeRows(target, copyRows(target, at, cursor, dropped), previous, added)
}

/** Rows as they are packed: `bytes[start, end)`. */
export interface Packed {
  bytes: Uint8Array
  start: number
  end: number
}

/** Copies all rows from the cursor on but the first `dropped`. Returns where they end. */
function copyRows(target: Uint8Array, offset: number, cursor: RowCursor, dropped: number): number {
  let at = offset
  if (dropped > 0) {
    let index = 0
    for (let row = 0; row < dropped; row++) {
      index += readNumber(cursor)
      skipFields(cursor)
    }
    // The first row that is kept has its distance from 0.
    at = writeNumber(target, at, index + readNumber(cursor))
  }
  target.set(cursor.bytes.subarray(cursor.offset, cursor.end), at)
  return at + cursor.end - cursor.offset
}

/** A copy of `rows` to whose first row the fields of the packed row at the cursor are added. */
function addRowAt(cursor: RowCursor, rows: readonly number[]): number[] {
  const added = rows.slice()
  readNumber(cursor)
  const bits = readNumber(cursor)
  for (let usage = 0; usage < USAGE_CLASSES_COUNT; usage++) {
    if ((bits >> usage) & 1) added[1 + usage] += readNumber(cursor)
  }
  added[ROW_SPEND] += readNumber(cursor)
  return added
}

/** Writes rows, the first of which has its distance from `previous`. Returns where they end. */
function writeRows(bytes: Uint8Array, offset: number, previous: number, rows: readonly number[]): number {
  let end = offset
  let before = previous
  for (let row = 0; row < rows.length; row += ROW_FIELDS) {
    end = writeNumber(bytes, end, rows[row] - before)
    before = rows[row]
    let bits = 0
    for (let usage = 0; usage < USAGE_CLASSES_COUNT; usage++) {
      if (rows[row + 1 + usage] > 0) bits |= 1 << usage
    }
    end = writeNumber(bytes, end, bits)
    for (let usage = 0; usage < USAGE_CLASSES_COUNT; usage++) {
      if (rows[row + 1 + usage] > 0) end = writeNumber(bytes, end, rows[row + 1 + usage])
    }
    end = writeNumber(bytes, end, rows[row + ROW_SPEND])
  }
  return end
}

/** The rows in `bytes[start, end)`. @throws Error when they end within a row. Cost: about 50 ns a row. */
export function unpackRows(bytes: Uint8Array, start: number, end: number): number[] {
  const rows: number[] = []
  if (start === end) return rows
  const cursor = { bytes, offset: start, end }
  readNumber(cursor)
  let index = 0
  while (cursor.offset < end) {
    index += readNumber(cursor)
    rows.push(index)
    const bits = readNumber(cursor)
    for (let usage = 0; usage < USAGE_CLASSES_COUNT; usage++) {
      rows.push((bits >> usage) & 1 ? readNumber(cursor) : 0)
    }
    rows.push(readNumber(cursor))
  }
  return rows
}

/** Start index of the last row in `bytes[start, end)`, or -1 when there is none. Costs one number. */
export function lastIndex(bytes: Uint8Array, start: number, end: number): number {
  return start === end ? -1 : readNumber({ bytes, offset: start, end })
}

/** Reused: a snapshot packs the histories of hundreds of thousands of keys. */
let reused = new Uint8Array(0)

function scratch(bytes: number): Uint8Array {
  if (reused.length < bytes) reused = new Uint8Array(bytes)
  return reused
}

function writeNumber(bytes: Uint8Array, offset: number, number: number): number {
  let rest = number
  while (rest >= 0x80) {
    bytes[offset++] = (rest % 0x80) | 0x80
    rest = Math.floor(rest / 0x80)
  }
  bytes[offset++] = rest
  return offset
}

interface RowCursor {
  readonly bytes: Uint8Array
  offset: number
  end: number
}

/** Passes the fields of a row after its distance. */
function skipFields(cursor: RowCursor): void {
  const { bytes, end } = cursor
  const bits = readNumber(cursor)
  let { offset } = cursor
  // As many numbers as there are bits, and the spend.
  for (let rest = bits | (1 << USAGE_CLASSES_COUNT); rest !== 0; rest &= rest - 1) {
    while (offset < end && bytes[offset] >= 0x80) offset++
    if (offset >= end) throw new Error(CUT)
    offset++
  }
  cursor.offset = offset
}

const CUT = 'a packed history ends within a row'

function readNumber(cursor: RowCursor): number {
  let number = 0
  for (let weight = 1; ; weight *= 0x80) {
    if (cursor.offset >= cursor.end) throw new Error(CUT)
    const byte = cursor.bytes[cursor.offset++]
    number += (byte & 0x7f) * weight
    if (byte < 0x80) return number
  }
}

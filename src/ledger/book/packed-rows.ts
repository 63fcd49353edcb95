/**
 * The rows of a history in a tenth of their bytes: first the start index of the last row, then for each row the distance
 * of its start index from the previous row's (the first from 0), a byte with one bit per usage class that has queries,
 * those counts, and the spend. All numbers but the bits are unsigned LEB128: seven bits a byte, lowest first, the top bit
 * set in all bytes but the last. No rows are no bytes.
 */
import { USAGE_CLASSES_COUNT } from '../event.ts'

/** A row: start index, queries by class, spend. */
export const ROW_FIELDS = 1 + USAGE_CLASSES_COUNT + 1
export const ROW_SPEND = ROW_FIELDS - 1

/** Of one number: a safe integer has 53 bits. */
const NUMBER_BYTES_MAX = 8
const ROW_BYTES_MAX = 1 + ROW_FIELDS * NUMBER_BYTES_MAX

const NO_BYTES = new Uint8Array(0)

/** Packs rows of non-negative safe integers, ascending by start index. Cost: about 50 ns a row. */
export function packRows(rows: readonly number[]): Uint8Array {
  if (rows.length === 0) return NO_BYTES
  const bytes = scratch(NUMBER_BYTES_MAX + (rows.length / ROW_FIELDS) * ROW_BYTES_MAX)
  let end = writeNumber(bytes, 0, rows[rows.length - ROW_FIELDS])
  let previous = 0
  for (let row = 0; row < rows.length; row += ROW_FIELDS) {
    end = writeNumber(bytes, end, rows[row] - previous)
    previous = rows[row]
    const bits = end++
    bytes[bits] = 0
    for (let usage = 0; usage < USAGE_CLASSES_COUNT; usage++) {
      const queries = rows[row + 1 + usage]
      if (queries === 0) continue
      bytes[bits] |= 1 << usage
      end = writeNumber(bytes, end, queries)
    }
    end = writeNumber(bytes, end, rows[row + ROW_SPEND])
  }
  return bytes.slice(0, end)
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
    const bits = bytes[cursor.offset++]
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

function readNumber(cursor: { bytes: Uint8Array; offset: number; end: number }): number {
  let number = 0
  for (let weight = 1; ; weight *= 0x80) {
    if (cursor.offset >= cursor.end) throw new Error('a packed history ends within a row')
    const byte = cursor.bytes[cursor.offset++]
    number += (byte & 0x7f) * weight
    if (byte < 0x80) return number
  }
}

/** Where things are in the meter, in cells of 8 bytes (f64). FORMAT.md has the tables. */
import { crc32 } from 'node:zlib'
import { USAGE_CLASSES_MAX } from '../../limits.ts'
import { type MemoryHandle, memoryAt } from '../../platform/shared-memory.ts'
import { SECOND_MS } from '../../platform/time.ts'
import { damage, type LedgerError, REMEDY_METER } from '../ledger-error.ts'

export const METER_MAGIC = 'PTMETER1'
export const METER_VERSION = 1
export const CELL_BYTES = 8

/** Bytes at the start of the header that change only when the file is opened. */
export const CONSTANT_BYTES = 64
export const HEADER_BYTES = 4096
/** Cell of the header: the last durable sequence number. */
export const DURABLE_SEQUENCE = 8
export const ROWS = 9
/** Cell of the header: latest time that the service has seen. */
export const CLOCK_MS = 10

/** Cell of a row with a CRC of the id of its account or key. */
export const IDENTITY = 0
/** Cell of a row: uses of the leased minute by all nodes of a fleet. */
export const LEASED_MINUTE = 1
/** First cell of each window. A window has two: the minute, hour or day since 1970, and the queries in it. */
export const MINUTE = 2
export const HOUR = 4
export const DAY = 6
export const WINDOW_CELLS = 6
/** First of the cells with queries so far of each usage class, as `storedCount` says. */
export const COUNTS = 8
export const ROW_CELLS = COUNTS + USAGE_CLASSES_MAX
export const ROW_BYTES = ROW_CELLS * CELL_BYTES

/**
 * Distance of two stored counts. No single wrong bit leads from one stored count to another. In the mantissa it adds or subtracts a power
 * of two, and 683 is odd. In the exponent it multiplies by 2^m, where m is a power of two; a remainder of 1 stays only if 22 divides m.
 */
export const COUNT_STEP = 683

/** A count as a cell holds it: `n` is 683n + 1, so that damage shows; none at all is 0. */
export function storedCount(queries: number): number {
  return queries === 0 ? 0 : queries * COUNT_STEP + 1
}

export function countOf(stored: number): number {
  return stored === 0 ? 0 : (stored - 1) / COUNT_STEP
}

export function isStoredCount(stored: number): boolean {
  return stored === 0 || (Number.isSafeInteger(stored) && stored > 0 && stored % COUNT_STEP === 1)
}

/** Marks a row as that of one account or key; never 0. */
export function rowIdentity({ id }: { id: string }): number {
  return crc32(id) || 1
}

export interface MeterHeader {
  ledgerId: Buffer
  priceMicros: number
}

export function encodeMeterHeader({ ledgerId, priceMicros }: MeterHeader): Buffer {
  const bytes = Buffer.alloc(CONSTANT_BYTES)
  bytes.write(METER_MAGIC, 0, 'latin1')
  bytes.writeUInt32LE(METER_VERSION, 8)
  bytes.writeUInt32LE(ROW_BYTES, 12)
  ledgerId.copy(bytes, 16)
  bytes.writeUInt32LE(priceMicros, 32)
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 60)), 60)
  return bytes
}

export function meterDamage(file: string, offset: number, found: string, expected: string): LedgerError {
  return damage(file, offset, found, expected, REMEDY_METER)
}

/** The mapped meter as one thread sees it. Row `r` begins at cell `r * ROW_CELLS`. */
export class MeterRows {
  readonly header: Float64Array
  readonly cells: Float64Array

  constructor(memory: ArrayBufferLike) {
    this.header = new Float64Array(memory, 0, HEADER_BYTES / CELL_BYTES)
    this.cells = new Float64Array(memory, HEADER_BYTES, (memory.byteLength - HEADER_BYTES) >>> 3)
  }

  static async at(handle: MemoryHandle): Promise<MeterRows> {
    return new MeterRows((await memoryAt(handle)).buffer)
  }

  /** Notes the latest time that a thread has counted at, to a second: otherwise all threads would write the cell all the time. */
  noteTime(timeMs: number): void {
    if (Math.abs(timeMs - this.header[CLOCK_MS]) >= SECOND_MS) this.header[CLOCK_MS] = timeMs
  }
}

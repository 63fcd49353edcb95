/** Layout of the meter, in cells of 8 bytes (f64). FORMAT.md has the tables. */
import { crc32 } from 'node:zlib'
import { type MemoryHandle, memoryAt } from '../../../platform/shared-memory.ts'
import { DAY_MS, SECOND_MS } from '../../../platform/time.ts'
import { damage, type LedgerError, REMEDY_METER } from '../ledger-error.ts'

/** Maximum number of usage classes in the ledger. The table of endpoints names the used ones. */
export const USAGE_CLASSES_MAX = 16

export const METER_MAGIC = 'PTMETER1'
export const METER_VERSION = 1
export const CELL_BYTES = 8

/** Bytes at the start of the header that are written only at a start. */
export const CONSTANT_BYTES = 64
export const HEADER_BYTES = 4096
/** Offset of the ledger id, which has 16 bytes. */
export const LEDGER_ID_OFFSET = 16
/** Cells of the header. */
export const METER = {
  durableSequence: 8,
  rows: 9,
  /** Latest time that the service has seen. */
  clockMs: 10,
  /** Time from which the clock last went back by more than a day; 0 if it never did. */
  backFromMs: 11,
  /** Time to which it went back. */
  backToMs: 12,
} as const
/** A constant of its own, since each request with limits reads it. */
const CLOCK_MS = METER.clockMs

/** Cell of a row: CRC of the id of its account or key. */
export const IDENTITY = 0
/** First of six cells: the minute, the hour and the day since 1970, each followed by its queries. */
export const MINUTE_CELL = 2
export const METER_WINDOWS_CELLS = 6
/** First of the cells with the queries of each usage class, in the form of `storedCount`. */
export const COUNTS = 8
export const ROW_CELLS = COUNTS + USAGE_CLASSES_MAX
export const ROW_BYTES = ROW_CELLS * CELL_BYTES

/**
 * Distance of two stored counts. A single wrong bit never turns one stored count into another. In the
 * mantissa, it adds or subtracts a power of two, and 683 is odd. In the exponent, it multiplies by 2^m, m a
 * power of two: a remainder of 1 stays only if 22 divides m.
 */
const COUNT_STEP = 683

/** Returns the form of a count in a cell: 683n + 1, so that damage shows; 0 for none. */
export function storedCount(queries: number): number {
  return queries === 0 ? 0 : queries * COUNT_STEP + 1
}

export function addToCount(stored: number, queries: number): number {
  return (stored || 1) + queries * COUNT_STEP
}

export function countOf(stored: number): number {
  return stored === 0 ? 0 : (stored - 1) / COUNT_STEP
}

export function isStoredCount(stored: number): boolean {
  return stored === 0 || (Number.isSafeInteger(stored) && stored > 0 && stored % COUNT_STEP === 1)
}

/** Returns the identity of the row of an account or key, never 0. */
export function rowIdentity({ id }: { id: string }): number {
  return crc32(id) || 1
}

export function meterDamage(file: string, offset: number, found: string, expected: string): LedgerError {
  return damage(file, offset, found, expected, REMEDY_METER)
}

/** Mapped meter on one thread. Row `r` begins at cell `r * ROW_CELLS`. */
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

  /** Notes the time of a count, to a second to spare writes, and a clock that has gone back. */
  noteTime(timeMs: number): void {
    const { header } = this
    const lastMs = header[CLOCK_MS]
    if (Math.abs(timeMs - lastMs) < SECOND_MS) return
    if (lastMs - timeMs > DAY_MS) {
      header[METER.backFromMs] = lastMs
      header[METER.backToMs] = timeMs
    }
    header[METER.clockMs] = timeMs
  }
}

/** Returns the queries of a key by usage class. */
export function meteredQueries({ cells }: MeterRows, slot: number): number[] {
  const first = slot * ROW_CELLS + COUNTS
  return Array.from({ length: USAGE_CLASSES_MAX }, (_, usage) => countOf(cells[first + usage]))
}

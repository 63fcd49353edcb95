/**
 * Where things are in the meter: words of 4 bytes (i32) and cells of 8 bytes (f64) over the same memory; FORMAT.md has the
 * tables. The writer, the reader and the request path share this file.
 */
import { crc32 } from 'node:zlib'
import type { AccountRecord, KeyRecord } from '../book/record.ts'
import { type Finding, LedgerError } from '../errors.ts'
import { USAGE_CLASSES_COUNT } from '../usage-rows.ts'

export const METER_MAGIC = 'PTMETER1'
/** Version 2 has no windows of keys; all else is as it was. */
export const METER_VERSION = 3
export const WORD_BYTES = 4
export const CELL_BYTES = 8

/** Constant bytes, then what changes while the service runs, then a line for the clock of each thread. */
export const CONSTANT_BYTES = 64
export const HEADER_BYTES = 8192
/** Cells of the header. */
export const DURABLE_SEQUENCE = 8
export const ROWS_CAPACITY = 9
export const CLOCKS = 16
const CLOCK_CELLS = 8
/** Threads that can charge, the ledger thread included. */
export const METER_THREADS_MAX = 126

/** Cell of the latest time that a thread has seen: a cache line of its own for each thread. */
export function clockCell(thread: number): number {
  return CLOCKS + thread * CLOCK_CELLS
}

export const ROW_BYTES = 64
export const ROW_WORDS = ROW_BYTES / WORD_BYTES
export const ROW_CELLS = ROW_BYTES / CELL_BYTES

/** Words of a row: whose it is; then, of a key's, the sum of its counts, the charge in progress, the list of changed rows, the counts. */
export const SLOT = 0
export const OWNER = 1
export const IDENTITY = 2
export const SUM = 3
export const IN_PROGRESS = 4
export const LINK = 5
export const COUNTS = 6
/** Usage classes of one row; a key with further classes has a row for each bank of so many. */
export const ROW_CLASSES = ROW_WORDS - COUNTS
export const BANKS = Math.ceil(USAGE_CLASSES_COUNT / ROW_CLASSES)
/** The largest sum of a row. A thread that would exceed it goes on in a new row. */
export const ROW_SUM_MAX = 2 ** 31 - 1

/** `OWNER` of the windows of an account, and of those of a key: whoever holds the account's lock writes them. */
export const WINDOWS = -1
export const KEY_WINDOWS = -2
/** Cells of windows: window and count, three times. */
export const MINUTE = 2
export const HOUR = 4
export const DAY = 6

/** `OWNER` of a key's row: the thread that writes it, and its bank of usage classes. */
export function ownerOf(thread: number, bank: number): number {
  return thread | (bank << 16)
}

export const REMEDY_METER =
  'Restore the folder from one backup; or move the file `meter` away to start from the ledger alone, which loses ' +
  'only charges of the last moments before the last crash, in the customers’ favour.'

export interface MeterHeader {
  ledgerId: Buffer
  priceMicros: number
}

/** The counts of the ledger at the moment at which the meter was made. */
export interface BaseHeader {
  classes: number
  entries: number
  crc: number
}

/** Bytes of the base: for each key that was ever used its slot, its identity and its counts, each an f64. */
export function baseBytes({ entries, classes }: { entries: number; classes: number }): number {
  return entries * (2 + classes) * CELL_BYTES
}

/** Where the rows begin: at a page, so that each is in one cache line. */
export function rowsOffset(base: { entries: number; classes: number }): number {
  return Math.ceil((HEADER_BYTES + baseBytes(base)) / 4096) * 4096
}

/** Marks a row as that of one key or account; never 0. A key's comes from the hash of its first secret, which is random already. */
export function rowIdentity(record: AccountRecord | KeyRecord): number {
  return record.type === 'account' ? crc32(record.id) | 0 || 1 : record.identity
}

/** The 64 constant bytes at the start of the file. */
export function encodeMeterHeader({ ledgerId, priceMicros }: MeterHeader, base: BaseHeader): Buffer {
  const bytes = Buffer.alloc(CONSTANT_BYTES)
  bytes.write(METER_MAGIC, 0, 'latin1')
  bytes.writeUInt32LE(METER_VERSION, 8)
  bytes.writeUInt32LE(ROW_BYTES, 12)
  ledgerId.copy(bytes, 16)
  bytes.writeUInt32LE(priceMicros, 32)
  bytes.writeUInt32LE(base.classes, 36)
  bytes.writeUInt32LE(base.entries, 40)
  bytes.writeUInt32LE(base.crc, 44)
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 60)), 60)
  return bytes
}

export function meterDamage(file: string, offset: number, found: string, expected: string): LedgerError {
  const finding: Finding = { file, offset, found, expected, remedy: REMEDY_METER }
  return new LedgerError('DAMAGED', finding)
}

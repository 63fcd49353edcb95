/** Writes the meter that a start begins with: the counts of the recovered book, the windows of the old meter, unused rows. */
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Book } from '../book/book.ts'
import type { AccountRecord, KeyRecord } from '../book/record.ts'
import type { FileSystem } from '../disk/file-system.ts'
import { METER_NAME, replaceFile, writeAll } from '../disk/files.ts'
import { FIRST_CLASSES } from '../usage-rows.ts'
import type { MeterImage } from './meter-image.ts'
import {
  BANKS,
  CELL_BYTES,
  CLOCKS,
  DURABLE_SEQUENCE,
  encodeMeterHeader,
  HEADER_BYTES,
  IDENTITY,
  KEY_WINDOWS,
  type MeterHeader,
  MINUTE,
  OWNER,
  ROW_BYTES,
  ROW_CELLS,
  ROW_WORDS,
  ROWS_CAPACITY,
  rowIdentity,
  rowsOffset,
  SLOT,
  WINDOWS,
} from './meter-layout.ts'

/** Where the new meter has what. */
export interface NewMeter {
  rowsOffset: number
  capacity: number
  /** The first row that is not used. Row 0 never is: 0 means none. */
  rowsUsed: number
  /** Rows of windows, by the slot of their account or key. */
  windowRows: Map<number, number>
}

/** Rows that there is room for before the ledger thread has to make more, in a service with many keys: 2 MB. */
const ROWS_SPARE_MAX = 32_768

/**
 * Rows that should be unused in a service of `slots` accounts and keys whose queries `threads` threads charge: one for each
 * of them, so that a small service never waits for a row, and in a large one enough for a burst of keys.
 */
export function spareRows(slots: number, threads: number): number {
  return Math.min(ROWS_SPARE_MAX, slots * (threads * BANKS + 1))
}

/**
 * Writes the file in place of the old one, durably. Every byte is written, since a store into a hole of a mapped file kills
 * the process when the disk is full.
 * @param spare rows that must be unused at first
 */
export async function writeMeter(
  fs: FileSystem,
  folder: string,
  header: MeterHeader,
  book: Book,
  old: MeterImage | null,
  present: { durableSequence: number; nowMs: number },
  spare: number,
): Promise<NewMeter> {
  const used = [...book.keys.values()].filter(key => key.queriesSum() > 0)
  const windows = windowsToKeep(book, old)
  const classes = used.reduce((most, key) => Math.max(most, key.classes), FIRST_CLASSES)
  const base = { classes, entries: used.length }
  const start = rowsOffset(base)
  const rowsUsed = 1 + windows.length
  const capacity = powerOfTwo(rowsUsed + spare)
  const memory = new ArrayBuffer(start + capacity * ROW_BYTES)
  const cells = new Float64Array(memory)
  cells[DURABLE_SEQUENCE] = present.durableSequence
  cells[ROWS_CAPACITY] = capacity
  cells[CLOCKS] = present.nowMs
  fillBase(cells.subarray(HEADER_BYTES / CELL_BYTES), used, classes)
  const windowRows = new Map<number, number>()
  for (const [index, { record, windows: kept }] of windows.entries()) {
    const row = 1 + index
    windowRows.set(record.slot, row)
    const words = new Int32Array(memory, start + row * ROW_BYTES, ROW_WORDS)
    openWindows(words, record)
    cells.set(kept, start / CELL_BYTES + row * ROW_CELLS + MINUTE)
  }
  const bytes = new Uint8Array(memory)
  const crc = crc32(bytes.subarray(HEADER_BYTES, start))
  bytes.set(encodeMeterHeader(header, { ...base, crc }))
  await replaceFile(fs, folder, join(folder, METER_NAME), file => writeAll(file, bytes, 0))
  return { rowsOffset: start, capacity, rowsUsed, windowRows }
}

/** Makes a row that of an account's or key's windows. The slot comes last: without it a row is unused. */
export function openWindows(words: Int32Array, record: AccountRecord | KeyRecord): void {
  words[OWNER] = record.type === 'account' ? WINDOWS : KEY_WINDOWS
  words[IDENTITY] = rowIdentity(record)
  words[SLOT] = record.slot + 1
}

/** Of accounts and keys that have limits, or windows from a time when they had. */
function windowsToKeep(book: Book, old: MeterImage | null) {
  const kept: { record: AccountRecord | KeyRecord; windows: Float64Array }[] = []
  const keep = (record: AccountRecord | KeyRecord, hasLimits: boolean, windows?: Float64Array): void => {
    const isUsed = windows?.some(cell => cell !== 0) ?? false
    if (hasLimits || isUsed) kept.push({ record, windows: windows ?? new Float64Array(6) })
  }
  for (const account of book.accounts.values())
    keep(account, account.limits !== null, old?.accounts.get(account.slot)?.windows)
  for (const record of book.slots) {
    if (record.type !== 'key') continue
    const limits = record.rules?.limits ?? null
    keep(record, limits !== null, old?.keyWindows.get(record.slot)?.windows)
  }
  return kept
}

/** Classes that no key has used take no bytes of its entries. */
function fillBase(cells: Float64Array, keys: readonly KeyRecord[], classes: number): void {
  let cell = 0
  for (const key of keys) {
    cells[cell++] = key.slot
    cells[cell++] = rowIdentity(key)
    for (let usage = 0; usage < classes; usage++) cells[cell++] = key.queriesOf(usage)
  }
}

export function powerOfTwo(least: number): number {
  return 2 ** Math.ceil(Math.log2(least))
}

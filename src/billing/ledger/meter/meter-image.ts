/** Meter of the last process, and its charges that the ledger does not have. */
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Book } from '../book/book.ts'
import { type AccountRecord, balanceMicros, type KeyRecord } from '../book/record.ts'
import type { FileSystem } from '../disk/file-system.ts'
import { METER_NAME, readFully, withFile } from '../disk/files.ts'
import type { KeyUsage } from '../event.ts'
import type { LedgerError } from '../ledger-error.ts'
import { expectVersion } from '../log/file-header.ts'
import {
  CELL_BYTES,
  CONSTANT_BYTES,
  COUNTS,
  countOf,
  HEADER_BYTES,
  IDENTITY,
  isStoredCount,
  LEDGER_ID_OFFSET,
  METER,
  METER_MAGIC,
  METER_VERSION,
  METER_WINDOWS_CELLS,
  MINUTE_CELL,
  meterDamage,
  ROW_BYTES,
  ROW_CELLS,
  rowIdentity,
  USAGE_CLASSES_MAX,
} from './meter-layout.ts'

export type MeterImage = NonNullable<Awaited<ReturnType<typeof readMeter>>>

/** Reads the meter of the last process; null if there is none. @throws LedgerError DAMAGED or OTHER_FORMAT */
export async function readMeter(fs: FileSystem, folder: string) {
  if (!(await fs.list(folder)).includes(METER_NAME)) return null
  const file = join(folder, METER_NAME)
  const bytes = await withFile(fs, file, 'read', async open => {
    const size = await open.size()
    // An own buffer, without the last bytes that fill no cell.
    const own = Buffer.from(new ArrayBuffer(size - (size % CELL_BYTES)))
    return own.subarray(0, await readFully(open, own, 0))
  })
  if (bytes.length < HEADER_BYTES)
    throw meterDamage(file, bytes.length, 'the end of the file', `a header of ${HEADER_BYTES} bytes`)
  const crc = crc32(bytes.subarray(0, CONSTANT_BYTES - 4))
  if (bytes.readUInt32LE(60) !== crc) throw meterDamage(file, 60, 'a header CRC that does not fit', `${crc}`)
  if (bytes.toString('latin1', 0, 8) !== METER_MAGIC) throw meterDamage(file, 0, 'another magic', METER_MAGIC)
  expectVersion(file, bytes.readUInt32LE(8), METER_VERSION)
  // A process that died during growth may have left part of a row.
  const rows = Math.floor((bytes.length - HEADER_BYTES) / ROW_BYTES)
  const header = new Float64Array(bytes.buffer, 0, HEADER_BYTES / CELL_BYTES)
  const promised = expectCount(file, header, METER.rows)
  if (promised > rows)
    throw meterDamage(file, bytes.length, `the end of the file after ${rows} rows`, `${promised} of them`)
  const clockMs = header[METER.clockMs]
  if (!(clockMs >= 0))
    throw meterDamage(file, METER.clockMs * CELL_BYTES, `the time ${clockMs}`, 'milliseconds')
  return {
    file,
    ledgerId: Buffer.from(bytes.subarray(LEDGER_ID_OFFSET, LEDGER_ID_OFFSET + 16)),
    priceMicros: bytes.readUInt32LE(32),
    bootId: Buffer.from(bytes.subarray(36, 52)),
    durableSequence: expectCount(file, header, METER.durableSequence),
    clockMs,
    backFromMs: header[METER.backFromMs],
    backToMs: header[METER.backToMs],
    rows,
    cells: new Float64Array(bytes.buffer, HEADER_BYTES, (rows * ROW_BYTES) / CELL_BYTES),
  }
}

function expectCount(file: string, header: Float64Array, cell: number): number {
  const value = header[cell]
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw meterDamage(file, cell * CELL_BYTES, `the count ${value}`, 'a non-negative integer')
}

/** Returns usage that the book lacks, by class. @throws LedgerError DAMAGED if meter and book contradict */
export function unbookedUsage(image: MeterImage, book: Book): KeyUsage[] {
  const spends = new Map<AccountRecord, number>()
  return Array.from({ length: image.rows }).flatMap((_, slot) => {
    const record = book.slots[slot]
    expectOwner(image, slot, record)
    if (record === undefined) return []
    expectWindows(image, slot)
    const counts = countsOf(image, slot)
    if (record.type === 'key') return unbookedOf(image, record, counts, spends)
    if (counts.some(count => count > 0))
      throw damageAt(image, slot, COUNTS, `queries of the account ${record.id}`, 'queries of keys only')
    return []
  })
}

/** Returns an error that names a count below the ledger's; null for none. The meter has counts first. */
export function lowCount(image: MeterImage, { slots }: Book): LedgerError | null {
  for (const record of slots.slice(0, image.rows)) {
    if (record.type === 'account') continue
    const counts = countsOf(image, record.slot)
    const usage = counts.findIndex((count, usage) => count < record.queries[usage])
    if (usage < 0) continue
    const found = `${counts[usage]} queries of ${record.id}`
    const expected = `at least ${record.queries[usage]}, as in the ledger`
    return damageAt(image, record.slot, COUNTS + usage, found, expected)
  }
  return null
}

function expectOwner(image: MeterImage, slot: number, record: AccountRecord | KeyRecord | undefined): void {
  const row = slot * ROW_CELLS
  if (record === undefined) {
    for (let cell = 0; cell < ROW_CELLS; cell++) {
      const value = image.cells[row + cell]
      if (value !== 0) throw damageAt(image, slot, cell, `${value}`, 'an unused slot: the ledger is older')
    }
    return
  }
  const identity = image.cells[row + IDENTITY]
  // Rows added since the last start have no identity yet.
  if (identity !== 0 && identity !== rowIdentity(record))
    throw damageAt(image, slot, IDENTITY, `identity ${identity}`, `the identity of ${record.id}`)
}

function expectWindows(image: MeterImage, slot: number): void {
  for (let cell = MINUTE_CELL; cell < MINUTE_CELL + METER_WINDOWS_CELLS; cell++) {
    const value = image.cells[slot * ROW_CELLS + cell]
    if (!(Number.isSafeInteger(value) && value >= 0))
      throw damageAt(image, slot, cell, `the count ${value}`, 'a non-negative integer')
  }
}

function countsOf(image: MeterImage, slot: number): number[] {
  const counts: number[] = []
  for (let usage = 0; usage < USAGE_CLASSES_MAX; usage++) {
    const stored = image.cells[slot * ROW_CELLS + COUNTS + usage]
    if (!isStoredCount(stored))
      throw damageAt(image, slot, COUNTS + usage, `the count ${stored}`, 'a multiple of 683 plus 1')
    counts.push(countOf(stored))
  }
  return counts
}

/** @param spends unbooked spends of accounts so far */
function unbookedOf(
  image: MeterImage,
  key: KeyRecord,
  counts: readonly number[],
  spends: Map<AccountRecord, number>,
): KeyUsage[] {
  const queries = counts.map((metered, usage) => Math.max(metered, key.queries[usage]))
  const micros =
    queries.reduce((sum, count, usage) => sum + count - key.queries[usage], 0) * image.priceMicros
  if (micros === 0) return []
  const { account } = key
  const spent = (spends.get(account) ?? 0) + micros
  if (spent > balanceMicros(account)) {
    const found = `${spent} micros of spend that the ledger does not know`
    throw damageAt(image, key.slot, COUNTS, found, `at most the balance of ${account.id}`)
  }
  spends.set(account, spent)
  return [{ key: key.slot, queries, spentMicros: key.spentMicros + micros }]
}

function damageAt({ file }: MeterImage, slot: number, cell: number, found: string, expected: string) {
  const offset = HEADER_BYTES + (slot * ROW_CELLS + cell) * CELL_BYTES
  return meterDamage(file, offset, `${found} in the row of slot ${slot}`, expected)
}

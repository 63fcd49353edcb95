/** Reads the meter as the last process left it: the counts of the ledger when it was made, and all rows since. */
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { FileSystem } from '../disk/file-system.ts'
import { METER_NAME, readWhole } from '../disk/files.ts'
import { checkVersion, newerFormat } from '../log/file-header.ts'
import { UnknownClassError, USAGE_CLASSES_COUNT } from '../usage-rows.ts'
import { count, expectSum, type MeterImage, windowsAt } from './meter-image.ts'
import {
  BANKS,
  CELL_BYTES,
  CONSTANT_BYTES,
  COUNTS,
  clockCell,
  DURABLE_SEQUENCE,
  HEADER_BYTES,
  IDENTITY,
  IN_PROGRESS,
  KEY_WINDOWS,
  METER_MAGIC,
  METER_THREADS_MAX,
  METER_VERSION,
  MINUTE,
  meterDamage,
  OWNER,
  ROW_BYTES,
  ROW_CLASSES,
  ROW_WORDS,
  ROWS_CAPACITY,
  rowIdentity,
  rowsOffset,
  SLOT,
  SUM,
  WINDOWS,
  WORD_BYTES,
} from './meter-layout.ts'
import { readVersion1, VERSION_1 } from './meter-v1.ts'

/** The meter that the last process left, or null when there is none. @throws LedgerError DAMAGED or NEWER_FORMAT */
export async function readMeter(fs: FileSystem, folder: string): Promise<MeterImage | null> {
  if (!(await fs.list(folder)).includes(METER_NAME)) return null
  const file = join(folder, METER_NAME)
  const bytes = await readWhole(fs, file)
  if (bytes.length < CONSTANT_BYTES) {
    throw meterDamage(file, bytes.length, 'the end of the file', `a header of ${CONSTANT_BYTES} bytes`)
  }
  const crc = crc32(bytes.subarray(0, 60))
  if (bytes.readUInt32LE(60) !== crc) throw meterDamage(file, 60, 'a header CRC that does not fit', `${crc}`)
  if (bytes.toString('latin1', 0, 8) !== METER_MAGIC) throw meterDamage(file, 0, 'another magic', METER_MAGIC)
  const version = bytes.readUInt32LE(8)
  checkVersion(file, version, METER_VERSION)
  return version === VERSION_1 ? readVersion1(file, bytes) : readRows(file, bytes)
}

/** Versions 2 and 3, which differ only in the rows that they may have. */
function readRows(file: string, bytes: Buffer): MeterImage {
  const base = { classes: bytes.readUInt32LE(36), entries: bytes.readUInt32LE(40) }
  if (base.classes > USAGE_CLASSES_COUNT) {
    throw newerFormat(file, 36, new UnknownClassError(`${base.classes} usage classes`))
  }
  const start = rowsOffset(base)
  if (bytes.length < start) {
    throw meterDamage(file, bytes.length, 'the end of the file', `${start} bytes before the first row`)
  }
  // A crash while the file was growing may leave part of an unused row at its end.
  const rows = Math.floor((bytes.length - start) / ROW_BYTES)
  const memory = new ArrayBuffer(start + rows * ROW_BYTES)
  new Uint8Array(memory).set(bytes.subarray(0, memory.byteLength))
  const cells = new Float64Array(memory)
  const capacity = count(file, cells, ROWS_CAPACITY)
  if (capacity > rows)
    throw meterDamage(file, bytes.length, `the end of the file after ${rows} rows`, `${capacity} of them`)
  const image: MeterImage = {
    file,
    ledgerId: Buffer.from(bytes.subarray(16, 32)),
    priceMicros: bytes.readUInt32LE(32),
    durableSequence: count(file, cells, DURABLE_SEQUENCE),
    clockMs: latestClock(file, cells),
    keys: new Map(),
    accounts: new Map(),
    keyWindows: new Map(),
    identityOf: rowIdentity,
  }
  readBase(image, bytes.subarray(HEADER_BYTES, start), cells, base, bytes.readUInt32LE(44))
  const words = new Int32Array(memory)
  for (let row = 0; row < rows; row++) readRow(image, words, cells, start + row * ROW_BYTES)
  return image
}

function latestClock(file: string, cells: Float64Array): number {
  let latestMs = 0
  for (let thread = 0; thread < METER_THREADS_MAX; thread++) {
    const timeMs = cells[clockCell(thread)]
    if (!(timeMs >= 0)) {
      throw meterDamage(file, clockCell(thread) * CELL_BYTES, `the time ${timeMs}`, 'milliseconds')
    }
    latestMs = Math.max(latestMs, timeMs)
  }
  return latestMs
}

/** The base never changes, so its CRC says whether it is whole. */
function readBase(
  { file, keys }: MeterImage,
  bytes: Buffer,
  cells: Float64Array,
  { classes, entries }: { classes: number; entries: number },
  crc: number,
): void {
  const found = crc32(bytes)
  if (found !== crc) throw meterDamage(file, HEADER_BYTES, `counts with CRC ${found}`, `CRC ${crc}`)
  for (let entry = 0; entry < entries; entry++) {
    const cell = HEADER_BYTES / CELL_BYTES + entry * (2 + classes)
    const queries = new Array<number>(USAGE_CLASSES_COUNT).fill(0)
    for (let usage = 0; usage < classes; usage++) queries[usage] = count(file, cells, cell + 2 + usage)
    const sum = queries.reduce((total, queries) => total + queries, 0)
    const identity = cells[cell + 1]
    keys.set(cells[cell], { offset: cell * CELL_BYTES, identity, queries, sum, inProgress: 0 })
  }
}

function readRow(image: MeterImage, words: Int32Array, cells: Float64Array, offset: number): void {
  const { file, keys, accounts, keyWindows } = image
  const word = offset / WORD_BYTES
  const slot = words[word + SLOT] - 1
  if (slot === -1) return expectUnused(file, words, word)
  const identity = words[word + IDENTITY]
  const owner = words[word + OWNER]
  if (owner === WINDOWS || owner === KEY_WINDOWS) {
    const windows = windowsAt(file, cells, offset / CELL_BYTES + MINUTE)
    const owners = owner === WINDOWS ? accounts : keyWindows
    owners.set(slot, { offset, identity, windows })
    return
  }
  const bank = owner >> 16
  if (bank < 0 || bank >= BANKS || (owner & 0xffff) >= METER_THREADS_MAX) {
    throw meterDamage(
      file,
      offset + OWNER * WORD_BYTES,
      `a row of owner ${owner}`,
      'a thread and its bank of classes',
    )
  }
  const key = keys.get(slot) ?? newKey(offset, identity)
  if (key.identity !== identity) {
    throw meterDamage(file, offset, `identity ${identity} in a row of slot ${slot}`, `${key.identity}`)
  }
  addRow(file, words, word, key.queries, bank * ROW_CLASSES)
  key.sum = key.queries.reduce((total, queries) => total + queries, 0)
  keys.set(slot, key)
}

function newKey(offset: number, identity: number) {
  return { offset, identity, queries: new Array<number>(USAGE_CLASSES_COUNT).fill(0), sum: 0, inProgress: 0 }
}

/** Adds the counts of one row to those of its key. */
function addRow(file: string, words: Int32Array, word: number, queries: number[], firstClass: number): void {
  let sum = 0
  for (let column = 0; column < ROW_CLASSES; column++) {
    const counted = counted32(file, words, word + COUNTS + column)
    sum += counted
    const usage = firstClass + column
    if (usage < queries.length) queries[usage] += counted
    else if (counted > 0) {
      throw meterDamage(
        file,
        (word + COUNTS + column) * WORD_BYTES,
        `queries of class ${usage}`,
        'a class below it',
      )
    }
  }
  const offset = (word + SUM) * WORD_BYTES
  expectSum(file, offset, counted32(file, words, word + SUM), sum, words[word + IN_PROGRESS])
}

function counted32(file: string, words: Int32Array, word: number): number {
  if (words[word] >= 0) return words[word]
  throw meterDamage(file, word * WORD_BYTES, `the count ${words[word]}`, 'a non-negative integer')
}

/** A process that died while it opened a row leaves its owner and identity; its slot comes last. */
function expectUnused(file: string, words: Int32Array, word: number): void {
  for (let at = word + IDENTITY + 1; at < word + ROW_WORDS; at++) {
    if (words[at] !== 0) throw meterDamage(file, at * WORD_BYTES, 'counts in a row without a slot', 'zeros')
  }
}

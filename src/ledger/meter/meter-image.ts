import { join } from 'node:path'
import type { Book } from '../book/book.ts'
import type { FileSystem } from '../disk/file-system.ts'
import { METER_NAME, readWhole, replaceFile, writeAll } from '../disk/files.ts'
import { USAGE_CLASSES_COUNT } from '../event.ts'
import {
  CELL_BYTES,
  CLOCK_MS,
  DURABLE_SEQUENCE,
  decodeMeterHeader,
  encodeMeterHeader,
  HEADER_BYTES,
  IDENTITY,
  type MeterHeader,
  MINUTE,
  meterBytes,
  meterDamage,
  QUERIES,
  QUERIES_SUM,
  SLOT_BYTES,
  SLOTS_USED,
  slotCell,
  slotIdentity,
} from './meter-layout.ts'

/** The meter as the last process left it, read into memory. */
export interface MeterImage extends MeterHeader {
  file: string
  /** Header and slots. */
  cells: Float64Array
  slots: number
  durableSequence: number
  clockMs: number
}

/** The meter that the last process left, or null when there is none. @throws LedgerError DAMAGED or NEWER_FORMAT */
export async function readMeter(fs: FileSystem, folder: string): Promise<MeterImage | null> {
  if (!(await fs.list(folder)).includes(METER_NAME)) return null
  const file = join(folder, METER_NAME)
  const bytes = await readWhole(fs, file)
  const header = decodeMeterHeader(file, bytes)
  // A crash while the file was growing may leave part of an unused slot at its end.
  const slots = Math.floor((bytes.length - HEADER_BYTES) / SLOT_BYTES)
  const cells = new Float64Array(meterBytes(slots) / CELL_BYTES)
  new Uint8Array(cells.buffer).set(bytes.subarray(0, cells.byteLength))
  const used = count(file, cells, SLOTS_USED)
  if (used > slots)
    throw meterDamage(file, bytes.length, `the end of the file after ${slots} slots`, `${used} in use`)
  const durableSequence = count(file, cells, DURABLE_SEQUENCE)
  const clockMs = cells[CLOCK_MS]
  if (!(clockMs >= 0)) throw meterDamage(file, CLOCK_MS * CELL_BYTES, `the time ${clockMs}`, 'milliseconds')
  return {
    ...header,
    file,
    cells,
    slots,
    durableSequence,
    clockMs,
  }
}

/** A cell that counts. @throws LedgerError DAMAGED when it is not a non-negative integer */
export function count(file: string, cells: Float64Array, cell: number): number {
  const value = cells[cell]
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw meterDamage(file, cell * CELL_BYTES, `the count ${value}`, 'a non-negative integer')
}

/**
 * Writes a meter of `slots` slots in place of the old one, durably; `fill` sets the cells. Every byte is written, since a
 * store into a hole of a mapped file kills the process when the disk is full.
 */
export async function writeMeter(
  fs: FileSystem,
  folder: string,
  header: MeterHeader,
  slots: number,
  fill: (cells: Float64Array) => void,
): Promise<void> {
  const cells = new Float64Array(meterBytes(slots) / CELL_BYTES)
  fill(cells)
  const bytes = new Uint8Array(cells.buffer)
  bytes.set(encodeMeterHeader(header))
  await replaceFile(fs, folder, join(folder, METER_NAME), file => writeAll(file, bytes, 0))
}

/** Slots of the smallest meter: 64 KB. */
export const METER_SLOTS_MIN = 1024

/** A power of two times the minimum with room for half as many again. */
export function slotsFor(book: Book, slotsMin = METER_SLOTS_MIN): number {
  let slots = slotsMin
  while (slots < book.slots.length * 1.5) slots *= 2
  return slots
}

/**
 * Sets every cell of the meter that a start writes from the recovered book, so that no mapped byte is unchecked: keys from
 * the book, which is at or beyond the old meter by now, windows from the old meter.
 */
export function fillMeter(
  cells: Float64Array,
  book: Book,
  old: MeterImage | null,
  durableSequence: number,
  nowMs: number,
): void {
  cells[DURABLE_SEQUENCE] = durableSequence
  cells[CLOCK_MS] = nowMs
  cells[SLOTS_USED] = book.slots.length
  for (const record of book.slots) {
    const cell = slotCell(record.slot)
    cells[cell + IDENTITY] = identityOf(record, old)
    if (record.type === 'account') {
      if (old !== null && record.slot < old.slots) copyWindows(cells, old.cells, cell)
      continue
    }
    for (let usage = 0; usage < USAGE_CLASSES_COUNT; usage++)
      cells[cell + QUERIES + usage] = record.queriesOf(usage)
    cells[cell + QUERIES_SUM] = record.queriesSum()
  }
}

function copyWindows(cells: Float64Array, old: Float64Array, cell: number): void {
  for (let window = cell + MINUTE; window <= cell + QUERIES_SUM; window++) cells[window] = old[window]
}

/** The old meter's identities have been compared with the book: a SHA-256 for each slot is computed once, not twice. */
function identityOf({ slot, id }: { slot: number; id: string }, old: MeterImage | null): number {
  const known = old !== null && slot < old.slots ? old.cells[slotCell(slot) + IDENTITY] : 0
  return known === 0 ? slotIdentity(id) : known
}

import { join } from 'node:path'
import type { FileSystem } from '../disk/file-system.ts'
import { METER_NAME, readWhole, replaceFile, writeAll } from '../disk/files.ts'
import {
  CELL_BYTES,
  CLOCK_MS,
  DURABLE_SEQUENCE,
  decodeMeterHeader,
  encodeMeterHeader,
  HEADER_BYTES,
  type MeterHeader,
  meterBytes,
  meterDamage,
  SLOT_BYTES,
  SLOTS_USED,
} from './meter-layout.ts'

/** The meter as it lay on the disk, read into memory. */
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
  const clockMs = cells[CLOCK_MS] ?? 0
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

/** A cell that counts. @throws LedgerError DAMAGED when it is no whole number from 0 on */
export function count(file: string, cells: Float64Array, cell: number): number {
  const value = cells[cell] ?? Number.NaN
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw meterDamage(file, cell * CELL_BYTES, `the count ${value}`, 'a whole number')
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

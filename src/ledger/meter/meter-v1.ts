/** The meter of format 1, with a slot of eight f64 for each key and account. Read once, at the start after an upgrade. */
import { hash } from 'node:crypto'
import { count, type MeterImage, windowsAt } from './meter-image.ts'
import { CELL_BYTES, meterDamage } from './meter-layout.ts'

export const VERSION_1 = 1
const HEADER_CELLS = 512
const SLOT_CELLS = 8
const CLASSES = 5
/** Cells of the header. */
const DURABLE_SEQUENCE = 8
const CLOCK_MS = 9
const SLOTS_USED = 10
/** Cells of a slot. */
const IDENTITY = 0
const QUERIES = 1
const QUERIES_SUM = 6
const IN_PROGRESS = 7
const MINUTE = 1

/** @param bytes the whole file, its constant header checked. @throws LedgerError DAMAGED */
export function readVersion1(file: string, bytes: Buffer): MeterImage {
  const headerBytes = HEADER_CELLS * CELL_BYTES
  if (bytes.length < headerBytes) {
    throw meterDamage(file, bytes.length, 'the end of the file', `a header of ${headerBytes} bytes`)
  }
  // A crash while the file was growing may leave part of an unused slot at its end.
  const slots = Math.floor((bytes.length - headerBytes) / (SLOT_CELLS * CELL_BYTES))
  const cells = new Float64Array(HEADER_CELLS + slots * SLOT_CELLS)
  new Uint8Array(cells.buffer).set(bytes.subarray(0, cells.byteLength))
  const used = count(file, cells, SLOTS_USED)
  if (used > slots)
    throw meterDamage(file, bytes.length, `the end of the file after ${slots} slots`, `${used} in use`)
  const clockMs = cells[CLOCK_MS]
  if (!(clockMs >= 0)) throw meterDamage(file, CLOCK_MS * CELL_BYTES, `the time ${clockMs}`, 'milliseconds')
  const image: MeterImage = {
    file,
    ledgerId: Buffer.from(bytes.subarray(16, 32)),
    priceMicros: bytes.readUInt32LE(32),
    durableSequence: count(file, cells, DURABLE_SEQUENCE),
    clockMs,
    keys: new Map(),
    accounts: new Map(),
    keyWindows: new Map(),
    identityOf: ({ id }) => Number.parseInt(hash('sha256', id, 'hex').slice(0, 12), 16) || 1,
  }
  for (let slot = 0; slot < slots; slot++) readSlot(image, cells, slot)
  return image
}

/** Whether a slot is of a key or of an account only the ledger knows, so both are read of it; the other is never asked for. */
function readSlot({ file, keys, accounts }: MeterImage, cells: Float64Array, slot: number): void {
  const cell = HEADER_CELLS + slot * SLOT_CELLS
  const offset = cell * CELL_BYTES
  const identity = count(file, cells, cell + IDENTITY)
  if (identity === 0) {
    if (cells.subarray(cell, cell + SLOT_CELLS).every(value => value === 0)) return
    throw meterDamage(file, offset, 'counts in a slot without identity', 'zeros')
  }
  const windows = windowsAt(file, cells, cell + MINUTE)
  accounts.set(slot, { offset, identity, windows })
  const queries = Array.from(cells.subarray(cell + QUERIES, cell + QUERIES + CLASSES))
  const sum = cells[cell + QUERIES_SUM]
  const inProgress = count(file, cells, cell + IN_PROGRESS)
  keys.set(slot, { offset, identity, queries, sum, inProgress })
}

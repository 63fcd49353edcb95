/** Where things are in the meter, in cells of 8 bytes (f64); FORMAT.md has the tables. */
import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { type Finding, LedgerError } from '../errors.ts'
import { checkVersion, FORMAT_VERSION } from '../log/file-header.ts'

export const METER_MAGIC = 'PTMETER1'
export const CELL_BYTES = 8
export const SLOT_CELLS = 8
export const HEADER_CELLS = 512
export const HEADER_BYTES = HEADER_CELLS * CELL_BYTES
export const SLOT_BYTES = SLOT_CELLS * CELL_BYTES

/** Cells of the header that change while the service runs. */
export const DURABLE_SEQUENCE = 8
export const CLOCK_MS = 9
export const SLOTS_USED = 10

/** Cells of a slot: whose it is; a key's queries by class, their sum, the charge in progress; an account's windows. */
export const IDENTITY = 0
export const QUERIES = 1
export const QUERIES_SUM = 6
export const UNDER_WAY = 7
export const MINUTE = 1
export const HOUR = 3
export const DAY = 5

export const REMEDY_METER =
  'Restore the folder from one backup; or move the file `meter` away to start from the ledger alone, which loses ' +
  'only charges of the last moments before the last crash, in the customers’ favour.'

export interface MeterHeader {
  ledgerId: Buffer
  priceMicros: number
}

/** First cell of a slot. */
export function slotCell(slot: number): number {
  return HEADER_CELLS + slot * SLOT_CELLS
}

export function meterBytes(slots: number): number {
  return HEADER_BYTES + slots * SLOT_BYTES
}

/** Marks a slot as that of one key or account: the first 48 bits of the SHA-256 of its id, and never 0. */
export function slotIdentity(id: string): number {
  return Number.parseInt(hash('sha256', id, 'hex').slice(0, 12), 16) || 1
}

/** The 64 constant bytes at the start of the file. */
export function encodeMeterHeader({ ledgerId, priceMicros }: MeterHeader): Buffer {
  const bytes = Buffer.alloc(64)
  bytes.write(METER_MAGIC, 0, 'latin1')
  bytes.writeUInt32LE(FORMAT_VERSION, 8)
  bytes.writeUInt32LE(SLOT_BYTES, 12)
  ledgerId.copy(bytes, 16)
  bytes.writeUInt32LE(priceMicros, 32)
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 60)), 60)
  return bytes
}

/** @throws LedgerError DAMAGED or NEWER_FORMAT */
export function decodeMeterHeader(file: string, bytes: Buffer): MeterHeader {
  if (bytes.length < HEADER_BYTES) {
    throw meterDamage(file, bytes.length, 'the end of the file', `a header of ${HEADER_BYTES} bytes`)
  }
  const crc = crc32(bytes.subarray(0, 60))
  if (bytes.readUInt32LE(60) !== crc) throw meterDamage(file, 60, 'a header CRC that does not fit', `${crc}`)
  if (bytes.toString('latin1', 0, 8) !== METER_MAGIC) throw meterDamage(file, 0, 'another magic', METER_MAGIC)
  checkVersion(file, bytes.readUInt32LE(8))
  return { ledgerId: Buffer.from(bytes.subarray(16, 32)), priceMicros: bytes.readUInt32LE(32) }
}

export function meterDamage(file: string, offset: number, found: string, expected: string): LedgerError {
  const finding: Finding = { file, offset, found, expected, remedy: REMEDY_METER }
  return new LedgerError('DAMAGED', finding)
}

import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { closeAll, inTurn } from '../../../platform/promises.ts'
import type { Book } from '../book/book.ts'
import type { FileSystem, OpenFile } from '../disk/file-system.ts'
import { METER_NAME, rewriteFile, withFile, writeAll } from '../disk/files.ts'
import type { MeterImage } from './meter-image.ts'
import {
  CELL_BYTES,
  CONSTANT_BYTES,
  COUNTS,
  HEADER_BYTES,
  IDENTITY,
  LEDGER_ID_OFFSET,
  METER,
  METER_MAGIC,
  METER_VERSION,
  MeterRows,
  ROW_BYTES,
  ROW_CELLS,
  rowIdentity,
  storedCount,
  USAGE_CLASSES_MAX,
} from './meter-layout.ts'

/** Minimum number of rows written ahead: 12 KB. */
const ROWS_AHEAD = 64
const CHUNK_ROWS = 4096

interface MeterSettings {
  fs: FileSystem
  folder: string
  ledgerId: Buffer
  priceMicros: number
  /** Id of the machine's start in which the meter is mapped. Until the next one, no store into it is lost. */
  bootId: Buffer
  /** Recovered book, with all charges of `image`. */
  book: Book
  image: MeterImage | null
  durableSequence: number
  nowMs: number
  /** Maximum number of accounts and keys. Memory is mapped for all, the file has rows for some ahead. */
  slotsMax: number
}

export type MeterFile = Awaited<ReturnType<typeof openMeter>>

/** Writes the file anew from book and earlier windows, and maps it. Only the ledger thread grows it. */
export async function openMeter(settings: MeterSettings) {
  const { fs, folder, book } = settings
  const path = join(folder, METER_NAME)
  let slots = withRoom(book.slots.length)
  const slotsMax = Math.max(settings.slotsMax, slots)
  await rewriteFile(fs, path, async file => {
    await writeAll(file, headerOf(settings, slots), 0)
    await writeRows(file, settings, 0, slots)
  })
  const mapping = fs.map(path, HEADER_BYTES + slotsMax * ROW_BYTES)
  const rows = new MeterRows(mapping.buffer)
  rows.noteTime(settings.nowMs)
  const growing = inTurn()

  /** Appends zeros, not a hole: a store into a hole kills the process if the disk is full. */
  const grow = async (needed: number): Promise<void> => {
    if (needed <= slots) return
    const grown = Math.min(slotsMax, withRoom(needed))
    await withFile(fs, path, 'write', async file => {
      await writeRows(file, settings, slots, grown)
      await file.sync()
    })
    rows.header[METER.rows] = grown
    slots = grown
  }

  return {
    rows,
    handle: mapping.handle,
    slotsMax,
    get slots(): number {
      return slots
    },
    setDurable(sequence: number): void {
      rows.header[METER.durableSequence] = sequence
    },
    /** @throws the system's error, such as ENOSPC; Error beyond the maximum */
    async reserve(needed: number): Promise<void> {
      if (needed <= slots) return
      if (needed > slotsMax)
        throw new Error(`there is room for ${slotsMax} accounts and keys. Raise ACCOUNTS_MAX or KEYS_MAX`)
      return growing(() => grow(needed))
    },
    close: () =>
      closeAll(
        () => mapping.sync(),
        () => mapping.close(),
      ),
  }
}

function withRoom(slots: number): number {
  return Math.ceil(slots * 1.5) + ROWS_AHEAD
}

function headerOf(settings: MeterSettings, slots: number): Uint8Array {
  const { ledgerId, bootId, priceMicros, durableSequence, image, nowMs } = settings
  const cells = new Float64Array(HEADER_BYTES / CELL_BYTES)
  const bytes = Buffer.from(cells.buffer)
  bytes.write(METER_MAGIC, 0, 'latin1')
  bytes.writeUInt32LE(METER_VERSION, 8)
  bytes.writeUInt32LE(ROW_BYTES, 12)
  ledgerId.copy(bytes, LEDGER_ID_OFFSET)
  bytes.writeUInt32LE(priceMicros, 32)
  bootId.copy(bytes, 36)
  bytes.writeUInt32LE(crc32(bytes.subarray(0, CONSTANT_BYTES - 4)), CONSTANT_BYTES - 4)
  cells[METER.durableSequence] = durableSequence
  cells[METER.rows] = slots
  cells[METER.clockMs] = image?.clockMs ?? nowMs
  cells[METER.backFromMs] = image?.backFromMs ?? 0
  cells[METER.backToMs] = image?.backToMs ?? 0
  return bytes
}

/** Writes the rows `[from, to)`, zeros where there is no account or key yet. */
async function writeRows(file: OpenFile, settings: MeterSettings, from: number, to: number): Promise<void> {
  for (let row = from; row < to; row += CHUNK_ROWS) {
    const cells = rowsOf(settings, row, Math.min(CHUNK_ROWS, to - row))
    await writeAll(file, new Uint8Array(cells.buffer), HEADER_BYTES + row * ROW_BYTES)
  }
}

function rowsOf({ book, image }: MeterSettings, first: number, rows: number): Float64Array {
  const cells = new Float64Array(rows * ROW_CELLS)
  for (let row = 0; row < rows; row++) {
    const record = book.slots[first + row]
    if (record === undefined) break
    const at = row * ROW_CELLS
    const before = (first + row) * ROW_CELLS
    if (image !== null)
      cells.set(image.cells.subarray(before + IDENTITY + 1, before + COUNTS), at + IDENTITY + 1)
    cells[at + IDENTITY] = rowIdentity(record)
    if (record.type !== 'key') continue
    for (let usage = 0; usage < USAGE_CLASSES_MAX; usage++)
      cells[at + COUNTS + usage] = storedCount(record.queries[usage])
  }
  return cells
}

import { join } from 'node:path'
import { USAGE_CLASSES_MAX } from '../../limits.ts'
import type { MemoryHandle } from '../../platform/shared-memory.ts'
import type { Book } from '../book/book.ts'
import type { FileSystem, Mapping } from '../disk/file-system.ts'
import { METER_NAME, replaceFile, withFile, writeAll } from '../disk/files.ts'
import type { MeterImage } from './meter-image.ts'
import {
  CELL_BYTES,
  CLOCK_MS,
  COUNTS,
  DURABLE_SEQUENCE,
  encodeMeterHeader,
  HEADER_BYTES,
  IDENTITY,
  type MeterHeader,
  MeterRows,
  ROW_BYTES,
  ROW_CELLS,
  ROWS,
  rowIdentity,
  storedCount,
} from './meter-layout.ts'

/** Rows that are written ahead, besides half of those in use: 12 KB. */
const ROWS_AHEAD = 64
const CHUNK_ROWS = 4096

export interface MeterSettings {
  fs: FileSystem
  folder: string
  header: MeterHeader
  /** The recovered book: it already has all charges of `image`. */
  book: Book
  image: MeterImage | null
  durableSequence: number
  nowMs: number
  /** Accounts and keys that there may be. Memory is mapped for all; the file has rows for those in use, and some ahead. */
  slotsMax: number
  keepsWindows: boolean
}

/** The mapped meter of the running service, on the ledger thread, which alone makes the file longer. */
export class MeterFile {
  readonly rows: MeterRows
  /** Accounts and keys that the file has rows for. */
  slots: number
  readonly slotsMax: number
  readonly #mapping: Mapping
  readonly #fs: FileSystem
  readonly #path: string
  #growing: Promise<void> = Promise.resolve()

  private constructor(fs: FileSystem, path: string, slots: number, slotsMax: number) {
    this.#fs = fs
    this.#path = path
    this.slots = slots
    this.slotsMax = slotsMax
    this.#mapping = fs.map(path, HEADER_BYTES + slotsMax * ROW_BYTES)
    this.rows = new MeterRows(this.#mapping.buffer)
  }

  /** Writes the file anew, as the book and the windows of the last process say, and maps it. */
  static async open(settings: MeterSettings): Promise<MeterFile> {
    const { fs, folder, book } = settings
    const path = join(folder, METER_NAME)
    const slots = withRoom(book.slots.length)
    await replaceFile(fs, path, async file => {
      await writeAll(file, headerOf(settings, slots), 0)
      for (let row = 0; row < slots; row += CHUNK_ROWS) {
        const cells = rowsOf(settings, row, Math.min(CHUNK_ROWS, slots - row))
        await writeAll(file, new Uint8Array(cells.buffer), HEADER_BYTES + row * ROW_BYTES)
      }
    })
    return new MeterFile(fs, path, slots, Math.max(settings.slotsMax, slots))
  }

  setDurable(sequence: number): void {
    this.rows.header[DURABLE_SEQUENCE] = sequence
  }

  get handle(): MemoryHandle {
    return this.#mapping.handle
  }

  /** @throws the system's error, such as ENOSPC; Error beyond the maximum */
  reserve(slots: number): Promise<void> {
    if (slots <= this.slots) return Promise.resolve()
    if (slots > this.slotsMax)
      return Promise.reject(
        new Error(`there is room for ${this.slotsMax} accounts and keys: raise ACCOUNTS_MAX or KEYS_MAX`),
      )
    const grown = this.#growing.catch(() => {}).then(() => this.#grow(slots))
    this.#growing = grown
    return grown
  }

  close(): void {
    try {
      this.#mapping.sync()
    } finally {
      this.#mapping.close()
    }
  }

  /** Appends zeros: never a hole, since a store into one kills the process when the disk is full. */
  async #grow(slots: number): Promise<void> {
    if (slots <= this.slots) return
    const grown = Math.min(this.slotsMax, withRoom(slots))
    await withFile(this.#fs, this.#path, 'write', async file => {
      for (let row = this.slots; row < grown; row += CHUNK_ROWS) {
        const rows = Math.min(CHUNK_ROWS, grown - row)
        await writeAll(file, new Uint8Array(rows * ROW_BYTES), HEADER_BYTES + row * ROW_BYTES)
      }
      await file.sync()
    })
    this.rows.header[ROWS] = grown
    this.slots = grown
  }
}

function withRoom(slots: number): number {
  return Math.ceil(slots * 1.5) + ROWS_AHEAD
}

function headerOf({ header, durableSequence, nowMs }: MeterSettings, slots: number): Uint8Array {
  const cells = new Float64Array(HEADER_BYTES / CELL_BYTES)
  const bytes = new Uint8Array(cells.buffer)
  bytes.set(encodeMeterHeader(header))
  cells[DURABLE_SEQUENCE] = durableSequence
  cells[ROWS] = slots
  cells[CLOCK_MS] = nowMs
  return bytes
}

function rowsOf({ book, image, keepsWindows }: MeterSettings, first: number, rows: number): Float64Array {
  const cells = new Float64Array(rows * ROW_CELLS)
  for (let row = 0; row < rows; row++) {
    const record = book.slots[first + row]
    if (record === undefined) break
    const at = row * ROW_CELLS
    const before = (first + row) * ROW_CELLS
    if (keepsWindows && image !== null)
      cells.set(image.cells.subarray(before + IDENTITY + 1, before + COUNTS), at + IDENTITY + 1)
    cells[at + IDENTITY] = rowIdentity(record)
    if (record.type !== 'key') continue
    for (let usage = 0; usage < USAGE_CLASSES_MAX; usage++)
      cells[at + COUNTS + usage] = storedCount(record.queries[usage])
  }
  return cells
}

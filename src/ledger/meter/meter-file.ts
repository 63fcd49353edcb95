import { join } from 'node:path'
import type { FileSystem, Mapping } from '../disk/file-system.ts'
import { METER_NAME, writeAll } from '../disk/files.ts'
import { DURABLE_SEQUENCE, ROW_BYTES, ROWS_CAPACITY } from './meter-layout.ts'
import { type MeterHandle, MeterRows } from './meter-rows.ts'
import { type NewMeter, powerOfTwo } from './meter-writer.ts'

/** Bytes of zeros written at a time when the meter grows. */
const ZEROS_BYTES = 1024 * 1024

/** The mapped meter of the running service, on the ledger thread, which alone makes it grow. */
export class MeterFile {
  /** Rows as this thread and those that share its memory see them; its arrays are replaced when the file grows. */
  readonly rows: MeterRows
  /** Where the writer has put windows and where unused rows begin. */
  readonly made: NewMeter
  #mapping: Mapping
  readonly #fs: FileSystem
  readonly #path: string
  #growing: Promise<void> = Promise.resolve()

  constructor(fs: FileSystem, folder: string, made: NewMeter) {
    this.#fs = fs
    this.#path = join(folder, METER_NAME)
    this.made = made
    this.#mapping = fs.map(this.#path, this.#bytes(made.capacity))
    this.rows = new MeterRows(this.#mapping.buffer, made.rowsOffset)
  }

  setDurable(sequence: number): void {
    this.rows.header[DURABLE_SEQUENCE] = sequence
  }

  /** For another thread of this process. @throws Error for a simulated file, which exists in this thread only */
  handle(): MeterHandle {
    const { handle } = this.#mapping
    if (handle === undefined) throw new Error('this meter cannot be shared with other threads')
    return { memory: handle, rowsOffset: this.made.rowsOffset }
  }

  /** Makes room for `rows` rows, doubling. @throws the system's error, such as ENOSPC; the meter stays as it was */
  reserve(rows: number): Promise<void> {
    if (rows <= this.rows.capacity) return Promise.resolve()
    const grown = this.#growing.catch(() => {}).then(() => this.#grow(rows))
    this.#growing = grown
    return grown
  }

  /** Writes everything back and unmaps. Later reads see an empty meter, later stores go nowhere. */
  close(): void {
    this.rows.adopt(new ArrayBuffer(0), 0)
    try {
      this.#mapping.sync()
    } finally {
      this.#mapping.close()
    }
  }

  /**
   * Appends zeros and maps the longer file. The old mapping stays: it shows the same pages, and unmapping what some array
   * may still see would kill the process. All of them together are shorter than the last.
   */
  async #grow(rows: number): Promise<void> {
    const { capacity } = this.rows
    if (rows <= capacity) return
    const grown = powerOfTwo(Math.max(rows, capacity + 1))
    const bytesGrown = this.#bytes(grown)
    const file = await this.#fs.open(this.#path, 'write')
    try {
      // Beyond the mapped length only: what an earlier attempt left there is zeros as well.
      for (let position = this.#bytes(capacity); position < bytesGrown; position += ZEROS_BYTES) {
        await writeAll(file, new Uint8Array(Math.min(ZEROS_BYTES, bytesGrown - position)), position)
      }
      await file.sync()
    } finally {
      await file.close()
    }
    this.#mapping = this.#fs.map(this.#path, bytesGrown)
    this.rows.adopt(this.#mapping.buffer, this.made.rowsOffset)
    this.rows.header[ROWS_CAPACITY] = grown
  }

  #bytes(rows: number): number {
    return this.made.rowsOffset + rows * ROW_BYTES
  }
}

import { join } from 'node:path'
import type { FileSystem, Mapping } from '../disk/file-system.ts'
import { METER_NAME, writeAll } from '../disk/files.ts'
import {
  CELL_BYTES,
  CLOCK_MS,
  DURABLE_SEQUENCE,
  HEADER_CELLS,
  IDENTITY,
  meterBytes,
  SLOT_CELLS,
  SLOTS_USED,
  slotCell,
  slotIdentity,
} from './meter-layout.ts'

/** Bytes of zeros written at a time when the meter grows. */
const ZEROS_BYTES = 1024 * 1024

/**
 * The mapped meter of the running service. `cells` is replaced when the file grows, so hot code reads it from here at
 * each call and keeps no copy.
 */
export class MeterFile {
  cells: Float64Array
  #mapping: Mapping
  readonly #fs: FileSystem
  readonly #path: string
  #growing: Promise<void> = Promise.resolve()

  constructor(fs: FileSystem, folder: string, slots: number) {
    this.#fs = fs
    this.#path = join(folder, METER_NAME)
    this.#mapping = fs.map(this.#path, meterBytes(slots))
    this.cells = new Float64Array(this.#mapping.buffer)
  }

  get slots(): number {
    return (this.cells.length - HEADER_CELLS) / SLOT_CELLS
  }

  /** Marks a fresh slot as that of an account or key whose event is durable. Returns its first cell. */
  claim(slot: number, id: string): number {
    const cell = slotCell(slot)
    this.cells[SLOTS_USED] = Math.max(slot + 1, this.cells[SLOTS_USED])
    this.cells[cell + IDENTITY] = slotIdentity(id)
    return cell
  }

  setDurable(sequence: number): void {
    this.cells[DURABLE_SEQUENCE] = sequence
  }

  setClock(timeMs: number): void {
    this.cells[CLOCK_MS] = timeMs
  }

  /** Makes room for `slots` slots, doubling. @throws the system's error, such as ENOSPC; the meter stays as it was */
  reserve(slots: number): Promise<void> {
    if (slots <= this.slots) return Promise.resolve()
    const grown = this.#growing.catch(() => {}).then(() => this.#grow(slots))
    this.#growing = grown
    return grown
  }

  /** Writes everything back and unmaps. Later reads see an empty meter, later stores go nowhere. */
  close(): void {
    this.cells = new Float64Array(0)
    this.#mapping.sync()
    this.#mapping.close()
  }

  /**
   * Appends zeros and maps the longer file. The old mapping stays: it shows the same pages, and unmapping what some array
   * may still see would kill the process. All of them together are shorter than the last.
   */
  async #grow(slots: number): Promise<void> {
    if (slots <= this.slots) return
    const slotsGrown = Math.max(slots, this.slots * 2)
    const bytesGrown = meterBytes(slotsGrown)
    const file = await this.#fs.open(this.#path, 'write')
    try {
      // Beyond the mapped length only: what an earlier attempt left there is zeros as well.
      for (let position = this.cells.length * CELL_BYTES; position < bytesGrown; position += ZEROS_BYTES) {
        await writeAll(file, new Uint8Array(Math.min(ZEROS_BYTES, bytesGrown - position)), position)
      }
      await file.sync()
    } finally {
      await file.close()
    }
    this.#mapping = this.#fs.map(this.#path, bytesGrown)
    this.cells = new Float64Array(this.#mapping.buffer)
  }
}

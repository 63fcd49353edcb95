import { type MemoryHandle, memoryAt } from '../../platform/shared-memory.ts'
import { clockCell, HEADER_BYTES, ROW_BYTES } from './meter-layout.ts'

/** What another thread needs to see the same meter. */
export interface MeterHandle {
  memory: MemoryHandle
  rowsOffset: number
}

/**
 * The rows of the mapped meter as one thread sees them. The arrays are replaced when the file grows, so hot code reads them
 * from here at each call and keeps no copy. An array of before shows the same pages.
 */
export class MeterRows {
  /** The header's cells. */
  header: Float64Array
  /** Row `r` begins at word `r * ROW_WORDS` and at cell `r * ROW_CELLS`. */
  words: Int32Array
  cells: Float64Array
  /** Rows that this thread sees. */
  capacity: number

  constructor(memory: ArrayBufferLike, rowsOffset: number) {
    this.header = new Float64Array(0)
    this.words = new Int32Array(0)
    this.cells = new Float64Array(0)
    this.capacity = 0
    this.adopt(memory, rowsOffset)
  }

  /** The same rows on another thread. */
  static async at({ memory, rowsOffset }: MeterHandle): Promise<MeterRows> {
    return new MeterRows((await memoryAt(memory)).buffer, rowsOffset)
  }

  /** Goes over to the memory of a meter that has grown, on another thread. */
  async follow({ memory, rowsOffset }: MeterHandle): Promise<void> {
    this.adopt((await memoryAt(memory)).buffer, rowsOffset)
  }

  /** Goes over to the memory of a meter that has grown. */
  adopt(memory: ArrayBufferLike, rowsOffset: number): void {
    this.header = new Float64Array(memory, 0, Math.min(memory.byteLength, HEADER_BYTES) / 8)
    this.words = new Int32Array(memory, rowsOffset)
    this.cells = new Float64Array(memory, rowsOffset)
    this.capacity = (memory.byteLength - rowsOffset) / ROW_BYTES
  }

  /** Notes the latest time that a thread has counted a rate limit at. */
  setClock(thread: number, timeMs: number): void {
    this.header[clockCell(thread)] = timeMs
  }
}

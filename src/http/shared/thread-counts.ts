/**
 * What one server thread counts, in memory that the ledger thread reads for `/metrics`. Each thread is the only writer of its
 * own, so that counting costs plain stores.
 *
 *   cells: held body bytes | charges taken back | answers of each status … | latency …
 */
import { LATENCY_CELLS } from '../latency.ts'

/** The statuses of answers to requests whose body has been read; others are not counted. */
export const STATUSES = [200, 400, 401, 402, 404, 405, 429, 500, 503] as const

const HELD_BYTES = 0
const TAKEN_BACK = 1
const FIRST_STATUS = 2
const FIRST_LATENCY = FIRST_STATUS + STATUSES.length
const CELLS = FIRST_LATENCY + LATENCY_CELLS

/** The cell of each status, by the status. */
const CELL_OF_STATUS = new Uint8Array(600)
for (const [i, status] of STATUSES.entries()) CELL_OF_STATUS[status] = FIRST_STATUS + i

export class ThreadCounts {
  readonly memory: SharedArrayBuffer
  /** For a `LatencySample`. */
  readonly latency: Float64Array
  readonly #cells: Float64Array

  /** @param memory that of the same thread's counts on another thread; without it, new counts */
  constructor(memory = new SharedArrayBuffer(CELLS * Float64Array.BYTES_PER_ELEMENT)) {
    this.memory = memory
    this.#cells = new Float64Array(memory)
    this.latency = this.#cells.subarray(FIRST_LATENCY)
  }

  /** Counts an answer with one of `STATUSES`, in a nanosecond. */
  answered(status: number): void {
    this.#cells[CELL_OF_STATUS[status]]++
  }

  /** Answers with `STATUSES[i]` so far. */
  answers(i: number): number {
    return this.#cells[FIRST_STATUS + i]
  }

  /** Bytes held for unfinished bodies. */
  get heldBytes(): number {
    return this.#cells[HELD_BYTES]
  }

  set heldBytes(bytes: number) {
    this.#cells[HELD_BYTES] = bytes
  }

  /** Queries whose charges were taken back. */
  get takenBack(): number {
    return this.#cells[TAKEN_BACK]
  }

  set takenBack(queries: number) {
    this.#cells[TAKEN_BACK] = queries
  }
}

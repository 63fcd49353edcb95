/**
 * What one server thread counts, in memory that the ledger thread reads for `/metrics`. Each thread is the only writer of its
 * own, so that counting costs plain stores.
 *
 *   cells: held body bytes | charges taken back | heap bytes | collections and their time, by kind … |
 *          answers by endpoint and status … | refusals by reason … | delays of the event loop … | times of answers by endpoint …
 */
import { ENDPOINTS, REASONS, STATUSES } from '../counted.ts'
import { bucketOf, LATENCY_CELLS } from '../latency.ts'

/** Kinds of garbage collections, in the order of their cells. */
export const COLLECTIONS = ['minor', 'major', 'incremental', 'weakcb'] as const

const HELD_BYTES = 0
const TAKEN_BACK = 1
const HEAP_BYTES = 2
const FIRST_COLLECTION = 3
const FIRST_ANSWER = FIRST_COLLECTION + 2 * COLLECTIONS.length
const FIRST_REFUSAL = FIRST_ANSWER + ENDPOINTS.length * STATUSES.length
const FIRST_DELAY = FIRST_REFUSAL + REASONS.length
const FIRST_LATENCY = FIRST_DELAY + LATENCY_CELLS
const CELLS = FIRST_LATENCY + ENDPOINTS.length * LATENCY_CELLS

/** The place of each status in `STATUSES`, by the status. */
const PLACE_OF_STATUS = new Uint8Array(600)
for (const [i, status] of STATUSES.entries()) PLACE_OF_STATUS[status] = i

export class ThreadCounts {
  readonly memory: SharedArrayBuffer
  /** How late a timer of the thread's event loop was, by `bucketOf`. */
  readonly delays: Float64Array
  readonly #cells: Float64Array

  /** @param memory that of the same thread's counts on another thread; without it, new counts */
  constructor(memory = new SharedArrayBuffer(CELLS * Float64Array.BYTES_PER_ELEMENT)) {
    this.memory = memory
    this.#cells = new Float64Array(memory)
    this.delays = this.#cells.subarray(FIRST_DELAY, FIRST_LATENCY)
  }

  /** Counts an answer of `ENDPOINTS[endpoint]` with one of `STATUSES`, in a nanosecond. */
  answered(endpoint: number, status: number): void {
    this.#cells[FIRST_ANSWER + endpoint * STATUSES.length + PLACE_OF_STATUS[status]]++
  }

  /** Answers of `ENDPOINTS[endpoint]` with `STATUSES[status]` so far. */
  answers(endpoint: number, status: number): number {
    return this.#cells[FIRST_ANSWER + endpoint * STATUSES.length + status]
  }

  /** Counts how long an answer of `ENDPOINTS[endpoint]` took. */
  took(endpoint: number, micros: number): void {
    this.#cells[FIRST_LATENCY + endpoint * LATENCY_CELLS + bucketOf(micros)]++
  }

  /** How long answers of `ENDPOINTS[endpoint]` took, by `bucketOf`. */
  latency(endpoint: number): Float64Array {
    const first = FIRST_LATENCY + endpoint * LATENCY_CELLS
    return this.#cells.subarray(first, first + LATENCY_CELLS)
  }

  /** Counts something that was refused because of `REASONS[reason]`. */
  refused(reason: number): void {
    this.#cells[FIRST_REFUSAL + reason]++
  }

  /** What was refused because of `REASONS[reason]` so far. */
  refusals(reason: number): number {
    return this.#cells[FIRST_REFUSAL + reason]
  }

  /** Counts how late a timer of the event loop was. */
  delayed(micros: number): void {
    this.delays[bucketOf(micros)]++
  }

  /** Counts a garbage collection of `COLLECTIONS[kind]`. */
  collected(kind: number, seconds: number): void {
    this.#cells[FIRST_COLLECTION + 2 * kind]++
    this.#cells[FIRST_COLLECTION + 2 * kind + 1] += seconds
  }

  /** Garbage collections of `COLLECTIONS[kind]` so far, and the seconds that they took. */
  collections(kind: number): { count: number; seconds: number } {
    const first = FIRST_COLLECTION + 2 * kind
    return { count: this.#cells[first], seconds: this.#cells[first + 1] }
  }

  /** Bytes of the thread's heap in use, as of some seconds ago. */
  get heapBytes(): number {
    return this.#cells[HEAP_BYTES]
  }

  set heapBytes(bytes: number) {
    this.#cells[HEAP_BYTES] = bytes
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

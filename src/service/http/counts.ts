/** Counts of server threads, in shared memory. Each thread writes only its own, by plain stores. */
import { HISTOGRAM_CELLS } from './histogram.ts'
import { ENDPOINT_LABELS, REFUSAL_REASONS, type RefusalReason, STATUSES } from './labels.ts'

/** Cells in which failures are counted by address. Addresses may share one. */
const KEY_FAILURE_CELLS = 65_536

/** Numbers of a thread's gauges. */
export const GAUGE = { heapBytes: 0, heldBytes: 1 } as const

const SIZES = {
  gauges: Object.keys(GAUGE).length,
  answers: ENDPOINT_LABELS.length * STATUSES.length,
  refusals: REFUSAL_REASONS.length,
  delays: HISTOGRAM_CELLS,
  times: ENDPOINT_LABELS.length * HISTOGRAM_CELLS,
}
const CELLS = Object.values(SIZES).reduce((sum, size) => sum + size)

export class ThreadCounts {
  readonly memory: SharedArrayBuffer
  readonly refusals: Float64Array
  readonly delays: Float64Array
  readonly times: readonly Float64Array[]
  /** Values by `GAUGE`. */
  readonly gauges: Float64Array
  readonly #answers: Float64Array

  /** @param memory of the same thread's counts on another thread; new counts without it */
  constructor(memory = new SharedArrayBuffer(CELLS * Float64Array.BYTES_PER_ELEMENT)) {
    this.memory = memory
    let offset = 0
    const next = (size: number) => {
      const cells = new Float64Array(memory, offset, size)
      offset += cells.byteLength
      return cells
    }
    this.gauges = next(SIZES.gauges)
    this.#answers = next(SIZES.answers)
    this.refusals = next(SIZES.refusals)
    this.delays = next(SIZES.delays)
    this.times = ENDPOINT_LABELS.map(() => next(HISTOGRAM_CELLS))
  }

  countAnswer(endpointNumber: number, status: number): void {
    this.#answers[endpointNumber * STATUSES.length + STATUSES.indexOf(status)]++
  }

  /** @param statusNumber place of the status in STATUSES */
  answers(endpointNumber: number, statusNumber: number): number {
    return this.#answers[endpointNumber * STATUSES.length + statusNumber]
  }

  countRefusal(reason: RefusalReason): void {
    this.refusals[REFUSAL_REASONS.indexOf(reason)]++
  }
}

/** Cells of the process, which all threads add to with `Atomics`. */
export const TOTAL = { open: 0, refused: 1, waitingKeys: 2, workerTasks: 3 } as const

const FIRST_FAILURE = Object.keys(TOTAL).length
/** Bits of half a cell of failures: the minute in the upper half, their number in the lower. */
const HALF_BITS = 16
const HALF_MASK = 0xffff

/** Counts of all threads together, for bounds on the process. */
export class ProcessCounts {
  readonly memory: SharedArrayBuffer
  readonly cells: Int32Array

  /** @param memory of another thread's counts; new counts without it */
  constructor(
    memory = new SharedArrayBuffer((FIRST_FAILURE + KEY_FAILURE_CELLS) * Int32Array.BYTES_PER_ELEMENT),
  ) {
    this.memory = memory
    this.cells = new Int32Array(memory)
  }

  load(cell: number): number {
    return Atomics.load(this.cells, cell)
  }

  /** Counts a new connection. Returns false if it must be closed, which `countClosed` then counts. */
  countOpened(connectionsMax: number): boolean {
    if (Atomics.add(this.cells, TOTAL.open, 1) < connectionsMax) return true
    Atomics.add(this.cells, TOTAL.refused, 1)
    return false
  }

  countClosed(): void {
    Atomics.sub(this.cells, TOTAL.open, 1)
  }

  /** Returns the failed keys of a network in a minute. Networks with one hash share a count. */
  countFailure(network: string, minute: number): number {
    const { cells } = this
    const at = FIRST_FAILURE + (hashOf(network) % KEY_FAILURE_CELLS)
    for (;;) {
      const present = Atomics.load(cells, at)
      const isSameMinute = present >>> HALF_BITS === (minute & HALF_MASK)
      const count = isSameMinute ? Math.min((present & HALF_MASK) + 1, HALF_MASK) : 1
      if (Atomics.compareExchange(cells, at, present, (minute << HALF_BITS) | count) === present) return count
    }
  }
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

export interface Counts {
  readonly thread: ThreadCounts
  readonly shared: ProcessCounts
}

/** What the threads of the process count together, so that a bound holds for all of them and not for each. */
import { CONNECTIONS_MAX, KEY_FAILURE_ADDRESSES_MAX, TAKEN_BACK_ACCOUNTS_MAX } from '../../limits.ts'
import { Tally, tallyMemory } from './tally.ts'

/** Cells that threads add to with `Atomics`. */
export const CELL = {
  /** Connections that are open. */
  open: 0,
  /** Connections that were refused so far. */
  refused: 1,
  /** Refused connections that are not closed yet. */
  refusedOpen: 2,
  /** Connections that were closed since the last census began. */
  closedSince: 3,
  /** 1 while a thread takes a census. */
  takingCensus: 4,
  /** Answers to failed keys that wait. */
  waitingKeys: 5,
  /** Tasks that wait for a bulk worker or are with one. */
  bulkTasks: 6,
  /** Connections that were counted by address so far. */
  opened: 7,
} as const

/** What another thread gets, by structured clone, to count in the same memory. */
export interface CountsMemory {
  cells: SharedArrayBuffer
  censusMs: SharedArrayBuffer
  held: SharedArrayBuffer
  failures: SharedArrayBuffer
  takenBack: SharedArrayBuffer
}

export class ProcessCounts {
  readonly memory: CountsMemory
  /** By `CELL`. */
  readonly cells: Int32Array
  /** One cell: when the last census ended, on the clock of `monotonicMs`. */
  readonly censusMs: Float64Array
  /** Connections by address: all that were opened, without those that the last census no longer found. */
  readonly held: Tally
  /** Failed keys by address in a minute. */
  readonly failures: Tally
  /** Queries whose charges were taken back, by account in a minute. */
  readonly takenBack: Tally

  /** @param memory that of another thread's counts; without it, new counts */
  constructor(memory: CountsMemory = newMemory()) {
    this.memory = memory
    this.cells = new Int32Array(memory.cells)
    this.censusMs = new Float64Array(memory.censusMs)
    this.held = new Tally(memory.held)
    this.failures = new Tally(memory.failures)
    this.takenBack = new Tally(memory.takenBack)
  }
}

function newMemory(): CountsMemory {
  const censusMs = new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT)
  new Float64Array(censusMs).fill(Number.NEGATIVE_INFINITY)
  return {
    cells: new SharedArrayBuffer(Object.keys(CELL).length * Int32Array.BYTES_PER_ELEMENT),
    censusMs,
    // Pages that nobody has counted in take no memory.
    held: tallyMemory(rowsFor(CONNECTIONS_MAX)),
    failures: tallyMemory(rowsFor(KEY_FAILURE_ADDRESSES_MAX)),
    takenBack: tallyMemory(rowsFor(TAKEN_BACK_ACCOUNTS_MAX)),
  }
}

/** The power of two that has room for so many keys. */
function rowsFor(keys: number): number {
  return 2 ** Math.ceil(Math.log2(keys))
}

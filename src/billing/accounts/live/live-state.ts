import { reserveShared } from '../../../platform/shared-memory.ts'
import { WINDOWS_CELLS } from './counter.ts'
import { KeyTable } from './key-table.ts'
import {
  FUNDS,
  HEALTH,
  HEALTHY,
  LINE_CELLS,
  LINE_WORDS,
  type LiveParts,
  liveParts,
  NETWORKS_WORDS,
  STALLED,
  STOPPED,
} from './live-layout.ts'

export interface LiveShare {
  memory: SharedArrayBuffer
  slots: number
}

/** Places of an account or key in the shared memory. */
export class Line {
  readonly slot: number
  readonly words: Int32Array
  readonly word: number
  readonly cells: Float64Array
  readonly cell: number
  /** First cell of the counter of the balance or cap. */
  readonly funds: number
  /** First cell of the three windows. */
  readonly windows: number

  constructor({ words, cells, parts }: LiveState, slot: number) {
    this.slot = slot
    this.words = words
    this.word = parts.lines + slot * LINE_WORDS
    this.cells = cells
    this.cell = this.word / (LINE_WORDS / LINE_CELLS)
    this.funds = this.cell + FUNDS
    this.windows = parts.windows / 2 + slot * WINDOWS_CELLS
  }
}

/** Memory of all threads, reserved for the largest number of accounts and keys. Unused pages take no memory. */
export class LiveState {
  readonly share: LiveShare
  readonly words: Int32Array
  readonly cells: Float64Array
  readonly keys: KeyTable
  readonly parts: LiveParts

  constructor(share: LiveShare) {
    this.share = share
    this.parts = liveParts(share.slots)
    this.words = new Int32Array(share.memory)
    this.cells = new Float64Array(share.memory)
    this.keys = new KeyTable(this.words, this.parts)
  }

  static for(slots: number): LiveState {
    return new LiveState({ memory: reserveShared(liveParts(slots).bytes), slots })
  }

  get header(): Int32Array {
    return this.words
  }

  lineOf(slot: number): Line {
    return new Line(this, slot)
  }

  rulesOf(slot: number): { word: number; networksWord: number } {
    const { rules, networks } = this.parts
    return { word: rules + slot * LINE_WORDS, networksWord: networks + slot * NETWORKS_WORDS }
  }

  stop(): void {
    this.header[HEALTH] = STOPPED
  }

  /** Stops charging while the disk hangs, and resumes it. `STOPPED` stays. */
  setStalled(isStalled: boolean): void {
    const [from, to] = isStalled ? [HEALTHY, STALLED] : [STALLED, HEALTHY]
    Atomics.compareExchange(this.header, HEALTH, from, to)
  }

  /** Sets a slot's bit, after the count is stored and under the account's lock, so that the flusher sees the count. Returns true if it was unset. */
  markChanged(slot: number): boolean {
    const word = this.parts.changed + (slot >>> 5)
    const bit = 1 << (slot & 31)
    if ((this.words[word] & bit) !== 0) return false
    Atomics.or(this.words, word, bit)
    return true
  }

  isChanged(slot: number): boolean {
    return (Atomics.load(this.words, this.parts.changed + (slot >>> 5)) & (1 << (slot & 31))) !== 0
  }

  takeChanged(slot: number): boolean {
    const bit = 1 << (slot & 31)
    return (Atomics.and(this.words, this.parts.changed + (slot >>> 5), ~bit) & bit) !== 0
  }

  /** Returns the first changed slot in `[from, end)`; -1 if there is none. Costs a nanosecond for 32 slots. */
  nextChanged(from: number, end: number): number {
    let mask = -1 << (from & 31)
    for (let first = from & ~31; first < end; first += 32) {
      const bits = Atomics.load(this.words, this.parts.changed + (first >>> 5)) & mask
      if (bits !== 0) return first + 31 - Math.clz32(bits & -bits)
      mask = -1
    }
    return -1
  }
}

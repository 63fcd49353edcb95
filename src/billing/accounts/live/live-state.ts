/** Accounts and keys in the memory that all threads share, and the place of each. `live-layout.ts` has the layout. */
import { reserveShared } from '../../../platform/shared-memory.ts'
import type { RateLimits } from '../../ledger/event.ts'
import { limitsAt, WINDOWS_CELLS } from './counter.ts'
import { type KeyTable, keyTable } from './key-table.ts'
import {
  CELL,
  HEALTHY,
  LINE_WORDS,
  LIVE_HEADER,
  type LiveParts,
  liveParts,
  NETWORKS_WORDS,
  STALLED,
  STOPPED,
  WORD,
  WORDS_PER_CELL,
} from './live-layout.ts'
import { lock, unlock } from './lock.ts'

export type LiveShare = { memory: SharedArrayBuffer; slots: number }

/** Places of an account or key in the shared memory. */
export class Line {
  readonly slot: number
  readonly words: Int32Array
  readonly word: number
  readonly cells: Float64Array
  readonly cell: number
  /** First cell of the counter of the balance or cap. */
  readonly funds: number
  /** First cell of the counters of the rate limits. */
  readonly windows: number
  /** First word of a key's rules. */
  readonly rulesWord: number
  /** First word of the networks from which a key may be used. */
  readonly networksWord: number

  constructor({ words, cells, parts }: LiveState, slot: number) {
    this.slot = slot
    this.words = words
    this.word = parts.lines + slot * LINE_WORDS
    this.cells = cells
    this.cell = this.word / WORDS_PER_CELL
    this.funds = this.cell + CELL.funds
    this.windows = parts.windows / WORDS_PER_CELL + slot * WINDOWS_CELLS
    this.rulesWord = parts.rules + slot * LINE_WORDS
    this.networksWord = parts.networks + slot * NETWORKS_WORDS
  }

  /** Returns the rate limits of the account or key; null without any. */
  readLimits(): RateLimits | null {
    return this.words[this.word + WORD.isLimited] === 0 ? null : limitsAt(this.cells, this.windows)
  }
}

/** Memory of all threads, reserved for all possible accounts and keys. Unused pages take none. */
export class LiveState {
  readonly share: LiveShare
  /** All words. Those of the header come first. */
  readonly words: Int32Array
  readonly cells: Float64Array
  readonly keys: KeyTable
  readonly parts: LiveParts

  constructor(share: LiveShare) {
    this.share = share
    this.parts = liveParts(share.slots)
    this.words = new Int32Array(share.memory)
    this.cells = new Float64Array(share.memory)
    this.keys = keyTable(this.words, this.parts)
  }

  static for(slots: number): LiveState {
    return new LiveState({ memory: reserveShared(liveParts(slots).bytes), slots })
  }

  lineOf(slot: number): Line {
    return new Line(this, slot)
  }

  /** Returns true once the creation of the account or key is durable. */
  has(slot: number): boolean {
    return slot < this.share.slots && this.words[this.parts.lines + slot * LINE_WORDS + WORD.account] !== 0
  }

  stop(): void {
    this.words[LIVE_HEADER.health] = STOPPED
  }

  get isStopped(): boolean {
    return this.words[LIVE_HEADER.health] === STOPPED
  }

  /** Stops charging while the disk hangs, and resumes it. `STOPPED` stays. */
  setStalled(isStalled: boolean): void {
    const [from, to] = isStalled ? [HEALTHY, STALLED] : [STALLED, HEALTHY]
    Atomics.compareExchange(this.words, LIVE_HEADER.health, from, to)
  }

  /** Sets a slot's bit, after the count and under the lock: the flusher sees it. True if it was unset. */
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

  clearChanged(slot: number): boolean {
    const bit = 1 << (slot & 31)
    return (Atomics.and(this.words, this.parts.changed + (slot >>> 5), ~bit) & bit) !== 0
  }

  /** Returns the first changed slot in `[from, end)`; -1 for none. Costs a nanosecond for 32 slots. */
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

/** Runs `act` on the ledger thread, under the account's lock. It must not throw: the lock would be lost. */
export function withLock<T>(live: LiveState, { slot }: { slot: number }, act: (line: Line) => T): T {
  const line = live.lineOf(slot)
  lock(line.words, line.word, 0)
  const result = act(line)
  unlock(line.words, line.word)
  return result
}

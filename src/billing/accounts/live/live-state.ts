import { reserveShared } from '../../../platform/shared-memory.ts'
import { WINDOWS_CELLS } from './counter.ts'
import {
  CELL,
  HEADER,
  HEALTHY,
  LINE_CELLS,
  LINE_WORDS,
  type LiveParts,
  liveParts,
  NETWORKS_WORDS,
  STALLED,
  STOPPED,
  WORD,
} from './live-layout.ts'

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
  readonly windows: number

  constructor({ words, cells, parts }: LiveState, slot: number) {
    this.slot = slot
    this.words = words
    this.word = parts.lines + slot * LINE_WORDS
    this.cells = cells
    this.cell = this.word / (LINE_WORDS / LINE_CELLS)
    this.funds = this.cell + CELL.funds
    this.windows = parts.windows / 2 + slot * WINDOWS_CELLS
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

  rulesOf(slot: number): { word: number; networksWord: number } {
    const { rules, networks } = this.parts
    return { word: rules + slot * LINE_WORDS, networksWord: networks + slot * NETWORKS_WORDS }
  }

  stop(): void {
    this.words[HEADER.health] = STOPPED
  }

  get isStopped(): boolean {
    return this.words[HEADER.health] === STOPPED
  }

  /** Stops charging while the disk hangs, and resumes it. `STOPPED` stays. */
  setStalled(isStalled: boolean): void {
    const [from, to] = isStalled ? [HEALTHY, STALLED] : [STALLED, HEALTHY]
    Atomics.compareExchange(this.words, HEADER.health, from, to)
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

const HASH_WORDS = 6
const HASH_CHARACTERS = 32
const PLACES = 2
const PLACE_WORDS = LINE_WORDS / PLACES
/** Word of a place after the hash: number of the secret plus 1; 0 while the place is not in use. */
const NUMBER = HASH_WORDS

/** Entry that ends a search. */
const UNUSED = 0
/** Entry that a search passes over. */
const REMOVED = -1

/**
 * Finds a key by the hash of its secret, on every thread. The table has one writer. An entry is slot * 2 +
 * place + 1. A key has two places, for its present and its earlier secret. Secrets of a key are numbered:
 * number `n` is in place `n % 2`. No search finds half a hash:
 *
 * 1. A thread reads number 4 in a place, and compares the hash there.
 * 2. The writer stores 0 there, then the hash of secret 6, then its number.
 * 3. The thread reads the number again. It is not 4, so the thread passes over the entry.
 */
export type KeyTable = ReturnType<typeof keyTable>

function keyTable(words: Int32Array, { table, tableEntries, secrets }: LiveParts) {
  const mask = tableEntries - 1

  /** Removes an entry. Before an unused one, frees REMOVED entries, so that searches stay short. */
  function remove(entry: number, firstWord: number): void {
    Atomics.store(words, secrets + (entry - 1) * PLACE_WORDS + NUMBER, 0)
    let index = firstWord & mask
    while (words[table + index] !== entry) index = (index + 1) & mask
    Atomics.store(words, table + index, REMOVED)
    if (words[table + ((index + 1) & mask)] !== UNUSED) return
    while (words[table + index] === REMOVED) {
      Atomics.store(words, table + index, UNUSED)
      index = (index - 1) & mask
    }
  }

  function isAt(place: number, sought: Int32Array): boolean {
    let word = 0
    while (word < HASH_WORDS && words[place + word] === sought[word]) word++
    return word === HASH_WORDS
  }

  return {
    find(hash: string): { slot: number; secret: number } | undefined {
      const sought = hashWords(hash)
      for (let index = sought[0] & mask; ; index = (index + 1) & mask) {
        const entry = Atomics.load(words, table + index)
        if (entry === UNUSED) return undefined
        if (entry === REMOVED) continue
        const place = secrets + (entry - 1) * PLACE_WORDS
        const number = Atomics.load(words, place + NUMBER)
        if (!isAt(place, sought)) continue
        if (number === 0 || Atomics.load(words, place + NUMBER) !== number) continue
        return { slot: Math.floor((entry - 1) / PLACES), secret: number - 1 }
      }
    },
    /** Adds secret number `secret` of a key, and removes `secret - 2`. Only for the ledger thread. */
    add(hash: string, slot: number, secret: number): void {
      const entry = slot * PLACES + (secret % PLACES) + 1
      const place = secrets + (entry - 1) * PLACE_WORDS
      if (words[place + NUMBER] !== 0) remove(entry, words[place])
      const sought = hashWords(hash)
      words.set(sought, place)
      Atomics.store(words, place + NUMBER, secret + 1)
      let index = sought[0] & mask
      while (words[table + index] > 0) index = (index + 1) & mask
      Atomics.store(words, table + index, entry)
    },
  }
}

function hashWords(hash: string): Int32Array {
  const bytes = Buffer.alloc(HASH_WORDS * 4)
  bytes.write(hash.slice(0, HASH_CHARACTERS), 'base64url')
  return Int32Array.from({ length: HASH_WORDS }, (_, word) => bytes.readInt32LE(word * 4))
}

/** Writes the request log of one thread: a dozen stores for each request, and for one of 32 a new block. */
import {
  BLOCK_WORDS,
  BLOCKS_PER_RING,
  CODE,
  CODE_BYTES_MAX,
  COUNTRY,
  DURATION,
  ENTRIES,
  ENTRIES_PER_BLOCK,
  ENTRY_WORDS,
  GENERATION,
  HEAD_WORDS,
  KEY,
  NEXT,
  OWNER,
  RESULT,
  RING_BLOCKS,
} from './request-log-layout.ts'

export class RequestLog {
  readonly #heads: Int32Array
  readonly #words: Int32Array
  readonly #cells: Float64Array
  readonly #bytes: Uint8Array
  readonly #blocks: number
  /** The block that has been in use for longest. */
  #oldest = 0

  constructor(heads: SharedArrayBuffer, blocks: SharedArrayBuffer) {
    this.#heads = new Int32Array(heads)
    this.#words = new Int32Array(blocks)
    this.#cells = new Float64Array(blocks)
    this.#bytes = new Uint8Array(blocks)
    this.#blocks = this.#words.length / BLOCK_WORDS
  }

  /**
   * Adds a request of the account `slot`.
   * @param micros how long its answer took
   * @param result of `packResult`
   * @param country two letters as characters, the first one in the low byte; 0: none
   * @param code the bytes `[codeStart, codeEnd)` are what was asked for, when that may be kept
   */
  add(
    slot: number,
    timeMs: number,
    micros: number,
    key: number,
    result: number,
    country: number,
    code: Uint8Array | undefined,
    codeStart: number,
    codeEnd: number,
  ): void {
    const words = this.#words
    let head = (this.#heads[slot] - 1) * BLOCK_WORDS
    if (head < 0 || words[head + ENTRIES] === ENTRIES_PER_BLOCK) head = this.#begin(slot) * BLOCK_WORDS
    const entries = words[head + ENTRIES]
    const at = head + HEAD_WORDS + entries * ENTRY_WORDS
    const length = code === undefined ? 0 : Math.min(codeEnd - codeStart, CODE_BYTES_MAX)
    this.#cells[at >> 1] = timeMs
    words[at + DURATION] = micros
    words[at + KEY] = key
    words[at + RESULT] = result
    words[at + COUNTRY] = country | (length << 16)
    if (code !== undefined)
      for (let i = 0; i < length; i++) this.#bytes[(at + CODE) * 4 + i] = code[codeStart + i]
    // Last, so that a reader never sees half an entry.
    Atomics.store(words, head + ENTRIES, entries + 1)
  }

  /** The next block of an account. */
  #begin(slot: number): number {
    const newest = this.#heads[slot] - 1
    const isFull = newest >= 0 && this.#words[newest * BLOCK_WORDS + RING_BLOCKS] >= BLOCKS_PER_RING
    return isFull ? this.#reuse(slot, newest) : this.#take(slot)
  }

  /** Goes on in the account's own oldest block. */
  #reuse(slot: number, newest: number): number {
    const words = this.#words
    const block = words[newest * BLOCK_WORDS + NEXT]
    const head = block * BLOCK_WORDS
    Atomics.add(words, head + GENERATION, 1)
    words[head + ENTRIES] = 0
    words[head + RING_BLOCKS] = words[newest * BLOCK_WORDS + RING_BLOCKS]
    Atomics.add(words, head + GENERATION, 1)
    Atomics.store(this.#heads, slot, block + 1)
    return block
  }

  /** Takes the block that has been in use for longest, and puts it into the ring of the account. */
  #take(slot: number): number {
    const words = this.#words
    const block = this.#oldest
    const head = block * BLOCK_WORDS
    this.#oldest = (block + 1) % this.#blocks
    Atomics.add(words, head + GENERATION, 1)
    if (words[head + OWNER] !== 0) this.#unlink(words[head + OWNER] - 1, block)
    // Only now: the account may just have lost its newest block.
    const newest = this.#heads[slot] - 1
    words[head + OWNER] = slot + 1
    words[head + ENTRIES] = 0
    if (newest < 0) {
      words[head + NEXT] = block
      words[head + RING_BLOCKS] = 1
    } else {
      const before = newest * BLOCK_WORDS
      words[head + NEXT] = words[before + NEXT]
      words[before + NEXT] = block
      words[head + RING_BLOCKS] = words[before + RING_BLOCKS] + 1
    }
    Atomics.add(words, head + GENERATION, 1)
    Atomics.store(this.#heads, slot, block + 1)
    return block
  }

  /** Takes a block out of the ring of its account. */
  #unlink(slot: number, block: number): void {
    const words = this.#words
    const newest = this.#heads[slot] - 1
    let before = newest
    while (words[before * BLOCK_WORDS + NEXT] !== block) before = words[before * BLOCK_WORDS + NEXT]
    if (before === block) {
      Atomics.store(this.#heads, slot, 0)
      return
    }
    const left = words[newest * BLOCK_WORDS + RING_BLOCKS] - 1
    words[before * BLOCK_WORDS + NEXT] = words[block * BLOCK_WORDS + NEXT]
    const head = newest === block ? before : newest
    words[head * BLOCK_WORDS + RING_BLOCKS] = left
    if (newest === block) Atomics.store(this.#heads, slot, before + 1)
  }
}

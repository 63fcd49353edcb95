import { KeyTable } from './key-table.ts'
import { HEADER_BYTES, LINE_BYTES, LINE_CELLS, LINE_WORDS } from './live-layout.ts'

/** What another thread needs to see the same live state. */
export interface LiveShare {
  header: SharedArrayBuffer
  chunks: SharedArrayBuffer[]
  keys: SharedArrayBuffer
}

/** The line of an account or key: `words` from `word` on, which are `cells` from `cell` on. */
export interface Line {
  readonly words: Int32Array
  readonly word: number
  readonly cells: Float64Array
  readonly cell: number
}

/** Lines of consecutive slots. */
interface Chunk {
  words: Int32Array
  cells: Float64Array
  firstSlot: number
}

/**
 * The live state: a header, a line for each account and key, and the table of keys. Lines stay where they are: it grows by
 * chunks, each as long as all before it.
 */
export class LiveState {
  readonly header: Int32Array
  keys: KeyTable
  #chunks: Chunk[]
  /** Slots of the first chunk, a power of two, and its exponent. */
  readonly #firstSlots: number
  readonly #shift: number

  constructor({ header, chunks, keys }: LiveShare) {
    this.header = new Int32Array(header)
    this.#firstSlots = chunks[0].byteLength / LINE_BYTES
    this.#shift = Math.log2(this.#firstSlots)
    this.#chunks = []
    this.keys = new KeyTable(keys)
    this.#map(chunks)
  }

  /** A new one with room for at least `slots` accounts and keys. */
  static for(slots: number): LiveState {
    const room = 2 ** Math.ceil(Math.log2(Math.max(2, slots)))
    return new LiveState({
      header: new SharedArrayBuffer(HEADER_BYTES),
      chunks: [new SharedArrayBuffer(room * LINE_BYTES)],
      keys: KeyTable.for(room).memory,
    })
  }

  /** Accounts and keys that there is room for. */
  get slots(): number {
    return this.#firstSlots << (this.#chunks.length - 1)
  }

  lineOf(slot: number): Line {
    const chunk = slot < this.#firstSlots ? 0 : 32 - Math.clz32(slot >>> this.#shift)
    const { words, cells, firstSlot } = this.#chunks[chunk]
    const line = slot - firstSlot
    return { words, word: line * LINE_WORDS, cells, cell: line * LINE_CELLS }
  }

  share(): LiveShare {
    return {
      header: this.header.buffer as SharedArrayBuffer,
      chunks: this.#chunks.map(({ words }) => words.buffer as SharedArrayBuffer),
      keys: this.keys.memory,
    }
  }

  /** Goes over to what the ledger thread has added. */
  adopt({ chunks, keys }: LiveShare): void {
    this.#map(chunks)
    this.keys = new KeyTable(keys)
  }

  /** Doubles the room. Only the ledger thread calls it; it then has the others adopt. */
  grow(): void {
    const chunk = new SharedArrayBuffer(this.slots * LINE_BYTES)
    this.#map([...this.share().chunks, chunk])
    const keys = KeyTable.for(this.slots)
    keys.addAll(this.keys)
    this.keys = keys
  }

  #map(chunks: readonly SharedArrayBuffer[]): void {
    for (const memory of chunks.slice(this.#chunks.length)) {
      const words = new Int32Array(memory)
      const firstSlot = this.#chunks.length === 0 ? 0 : this.slots
      this.#chunks.push({ words, cells: new Float64Array(memory), firstSlot })
    }
  }
}

import { type FoundSecret, KeyTable } from './key-table.ts'
import { HEADER_BYTES, LINE_BYTES, LINE_CELLS, LINE_WORDS, RULES_BLOCK } from './live-layout.ts'
import { RuleBlocks } from './rule-blocks.ts'

/** Lines for rules that a new service has room for; a key with rules takes one or more of them. */
const RULE_LINES_MIN = 256
/** Share of its room that a table of keys may have in use when it is made. */
const KEYS_FULL = 0.75

/** What another thread needs to see the same live state. */
export interface LiveShare {
  header: SharedArrayBuffer
  chunks: SharedArrayBuffer[]
  keys: SharedArrayBuffer
  rules: SharedArrayBuffer
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
 * The live state: a header, a line for each account and key, the table of keys, and the rules of those that have any. Lines stay
 * where they are: they grow by chunks, each as long as all before it. The others are replaced as a whole when they grow.
 */
export class LiveState {
  readonly header: Int32Array
  keys: KeyTable
  rules: RuleBlocks
  #chunks: Chunk[]
  /** Slots of the first chunk, a power of two, and its exponent. */
  readonly #firstSlots: number
  readonly #shift: number

  constructor({ header, chunks, keys, rules }: LiveShare) {
    this.header = new Int32Array(header)
    this.#firstSlots = chunks[0].byteLength / LINE_BYTES
    this.#shift = Math.log2(this.#firstSlots)
    this.#chunks = []
    this.keys = new KeyTable(keys)
    this.rules = new RuleBlocks(rules)
    this.#map(chunks)
  }

  /** A new one with room for at least `slots` accounts and keys. */
  static for(slots: number): LiveState {
    const room = 2 ** Math.ceil(Math.log2(Math.max(2, slots)))
    return new LiveState({
      header: new SharedArrayBuffer(HEADER_BYTES),
      chunks: [new SharedArrayBuffer(room * LINE_BYTES)],
      keys: KeyTable.for(room).memory,
      rules: RuleBlocks.for(RULE_LINES_MIN).memory,
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
      rules: this.rules.memory,
    }
  }

  /** Goes over to what the ledger thread has added. */
  adopt({ chunks, keys, rules }: LiveShare): void {
    this.#map(chunks)
    this.keys = new KeyTable(keys)
    this.rules = new RuleBlocks(rules)
  }

  /** Doubles the room for accounts and keys. Only the ledger thread calls it; it then has the others adopt. */
  grow(): void {
    const chunk = new SharedArrayBuffer(this.slots * LINE_BYTES)
    this.#map([...this.share().chunks, chunk])
    this.growKeys()
  }

  /** Makes another table of keys, without the secrets that no longer work and with room for more. As `grow`. */
  growKeys(): void {
    let room = this.slots
    let keys = this.#keysFor(room)
    while (!keys.hasRoom || keys.used > room * KEYS_FULL) {
      room *= 2
      keys = this.#keysFor(room)
    }
    this.keys = keys
  }

  /** Doubles the room for rules. As `grow`. */
  growRules(): void {
    this.rules = this.rules.grown()
  }

  #keysFor(room: number): KeyTable {
    const keys = KeyTable.for(room)
    keys.addAll(this.keys, found => this.#mayWork(found))
    return keys
  }

  /** The present secret of a key, and the one before it. */
  #mayWork({ slot, secret }: FoundSecret): boolean {
    const { words, word } = this.lineOf(slot)
    const block = words[word + RULES_BLOCK]
    return block === 0 || secret >= this.rules.read(block).secret - 1
  }

  #map(chunks: readonly SharedArrayBuffer[]): void {
    for (const memory of chunks.slice(this.#chunks.length)) {
      const words = new Int32Array(memory)
      const firstSlot = this.#chunks.length === 0 ? 0 : this.slots
      this.#chunks.push({ words, cells: new Float64Array(memory), firstSlot })
    }
  }
}

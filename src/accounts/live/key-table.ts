/** Finds a key by the hash of its secret, on every thread: a table in shared memory with one writer. */

const WORDS = 8
/** 192 bits of the SHA-256. */
const HASH_WORDS = 6
/** Characters of base64url that encode them. */
const HASH_CHARACTERS = 32
const SLOT = HASH_WORDS

const scratch = Buffer.alloc(HASH_WORDS * 4)
const wanted = new Int32Array(HASH_WORDS)

/** An entry is a hash and the key's slot plus 1, which is stored last; 0 ends a search. Keys are never removed. */
export class KeyTable {
  readonly memory: SharedArrayBuffer
  readonly #words: Int32Array
  /** Entries less one; their number is a power of two. */
  readonly #mask: number

  constructor(memory: SharedArrayBuffer) {
    this.memory = memory
    this.#words = new Int32Array(memory)
    this.#mask = this.#words.length / WORDS - 1
  }

  /** A table that is at most half full with `keys` keys, a power of two. */
  static for(keys: number): KeyTable {
    return new KeyTable(new SharedArrayBuffer(keys * 2 * WORDS * 4))
  }

  /** The slot of the key whose secret has this hash, or -1. @param hash in base64url */
  find(hash: string): number {
    const entry = this.#entryOf(hash)
    return this.#words[entry + SLOT] - 1
  }

  /** Only the ledger thread calls it. */
  add(hash: string, slot: number): void {
    const entry = this.#entryOf(hash)
    this.#words.set(wanted, entry)
    Atomics.store(this.#words, entry + SLOT, slot + 1)
  }

  /** Enters all that `other` holds. */
  addAll(other: KeyTable): void {
    for (let entry = 0; entry < other.#words.length; entry += WORDS) {
      if (other.#words[entry + SLOT] === 0) continue
      const free = this.#probe(other.#words, entry)
      this.#words.set(other.#words.subarray(entry, entry + WORDS), free)
    }
  }

  #entryOf(hash: string): number {
    scratch.fill(0)
    scratch.write(hash.slice(0, HASH_CHARACTERS), 0, 'base64url')
    for (let word = 0; word < HASH_WORDS; word++) wanted[word] = scratch.readInt32LE(word * 4)
    return this.#probe(wanted, 0)
  }

  /** First word of the entry with the hash at `hashes[at]`, or of the unused one where it belongs. */
  #probe(hashes: Int32Array, at: number): number {
    const words = this.#words
    for (let index = hashes[at] & this.#mask; ; index = (index + 1) & this.#mask) {
      const entry = index * WORDS
      if (Atomics.load(words, entry + SLOT) === 0) return entry
      let word = 0
      while (word < HASH_WORDS && words[entry + word] === hashes[at + word]) word++
      if (word === HASH_WORDS) return entry
    }
  }
}

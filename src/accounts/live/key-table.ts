/**
 * Finds a key by the hash of its secret, on every thread: a table in shared memory with one writer. A key that was rolled has an
 * entry for each secret, with the number of that secret; the key's line says which of them work.
 */

const WORDS = 8
/** 192 bits of the SHA-256. */
const HASH_WORDS = 6
/** Characters of base64url that encode them. */
const HASH_CHARACTERS = 32
const SLOT = HASH_WORDS
/** Which secret of the key it is: 0 for the first one that this process knows. */
const SECRET = SLOT + 1

/** Six bits by character; 0 for what is not base64url. */
const SIX_BITS = new Uint8Array(256)
for (const [bits, character] of [
  ...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
].entries())
  SIX_BITS[character.charCodeAt(0)] = bits

const text = Buffer.alloc(HASH_CHARACTERS)
const hashBytes = new Uint8Array(HASH_WORDS * 4)
/** The hash that is looked for. */
const wanted = new Int32Array(hashBytes.buffer)

/** Decodes the base64url at `bytes[start]`, shorter than a hash only where somebody has forged one. Costs some 30 ns. */
function decodeHash(bytes: Uint8Array, start: number, end: number): void {
  for (let group = 0; group < HASH_CHARACTERS / 4; group++) {
    let bits = 0
    for (let at = start + group * 4; at < start + group * 4 + 4; at++)
      bits = (bits << 6) | (at < end ? SIX_BITS[bytes[at]] : 0)
    hashBytes[group * 3] = bits >> 16
    hashBytes[group * 3 + 1] = bits >> 8
    hashBytes[group * 3 + 2] = bits
  }
}

/** What an entry says: a key, and the number of its secret. */
export interface FoundSecret {
  slot: number
  secret: number
}

/** An entry is a hash, the number of the secret, and the key's slot plus 1, which is stored last; 0 ends a search. */
export class KeyTable {
  readonly memory: SharedArrayBuffer
  readonly #words: Int32Array
  /** Entries less one; their number is a power of two. */
  readonly #mask: number
  #used = 0

  constructor(memory: SharedArrayBuffer) {
    this.memory = memory
    this.#words = new Int32Array(memory)
    this.#mask = this.#words.length / WORDS - 1
  }

  /** A table that is at most half full with `keys` keys, a power of two. */
  static for(keys: number): KeyTable {
    return new KeyTable(new SharedArrayBuffer(keys * 2 * WORDS * 4))
  }

  /** The key whose secret has this hash. @param hash in base64url */
  find(hash: string): FoundSecret | undefined {
    text.fill(0)
    text.write(hash.slice(0, HASH_CHARACTERS), 'latin1')
    decodeHash(text, 0, HASH_CHARACTERS)
    const entry = this.#probe(wanted, 0)
    const slot = this.#words[entry + SLOT] - 1
    return slot < 0 ? undefined : { slot, secret: this.#words[entry + SECRET] }
  }

  /** Entries in use, as the ledger thread has counted them. */
  get used(): number {
    return this.#used
  }

  /** Whether two more secrets have room without the table becoming more than half full. For the ledger thread. */
  get hasRoom(): boolean {
    return (this.#used + 2) * 2 * WORDS <= this.#words.length
  }

  /**
   * Enters a secret of the key of `slot`, in place of an earlier one of the same hash. `bytes[start, end)` is the hash in
   * base64url. Only the ledger thread calls it. Returns the first word of the hash, which marks the rows of the key.
   */
  add(bytes: Uint8Array, start: number, end: number, slot: number, secret = 0): number {
    decodeHash(bytes, start, end)
    const entry = this.#probe(wanted, 0)
    if (this.#words[entry + SLOT] === 0) this.#used++
    this.#words.set(wanted, entry)
    this.#words[entry + SECRET] = secret
    Atomics.store(this.#words, entry + SLOT, slot + 1)
    return wanted[0]
  }

  /** Enters all that `other` holds and that may still work. */
  addAll(other: KeyTable, mayWork: (found: FoundSecret) => boolean = () => true): void {
    for (let entry = 0; entry < other.#words.length; entry += WORDS) {
      const slot = other.#words[entry + SLOT] - 1
      if (slot < 0 || !mayWork({ slot, secret: other.#words[entry + SECRET] })) continue
      const free = this.#probe(other.#words, entry)
      this.#used++
      this.#words.set(other.#words.subarray(entry, entry + WORDS), free)
    }
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

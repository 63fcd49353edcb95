/**
 * Finds a key by the hash of its secret, on every thread. The table has one writer. An entry is slot * 2 + place + 1. A key has two
 * places, for its present and its earlier secret. Secrets of a key are numbered: number `n` is in place `n % 2`.
 */
import { LINE_WORDS, type LiveParts } from './live-layout.ts'

const HASH_WORDS = 6
const HASH_CHARACTERS = 32
const PLACES = 2
const PLACE_WORDS = LINE_WORDS / PLACES
/** Word of a place after the hash: number of the secret plus 1; 0 while the place is empty or being written. */
const NUMBER = HASH_WORDS

/** Entry that ends a search. */
const UNUSED = 0
/** Entry that a search passes over. */
const REMOVED = -1

export class KeyTable {
  readonly #words: Int32Array
  readonly #table: number
  readonly #secrets: number
  readonly #mask: number

  constructor(words: Int32Array, { table, tableEntries, secrets }: LiveParts) {
    this.#words = words
    this.#table = table
    this.#mask = tableEntries - 1
    this.#secrets = secrets
  }

  find(hash: string): { slot: number; secret: number } | undefined {
    const wanted = hashWords(hash)
    const words = this.#words
    for (let index = wanted[0] & this.#mask; ; index = (index + 1) & this.#mask) {
      const entry = Atomics.load(words, this.#table + index)
      if (entry === UNUSED) return undefined
      if (entry === REMOVED) continue
      const place = this.#secrets + (entry - 1) * PLACE_WORDS
      const number = Atomics.load(words, place + NUMBER)
      if (!this.#isAt(place, wanted)) continue
      // The writer may have replaced the secret meanwhile.
      if (number === 0 || Atomics.load(words, place + NUMBER) !== number) continue
      return { slot: Math.floor((entry - 1) / PLACES), secret: number - 1 }
    }
  }

  /** Adds secret number `secret` of the key of `slot`, and removes secret `secret - 2`. Only for the ledger thread. */
  add(hash: string, slot: number, secret: number): void {
    const words = this.#words
    const entry = slot * PLACES + (secret % PLACES) + 1
    const place = this.#secrets + (entry - 1) * PLACE_WORDS
    if (words[place + NUMBER] !== 0) this.#remove(entry, words[place])
    const wanted = hashWords(hash)
    words.set(wanted, place)
    Atomics.store(words, place + NUMBER, secret + 1)
    let index = wanted[0] & this.#mask
    while (words[this.#table + index] > 0) index = (index + 1) & this.#mask
    Atomics.store(words, this.#table + index, entry)
  }

  /** Removes an entry. If an unused one follows, also frees the REMOVED entries before it, so that searches stay short. */
  #remove(entry: number, firstWord: number): void {
    const words = this.#words
    Atomics.store(words, this.#secrets + (entry - 1) * PLACE_WORDS + NUMBER, 0)
    let index = firstWord & this.#mask
    while (words[this.#table + index] !== entry) index = (index + 1) & this.#mask
    Atomics.store(words, this.#table + index, REMOVED)
    if (words[this.#table + ((index + 1) & this.#mask)] !== UNUSED) return
    while (words[this.#table + index] === REMOVED) {
      Atomics.store(words, this.#table + index, UNUSED)
      index = (index - 1) & this.#mask
    }
  }

  #isAt(place: number, wanted: Int32Array): boolean {
    let word = 0
    while (word < HASH_WORDS && this.#words[place + word] === wanted[word]) word++
    return word === HASH_WORDS
  }
}

function hashWords(hash: string): Int32Array {
  const bytes = Buffer.alloc(HASH_WORDS * 4)
  bytes.write(hash.slice(0, HASH_CHARACTERS), 'base64url')
  return Int32Array.from({ length: HASH_WORDS }, (_, word) => bytes.readInt32LE(word * 4))
}

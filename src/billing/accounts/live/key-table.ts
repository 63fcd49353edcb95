/** Finds a key by the hash of one of its secrets, on every thread, under a lock of its own. */

import { HEADER, LINE_WORDS, type LiveParts } from './live-layout.ts'
import { lock, unlock } from './lock.ts'

/** Words of a hash that are stored and compared, of eight. */
const HASH_WORDS = 6
const HASH_CHARACTERS = 32
/** Word of a key after its hashes: their number. */
const HASHES = 2 * HASH_WORDS

/** Entry that ends a search. */
const UNUSED = 0
/** Entry that a search passes over. */
const REMOVED = -1

export type KeyTable = ReturnType<typeof keyTable>

/** The first word of a hash says where its entry is, or begins to be searched. An entry is a slot plus 1. */
export function keyTable(words: Int32Array, { table, tableEntries, secrets }: LiveParts) {
  const mask = tableEntries - 1

  function add(entry: number, firstWord: number): void {
    let index = firstWord & mask
    while (words[table + index] > 0) index = (index + 1) & mask
    words[table + index] = entry
  }

  /** Removes an entry. Before an unused one, frees REMOVED entries, so that searches stay short. */
  function remove(entry: number, firstWord: number): void {
    let index = firstWord & mask
    while (words[table + index] !== entry) index = (index + 1) & mask
    words[table + index] = REMOVED
    if (words[table + ((index + 1) & mask)] !== UNUSED) return
    while (words[table + index] === REMOVED) {
      words[table + index] = UNUSED
      index = (index - 1) & mask
    }
  }

  /** Returns the place of a hash among those of a key, as `set` had them; -1 for none. */
  function placeOf(slot: number, sought: Int32Array): number {
    const first = secrets + slot * LINE_WORDS
    for (let place = 0; place < words[first + HASHES]; place++)
      if (sought.every((word, at) => words[first + place * HASH_WORDS + at] === word)) return place
    return -1
  }

  return {
    /** Returns the slot of the key with a secret of this hash. */
    find(hash: string, thread: number): number | undefined {
      const sought = hashWords(hash)
      lock(words, HEADER.keyTable, thread)
      let index = sought[0] & mask
      while (words[table + index] !== UNUSED) {
        const entry = words[table + index]
        if (entry !== REMOVED && placeOf(entry - 1, sought) >= 0) break
        index = (index + 1) & mask
      }
      const entry = words[table + index]
      unlock(words, HEADER.keyTable)
      return entry === UNUSED ? undefined : entry - 1
    },
    /** True for the present secret, false for the earlier one, null for neither. Under the account's lock. */
    isPresent(slot: number, hash: string): boolean | null {
      const place = placeOf(slot, hashWords(hash))
      return place < 0 ? null : place === 0
    },
    /** Replaces the hashes of a key: present secret, earlier secret. Runs on the ledger thread. */
    set(slot: number, hashes: readonly string[]): void {
      const first = secrets + slot * LINE_WORDS
      lock(words, HEADER.keyTable, 0)
      for (let place = 0; place < words[first + HASHES]; place++)
        remove(slot + 1, words[first + place * HASH_WORDS])
      for (const [place, hash] of hashes.entries()) {
        const added = hashWords(hash)
        words.set(added, first + place * HASH_WORDS)
        add(slot + 1, added[0])
      }
      words[first + HASHES] = hashes.length
      unlock(words, HEADER.keyTable)
    },
  }
}

function hashWords(hash: string): Int32Array {
  const bytes = Buffer.alloc(HASH_WORDS * 4)
  bytes.write(hash.slice(0, HASH_CHARACTERS), 'base64url')
  return Int32Array.from({ length: HASH_WORDS }, (_, word) => bytes.readInt32LE(word * 4))
}

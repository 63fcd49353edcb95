/**
 * Finds a key by the hash of one of its secrets, on every thread. The table has a lock of its own. A bucket has
 * the first entry of a chain, 0 without any. An entry is a hash and the next entry. The current secret of key
 * `slot` has the entry `2 slot + 1`, and the previous one `2 slot + 2`.
 */

import { LINE_WORDS, LIVE_HEADER, type LiveParts } from './live-layout.ts'
import { lock, unlock } from './lock.ts'

/** Words of a hash that are stored and compared, of eight. */
const HASH_WORDS = 6
const HASH_CHARACTERS = 32
/** Word of an entry after its hash: the next entry of the chain. */
const NEXT_ENTRY = HASH_WORDS
const ENTRY_WORDS = LINE_WORDS / 2

/** Secrets of a key that the table has. */
export type WhichSecret = 'current' | 'previous'

export type KeyTable = ReturnType<typeof keyTable>

export function keyTable(words: Int32Array, { table, buckets, secrets }: LiveParts) {
  const wordOf = (entry: number): number => secrets + (entry - 1) * ENTRY_WORDS
  /** Returns the word with the first entry of the chain of a hash. */
  const bucketOf = (firstWord: number): number => table + (firstWord & (buckets - 1))
  const isAt = (entry: number, sought: Int32Array): boolean =>
    sought.every((word, at) => words[wordOf(entry) + at] === word)

  function unlink(entry: number): void {
    let link = bucketOf(words[wordOf(entry)])
    while (words[link] !== entry && words[link] !== 0) link = wordOf(words[link]) + NEXT_ENTRY
    if (words[link] === entry) words[link] = words[wordOf(entry) + NEXT_ENTRY]
  }

  return {
    /** Returns the slot of the key with a secret of this hash. */
    find(hash: string, thread: number): number | undefined {
      const sought = hashWords(hash)
      lock(words, LIVE_HEADER.keyTable, thread)
      let entry = words[bucketOf(sought[0])]
      while (entry !== 0 && !isAt(entry, sought)) entry = words[wordOf(entry) + NEXT_ENTRY]
      unlock(words, LIVE_HEADER.keyTable)
      return entry === 0 ? undefined : Math.floor((entry - 1) / 2)
    },
    /** Returns which secret of the key has this hash; null for one before both. Under the account's lock. */
    secretOf(slot: number, hash: string): WhichSecret | null {
      const sought = hashWords(hash)
      if (isAt(2 * slot + 1, sought)) return 'current'
      return isAt(2 * slot + 2, sought) ? 'previous' : null
    },
    /** Replaces the hashes of a key: current secret, previous secret. Runs on the ledger thread. */
    set(slot: number, hashes: readonly string[]): void {
      lock(words, LIVE_HEADER.keyTable, 0)
      for (const [place, hash] of hashes.entries()) {
        const entry = 2 * slot + 1 + place
        unlink(entry)
        words.set(hashWords(hash), wordOf(entry))
        const bucket = bucketOf(words[wordOf(entry)])
        words[wordOf(entry) + NEXT_ENTRY] = words[bucket]
        words[bucket] = entry
      }
      unlock(words, LIVE_HEADER.keyTable)
    },
  }
}

function hashWords(hash: string): Int32Array {
  const bytes = Buffer.alloc(HASH_WORDS * 4)
  bytes.write(hash.slice(0, HASH_CHARACTERS), 'base64url')
  return Int32Array.from({ length: HASH_WORDS }, (_, word) => bytes.readInt32LE(word * 4))
}

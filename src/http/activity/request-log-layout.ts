/**
 * The request log of one thread: blocks of entries, and for each account the number of its newest block plus 1. The blocks of an
 * account form a ring, and when it has as many as an account may have, the newest entries replace the oldest. A new block is the
 * one that has been in use for longest, whoever has it: so a busy account fills its own ring and no more, and the memory of
 * all accounts is bounded.
 *
 *   block: generation | owner | next | entries | blocks of the ring | … | entry | entry | …
 *   entry: time (f64) | duration | key | status, endpoint, queries | country, length of the code | code (12 bytes) | …
 *
 * The generation is odd while a block changes its owner. A reader that finds the same even generation before and after has
 * read what one account has asked; entries within a generation are only ever added.
 */

export const ENTRIES_PER_BLOCK = 32
/** Blocks of one account on one thread: 1,024 entries. */
export const BLOCKS_PER_RING = 32

/** Words of a block's head. The owner is the account's slot plus 1, `NEXT` the next older block, and after the oldest the newest. */
export const GENERATION = 0
export const OWNER = 1
export const NEXT = 2
export const ENTRIES = 3
export const RING_BLOCKS = 4
export const HEAD_WORDS = 8

/** Words of an entry, after the two of its time. */
export const DURATION = 2
export const KEY = 3
export const RESULT = 4
export const COUNTRY = 5
export const CODE = 6
export const ENTRY_WORDS = 10
export const CODE_BYTES_MAX = 12

export const BLOCK_WORDS = HEAD_WORDS + ENTRIES_PER_BLOCK * ENTRY_WORDS
export const BLOCK_BYTES = BLOCK_WORDS * Int32Array.BYTES_PER_ELEMENT

/** Status, endpoint and queries in one word. */
export function packResult(status: number, endpoint: number, queries: number): number {
  return status | (endpoint << 10) | (queries << 16)
}

export function unpackResult(word: number): { status: number; endpoint: number; queries: number } {
  return { status: word & 0x3ff, endpoint: (word >>> 10) & 0x3f, queries: word >>> 16 }
}

export const MINUTE_MS = 60_000

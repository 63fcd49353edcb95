/**
 * Layout of the live state: memory that all threads share, in words of 4 bytes (i32) and cells of 8 (f64).
 * Each account has a cache line of its own, so that two accounts never wait for each other.
 *
 *   word   0     1        2 3     4 … 13                    14         15
 *          lock  version  state   funds: 5 cells, no USED   isLimited  account
 */

import { NETWORK_WORDS } from '../../../platform/networks.ts'
import { KEY_ADDRESSES_MAX } from '../../limits.ts'
import { WINDOWS_CELLS } from './counter.ts'

const LINE_BYTES = 64
export const LINE_WORDS = LINE_BYTES / 4
export const WORDS_PER_CELL = 2

/** Words of the line of an account or key. */
export const WORD = {
  /** Lock for all changes of the counters and rules of an account and its keys. */
  lock: 0,
  /** Version of an account's limits or a key's rules; 0 if never set. Threads copy a new version. */
  version: 1,
  /** 1 if the account or key has rate limits. */
  isLimited: 14,
  /** Slot of the account plus 1, once the account or key is durable. */
  account: 15,
} as const
/** Cells of the line of an account or key. */
export const CELL = {
  /**
   * State of a key, the only thing to read for most keys. 0: valid. Above 0: refused, for this place in
   * KEY_REFUSAL_NAMES, from 1. Below 0: negated version of its rules, which decide.
   */
  state: 1,
  /** First cell of the counter of an account's balance, or of a key's cap. */
  funds: 2,
} as const
/** Words of the header. */
export const LIVE_HEADER = {
  /** HEALTHY, STALLED or STOPPED. Charges need HEALTHY. */
  health: 0,
  /** Lead of the fleet's clock over this machine's. */
  clockAheadMs: 1,
  /** Second since 1970 from which nothing is charged until the fleet answers; 0: never. */
  chargeUntilS: 2,
  /** SOURCE_ANSWERS, SOURCE_SILENT or SOURCE_LOST: state of the source of refills. */
  source: 3,
  /** 1 while the flusher knows of changed keys. On a line of its own. */
  awake: LINE_WORDS,
  /** Lock of the table of keys. On a line of its own. */
  keyTable: 2 * LINE_WORDS,
} as const

const HEADER_BYTES = 3 * LINE_BYTES

export const HEALTHY = 0
/** Value of `health` while the disk does not answer. */
export const STALLED = 1
export const STOPPED = 2

export const SOURCE_ANSWERS = 0
/** Value of `source` after one call without an answer. */
export const SOURCE_SILENT = 1
/** Value of `source` after so long that this process should get no requests. */
export const SOURCE_LOST = 2

export const NETWORKS_WORDS = KEY_ADDRESSES_MAX * NETWORK_WORDS

/** First words of the parts of the live state. All but the table have a place for each slot. */
export type LiveParts = ReturnType<typeof liveParts>

export function liveParts(slots: number) {
  const buckets = 2 ** Math.ceil(Math.log2(slots * 2))
  let word = 0
  const part = (words: number): number => {
    const start = word
    word += Math.ceil(words / LINE_WORDS) * LINE_WORDS
    return start
  }
  part(HEADER_BYTES / 4)
  const lines = part(slots * LINE_WORDS)
  // One bit per slot, set if the meter's row changed since the flusher read it.
  const changed = part(Math.ceil(slots / 32))
  const windows = part(slots * WINDOWS_CELLS * WORDS_PER_CELL)
  // The entries of the table of keys, two for each key.
  const secrets = part(slots * LINE_WORDS)
  const rules = part(slots * LINE_WORDS)
  const networks = part(slots * NETWORKS_WORDS)
  const table = part(buckets)
  return { lines, changed, windows, secrets, rules, networks, table, buckets, bytes: word * 4 }
}

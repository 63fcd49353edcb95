/**
 * Layout of the live state: memory that all threads share and every start makes anew, in words of 4 bytes (i32) and cells of 8 bytes
 * (f64). Each account has a cache line of its own, so that two accounts never wait for each other.
 */

import { KEY_ADDRESSES_MAX } from '../../../platform/limits.ts'
import { NETWORK_WORDS } from '../../../platform/networks.ts'
import type { RateLimits } from '../../ledger/event.ts'

export const LINE_BYTES = 64
export const LINE_WORDS = LINE_BYTES / 4
export const LINE_CELLS = LINE_BYTES / 8

/** Word of every line: the account's slot plus 1, once the account or key is durable. */
export const ACCOUNT = 15

/** Word of an account: lock for all changes of its line and of its keys' lines. */
export const LOCK = 0
/** Word: version of the limits, by which a thread sees that its copy is old. */
export const LIMITS_VERSION = 2
/** First of four words: the account's limits. */
export const LIMITS = 3
/** Cell: part of the balance that this node does not hold, in micros; 0 without a fleet. */
export const ELSEWHERE = 4
/** Cell: micros that may be charged here. */
export const AVAILABLE = 5
/** Cell: time of the last count of a rate limit. */
export const LIMITED_MS = 6

/** Word of a key: version of its rules; 0 if there never were any. */
export const RULES_VERSION = 1
/**
 * Cell: state of a key, the only thing to read for most keys. 0: valid. Above 0: time since which it is refused, because it is
 * revoked, or its account suspended or closed. Below 0: negated version of its rules, which decide.
 */
export const STATE = 1
/** Cell: micros that the monthly cap still allows; Infinity without a cap. */
export const CAP_LEFT = 2
/** Cell: the cap. In a fleet: the unused part of the cap that this node does not hold. */
export const CAP = 3
/** Cell: end of the month of `CAP_LEFT`. */
export const CAP_UNTIL_MS = 4

/** Word: HEALTHY, STALLED or STOPPED. Charges need HEALTHY. */
export const HEALTH = 0
/** Word: 1 if balances, limits and caps are leased from a fleet. */
export const IN_FLEET = 1
/** Word: lead of the fleet's clock over this machine's. */
export const CLOCK_AHEAD_MS = 2
/** Word: second since 1970, by the wall clock, from which nothing may be charged until the fleet answers. */
export const CHARGE_UNTIL_S = 3
/** Word: 0 while the fleet's database answers; 1 if not; 2 after so long that this node should get no requests. */
export const DATABASE_AWAY = 4
/** Word, on a line of its own: 1 while the flusher knows of changed keys. */
export const AWAKE = LINE_WORDS

const HEADER_BYTES = 2 * LINE_BYTES

export const HEALTHY = 0
/** Value of HEALTH while the disk does not answer. */
export const STALLED = 1
export const STOPPED = 2

/** Writes limits into four words: 1 if there are any, then each limit, -1 for an unset one. */
export function writeLimits(words: Int32Array, word: number, limits: RateLimits | null): void {
  words[word] = limits === null ? 0 : 1
  words[word + 1] = limits?.perMinute ?? -1
  words[word + 2] = limits?.perHour ?? -1
  words[word + 3] = limits?.perDay ?? -1
}

export function readLimits(words: Int32Array, word: number): RateLimits | null {
  if (words[word] === 0) return null
  const [perMinute, perHour, perDay] = [1, 2, 3].map(at => (words[word + at] < 0 ? null : words[word + at]))
  return { perMinute, perHour, perDay }
}

export const NETWORKS_WORDS = KEY_ADDRESSES_MAX * NETWORK_WORDS

/** First words of the parts of the live state. All parts but the table of secrets have a place for each slot. */
export type LiveParts = ReturnType<typeof liveParts>

export function liveParts(slots: number) {
  // A key has at most two secrets, so unused entries remain to end a search.
  const tableEntries = 2 ** Math.ceil(Math.log2(slots * 2 + 16))
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
  const secrets = part(slots * LINE_WORDS)
  const rules = part(slots * LINE_WORDS)
  const networks = part(slots * NETWORKS_WORDS)
  const table = part(tableEntries)
  return { lines, changed, secrets, rules, networks, table, tableEntries, bytes: word * 4 }
}

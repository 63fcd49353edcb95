/**
 * Layout of the live state, the memory that all threads share and every start makes again: words of 4 bytes (i32)
 * and cells of 8 bytes (f64). A line is a cache line, so that two accounts never wait for each other.
 */
import type { RateLimits } from '../../ledger/event.ts'
import { KEY_ADDRESSES_MAX } from '../../limits.ts'
import { NETWORK_WORDS } from '../../networks.ts'

export const LINE_BYTES = 64
export const LINE_WORDS = LINE_BYTES / 4
export const LINE_CELLS = LINE_BYTES / 8

/** Word of every line: the account's slot plus 1, once the account or key is durable. */
export const ACCOUNT = 15

/** Word of an account: whoever changes anything in its line, or in those of its keys, holds this lock. */
export const LOCK = 0
/** Word: grows with each change of the limits, so that a thread sees that its copy of them is old. */
export const LIMITS_VERSION = 2
export const LIMITS = 3
/** Cell: in a fleet, the part of the balance that this node does not hold, in micros; otherwise 0. */
export const ELSEWHERE = 4
/** Cell: what may be charged here, in micros. */
export const AVAILABLE = 5
/** Cell: the time at which a thread last counted a rate limit. */
export const LIMITED_MS = 6

/** Word of a key: grows with each change of its rules; 0: there never were any. */
export const RULES_VERSION = 1
/**
 * Cell: all that a request with most keys has to look at. 0 while the key is answered without further questions; above 0 since when
 * it is refused, because it is revoked or its account suspended or closed; below 0 the version of its rules, negated, which then
 * decide.
 */
export const STATE = 1
/** Cell: what the monthly cap still allows until the end of its month; Infinity without a cap. */
export const CAP_LEFT = 2
/** Cell: the cap; in a fleet, the part of what it still allows that this node does not hold. */
export const CAP = 3
/** Cell: the end of the month that `CAP_LEFT` is for. */
export const CAP_UNTIL_MS = 4

export const HEALTH = 0
/** Word: 1 where balances, limits and caps are leased from a fleet. */
export const IN_FLEET = 1
/** Word: by how much the fleet's clock is ahead of this machine's. */
export const CLOCK_AHEAD_MS = 2
/** Word: the second since 1970, by the wall clock, from which on nothing may be charged unless the fleet has answered again. */
export const CHARGE_UNTIL_S = 3
/** Word: 0 while the fleet's database answers; 1: it does not; 2: not for so long that this node should get no requests. */
export const DATABASE_AWAY = 4
/** Word, on a line of its own: 1 while the flusher knows of changed keys. */
export const AWAKE = LINE_WORDS

const HEADER_BYTES = 2 * LINE_BYTES

/** Value of `HEALTH`; with any other nothing is charged. */
export const HEALTHY = 0
/** Value of `HEALTH` while the disk does not answer. */
export const STALLED = 1
export const STOPPED = 2

/** Writes limits into four words: 1 while there are any, then each, -1 for one that is not set. */
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

/** First words of the parts of the live state. All but the table of secrets have a place for each slot. */
export type LiveParts = ReturnType<typeof liveParts>

export function liveParts(slots: number) {
  // Always with unused entries, which end a search: a key has two secrets at most.
  const tableEntries = 2 ** Math.ceil(Math.log2(slots * 2 + 16))
  let word = 0
  const part = (words: number): number => {
    const start = word
    word += Math.ceil(words / LINE_WORDS) * LINE_WORDS
    return start
  }
  part(HEADER_BYTES / 4)
  const lines = part(slots * LINE_WORDS)
  // One bit per slot: its meter row has changed since the flusher read it.
  const changed = part(Math.ceil(slots / 32))
  const secrets = part(slots * LINE_WORDS)
  const rules = part(slots * LINE_WORDS)
  const networks = part(slots * NETWORKS_WORDS)
  const table = part(tableEntries)
  return { lines, changed, secrets, rules, networks, table, tableEntries, bytes: word * 4 }
}

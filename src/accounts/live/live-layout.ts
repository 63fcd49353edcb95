/**
 * Where things are in the live state, the memory that all threads share and every start makes again: words of 4 bytes (i32)
 * and cells of 8 bytes (f64). A line is a cache line, so that two accounts never wait for each other.
 */
import { METER_THREADS_MAX } from '../../ledger/meter/meter-layout.ts'

export const LINE_BYTES = 64
export const LINE_WORDS = LINE_BYTES / 4
export const LINE_CELLS = LINE_BYTES / 8

/** Words of every line: the account's slot plus 1, once the account or key is durable. */
export const ACCOUNT = 15

/** Words of an account's line. Whoever changes anything in it, or in the lines of its keys, holds the lock. */
export const LOCK = 0
/** The account's row in the meter; 0: none, as long as it never had limits. */
export const WINDOWS_ROW = 1
/** Grows with each change of the limits, so that a thread sees that its copy of them is old. */
export const LIMITS_VERSION = 2
/** 1 while rate limiting is on; then the three limits, -1 for one that is not set. */
export const LIMITED = 3
export const PER_MINUTE = 4
export const PER_HOUR = 5
export const PER_DAY = 6
/** Free answers of the UTC minute `FREE_MINUTE`, counted from 1970. */
export const FREE_MINUTE = 7
export const FREE_ANSWERS = 14
/**
 * Cells: in a fleet, the part of the balance that this node does not hold, in micros, otherwise 0; what may be charged here; the
 * time at which a thread last counted a rate limit.
 */
export const ELSEWHERE = 4
export const AVAILABLE = 5
export const LIMITED_MS = 6

/**
 * Words and cells of a key's line. `STATE` is all that a request with most keys has to look at: 0 while it is answered without
 * further questions; above 0 since when it is refused, because the key is revoked or its account suspended or closed; below 0
 * the version of its rules, negated, which then decide.
 */
export const KEY_IDENTITY = 0
export const STATE = 1
/** What the monthly cap still allows until the end of its month; Infinity without a cap. */
export const CAP_LEFT = 2
/** The cap; in a fleet, the part of what it still allows that this node does not hold. */
export const CAP = 3
export const CAP_UNTIL_MS = 4
/** Words: grows with each change of the rules, 0: there never were any; their block (`rule-blocks.ts`); the key's row for windows. */
export const RULES_VERSION = 1
export const RULES_BLOCK = 10
export const KEY_WINDOWS_ROW = 11

/**
 * Words of the header, on lines of their own: state of the service, and next to it 1 where balances, limits and caps are leased
 * from a fleet, by how much the fleet's clock is ahead of this machine's, and the second since 1970, by the wall clock, from which on
 * nothing may be charged unless the fleet has answered again; whether the ledger thread is awake; first unused row.
 */
export const HEALTH = 0
export const IN_FLEET = 1
export const CLOCK_AHEAD_MS = 2
export const CHARGE_UNTIL_S = 3
export const AWAKE = LINE_WORDS
export const NEXT_ROW = 2 * LINE_WORDS
/**
 * Words of a thread's line: newest of its rows with new counts; how often it waited for a lock, and how often so long that it slept;
 * 1 while it may take charges back, for which the ledger thread leaves its rows alone; 1 when a flush has met that and is waiting.
 */
export const CHANGED_ROWS = 0
export const LOCK_WAITS = 1
export const LOCK_SLEEPS = 2
export const HOLDS = 3
export const HOLD_REFUSED = 4
export const HEADER_BYTES = (4 + METER_THREADS_MAX) * LINE_BYTES

/** Values of `HEALTH`; whatever is not `HEALTHY` ends charging. */
export const HEALTHY = 0
export const STALLED = 1
export const STOPPED = 2

/** First word of a thread's line. */
export function threadWord(thread: number): number {
  return (4 + thread) * LINE_WORDS
}

import { DAY_MS } from './book/history.ts'
import type { Clock } from './clock.ts'

/** A wall clock that is ahead by more than this was set forward, or the machine slept. */
const FORWARD_STEP_MS = 1000

/** A timeline that is ahead of the wall clock by more than this followed a clock that was wrong. */
const AHEAD_MS_MAX = DAY_MS

/**
 * The service's own time: the wall clock of the start, moved on by the monotonic clock. It follows the wall clock forward
 * at once. It does not follow it back by up to a day, the longest window of a rate limit, so that setting the clock back
 * refills no window early; a restart then continues from the latest time that the meter has seen. A clock that is set back
 * by more was wrong before or is wrong now, and is followed: otherwise an hour in the wrong year would move all months,
 * days and windows for that year. A window of a later time then continues with its count, so none is refilled.
 */
export class Timeline {
  readonly #clock: Clock
  /** Wall time less monotonic time. */
  #offsetMs: number

  constructor(clock: Clock, lastSeenMs: number) {
    this.#clock = clock
    const wallMs = clock.wallMs()
    const startMs = lastSeenMs > wallMs + AHEAD_MS_MAX ? wallMs : Math.max(wallMs, lastSeenMs)
    this.#offsetMs = startMs - clock.monotonicMs()
  }

  /** Milliseconds since 1970, whole. Costs one reading of the monotonic clock, 50 ns. */
  nowMs(): number {
    return Math.floor(this.#offsetMs + this.#clock.monotonicMs())
  }

  /** Catches up with a wall clock that was set forward, or back by more than a day. True when it did. */
  follow(): boolean {
    const offsetMs = this.#clock.wallMs() - this.#clock.monotonicMs()
    if (offsetMs <= this.#offsetMs + FORWARD_STEP_MS && offsetMs >= this.#offsetMs - AHEAD_MS_MAX)
      return false
    this.#offsetMs = offsetMs
    return true
  }
}

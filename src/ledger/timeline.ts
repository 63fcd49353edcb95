import { DAY_MS } from './book/history.ts'
import type { Clock } from './clock.ts'

/** A wall clock that is ahead by more than this was set forward, or the machine slept. */
const FORWARD_STEP_MS = 1000

/**
 * The service's own time: the wall clock of the start, moved on by the monotonic clock. It follows the wall clock forward
 * and never back, so that setting the clock back refills no rate limit early. Across a restart it continues from the
 * latest time that the meter has seen, by at most a day, the longest window.
 */
export class Timeline {
  readonly #clock: Clock
  /** Wall time less monotonic time. */
  #offsetMs: number

  constructor(clock: Clock, lastSeenMs: number) {
    this.#clock = clock
    const wallMs = clock.wallMs()
    const startMs = Math.max(wallMs, Math.min(lastSeenMs, wallMs + DAY_MS))
    this.#offsetMs = startMs - clock.monotonicMs()
  }

  /** Milliseconds since 1970, whole. Costs one reading of the monotonic clock, 50 ns. */
  nowMs(): number {
    return Math.floor(this.#offsetMs + this.#clock.monotonicMs())
  }

  /** Catches up with a wall clock that was set forward. True when it did. */
  follow(): boolean {
    const offsetMs = this.#clock.wallMs() - this.#clock.monotonicMs()
    if (offsetMs <= this.#offsetMs + FORWARD_STEP_MS) return false
    this.#offsetMs = offsetMs
    return true
  }
}

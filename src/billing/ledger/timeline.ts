import { DAY_MS } from '../../platform/time.ts'
import type { Clock } from './clock.ts'

/** Smallest lead of the wall clock that is followed. The clock was set forward, or the machine slept. */
const FORWARD_STEP_MS = 1000

/** Largest lead over the wall clock that is kept. Beyond it, the timeline followed a wrong clock. */
const AHEAD_MS_MAX = DAY_MS

/**
 * The service's own time, the same on all threads: the wall clock of the start, moved on by the monotonic clock.
 *
 * 1. The wall clock goes from 10:00 to 11:00: the timeline follows at once.
 * 2. It goes back to 10:00: the timeline stays at 11:00 and runs on, so that no window refills early.
 * 3. It goes back by more than a day, the longest window of a rate limit: the timeline follows. Windows with later dates keep their counts.
 */
export class Timeline {
  readonly #clock: Clock
  readonly #offsetMs: Float64Array

  constructor(clock: Clock, offsetMs: Float64Array) {
    this.#clock = clock
    this.#offsetMs = offsetMs
  }

  static from(clock: Clock, lastSeenMs: number): Timeline {
    const wallMs = clock.wallMs()
    const startMs = lastSeenMs > wallMs + AHEAD_MS_MAX ? wallMs : Math.max(wallMs, lastSeenMs)
    const offsetMs = new Float64Array(new SharedArrayBuffer(8))
    offsetMs[0] = startMs - clock.monotonicMs()
    return new Timeline(clock, offsetMs)
  }

  get shared(): Float64Array {
    return this.#offsetMs
  }

  /** Returns the whole milliseconds since 1970. Costs a reading of the monotonic clock, 50 ns. */
  nowMs(): number {
    return Math.floor(this.#offsetMs[0] + this.#clock.monotonicMs())
  }

  /** Returns the wall clock, which also counts the time of a suspend. */
  wallMs(): number {
    return this.#clock.wallMs()
  }

  /** Follows a wall clock that was set forward, or back by more than a day. Returns true if the timeline moved. */
  follow(): boolean {
    const offsetMs = this.#clock.wallMs() - this.#clock.monotonicMs()
    const present = this.#offsetMs[0]
    if (offsetMs <= present + FORWARD_STEP_MS && offsetMs >= present - AHEAD_MS_MAX) return false
    this.#offsetMs[0] = offsetMs
    return true
  }
}

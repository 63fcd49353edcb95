import { DAY_MS } from '../platform/time.ts'
import type { Clock } from './clock.ts'

/** A wall clock that is ahead by more than this was set forward, or the machine slept. */
const FORWARD_STEP_MS = 1000

/** A timeline that is ahead of the wall clock by more than this followed a clock that was wrong. */
const AHEAD_MS_MAX = DAY_MS

/**
 * The service's own time, the same on all threads: the wall clock of the start, moved on by the monotonic clock. It follows the wall clock
 * forward at once. It does not follow it back by up to a day, the longest window of a rate limit, so that no window is refilled early.
 * A clock that is set back by more was wrong before or is wrong now, and is followed. Windows that are dated later keep their counts.
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

  /** Milliseconds since 1970, whole. Costs one reading of the monotonic clock, 50 ns. */
  nowMs(): number {
    return Math.floor(this.#offsetMs[0] + this.#clock.monotonicMs())
  }

  /** The wall clock itself, which also counts the time that a machine sleeps or a process is stopped. */
  wallMs(): number {
    return this.#clock.wallMs()
  }

  /** Catches up with a wall clock that was set forward, or back by more than a day. True when it did. */
  follow(): boolean {
    const offsetMs = this.#clock.wallMs() - this.#clock.monotonicMs()
    const present = this.#offsetMs[0]
    if (offsetMs <= present + FORWARD_STEP_MS && offsetMs >= present - AHEAD_MS_MAX) return false
    this.#offsetMs[0] = offsetMs
    return true
  }
}

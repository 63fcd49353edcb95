import { DAY_MS, monotonicMs } from '../../platform/time.ts'

/** Clocks and timer of the machine. Tests replace them to jump and crash in virtual time. */
export interface Clock {
  /** Returns the milliseconds since 1970 by the wall clock, which may be set at any moment. */
  wallMs(): number
  /** Returns the milliseconds of a clock that only goes forward. All threads share its start. */
  monotonicMs(): number
  /** Calls `run` once after `ms`. Returns a function that cancels it. It keeps no process alive. */
  after(ms: number, run: () => void): () => void
}

export const systemClock: Clock = {
  wallMs: Date.now,
  monotonicMs,
  after(ms, run) {
    const timer = setTimeout(run, ms).unref()
    return () => clearTimeout(timer)
  },
}

/** Smallest lead of the wall clock that is followed. The clock was set forward, or the machine slept. */
const FORWARD_STEP_MS = 1000

/** Largest lead over the wall clock that is kept. Beyond it, the timeline followed a wrong clock. */
const AHEAD_MS_MAX = DAY_MS

/**
 * The service's own time, the same on all threads: the wall clock of the start, moved on by the monotonic
 * one.
 *
 * 1. The wall clock goes from 10:00 to 11:00: the timeline follows at once.
 * 2. It goes back to 10:00: the timeline stays at 11:00 and runs on, so that no window refills early.
 * 3. It goes back by more than a day, the longest window of a rate limit: the timeline follows. `counter.ts`
 *    says what is left of its windows.
 */
export class Timeline {
  readonly #clock: Clock
  /** Lead over the monotonic clock, in memory that all threads share. */
  readonly offsetMs: Float64Array

  constructor(clock: Clock, offsetMs: Float64Array) {
    this.#clock = clock
    this.offsetMs = offsetMs
  }

  static from(clock: Clock, lastSeenMs: number): Timeline {
    const wallMs = clock.wallMs()
    const startMs = lastSeenMs > wallMs + AHEAD_MS_MAX ? wallMs : Math.max(wallMs, lastSeenMs)
    const offsetMs = new Float64Array(new SharedArrayBuffer(8))
    offsetMs[0] = startMs - clock.monotonicMs()
    return new Timeline(clock, offsetMs)
  }

  /** Returns the whole milliseconds since 1970. Costs a reading of the monotonic clock, 50 ns. */
  nowMs(): number {
    return Math.floor(this.offsetMs[0] + this.#clock.monotonicMs())
  }

  /** Returns the wall clock, which also counts the time of a suspend. */
  wallMs(): number {
    return this.#clock.wallMs()
  }

  /** Corrects the timeline after the wall clock was set. Returns true if the timeline moved. */
  correct(): boolean {
    const offsetMs = this.#clock.wallMs() - this.#clock.monotonicMs()
    const present = this.offsetMs[0]
    if (offsetMs <= present + FORWARD_STEP_MS && offsetMs >= present - AHEAD_MS_MAX) return false
    this.offsetMs[0] = offsetMs
    return true
  }
}

import { monotonicMs } from '../../platform/time.ts'

/** Clocks and timer of the machine. Tests replace them to jump and crash in virtual time. */
export interface Clock {
  /** Returns the milliseconds since 1970 by the wall clock, which may be set at any moment. */
  wallMs(): number
  /** Returns the milliseconds of a clock that only goes forward. All threads share its start. */
  monotonicMs(): number
  /** Calls `run` once after `ms`. Returns a function that cancels it. The timer does not keep the process alive. */
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

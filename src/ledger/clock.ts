import { monotonicMs } from '../platform/time.ts'

/** The two clocks of the machine and its timer, replaceable so that tests can jump and crash in virtual time. */
export interface Clock {
  /** Milliseconds since 1970 by the wall clock, which may be set back or forward at any moment. */
  wallMs(): number
  /** Milliseconds of a clock that only goes forward, from an arbitrary start that all threads of the process share. */
  monotonicMs(): number
  /** Calls `run` once after `ms`; returns a function that cancels it. A waiting timer keeps no process alive. */
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

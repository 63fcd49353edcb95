/** The two clocks of the machine and its timer, replaceable so that tests can jump and crash in virtual time. */
export interface Clock {
  /** Milliseconds since 1970 by the wall clock, which may be set back or forward at any moment. */
  wallMs(): number
  /** Milliseconds of a clock that only goes forward, from an arbitrary start that all threads of the process share. */
  monotonicMs(): number
  /** Calls `run` once after `ms`; returns a function that cancels it. A waiting timer keeps no process alive. */
  after(ms: number, run: () => void): () => void
}

/** `performance.now` begins at zero in each thread; this is its distance from the machine's own clock. */
const THREAD_STARTED_MS = Number(process.hrtime.bigint()) / 1e6 - performance.now()

export const systemClock: Clock = {
  wallMs: Date.now,
  monotonicMs: () => THREAD_STARTED_MS + performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms).unref()
    return () => clearTimeout(timer)
  },
}

/** For tests of what is counted by the minute, hour or day: their counts must not be cut in two. */
import { monotonicMs } from '../../src/platform/time.ts'

const MINUTE_MS = 60_000

/** Resolves when at least `leftMs` of a minute of the monotonic clock are left: at once in most cases. */
export async function minuteWith(leftMs: number): Promise<void> {
  const restMs = MINUTE_MS - (monotonicMs() % MINUTE_MS)
  if (restMs < leftMs) await new Promise(resolve => setTimeout(resolve, restMs))
}

/** Runs `work` until it has run within one window of the wall clock. */
export async function withinWindow<T>(windowMs: number, work: () => Promise<T>): Promise<T> {
  for (;;) {
    const window = Math.floor(Date.now() / windowMs)
    const result = await work()
    if (Math.floor(Date.now() / windowMs) === window) return result
  }
}

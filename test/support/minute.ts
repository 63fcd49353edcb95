/** For tests of what is counted by the minute of the monotonic clock: their counts must not be cut in two. */
import { monotonicMs } from '../../src/platform/time.ts'

const MINUTE_MS = 60_000

/** Resolves when at least `leftMs` of a minute are left: at once in most cases. */
export async function minuteWith(leftMs: number): Promise<void> {
  const restMs = MINUTE_MS - (monotonicMs() % MINUTE_MS)
  if (restMs < leftMs) await new Promise(resolve => setTimeout(resolve, restMs))
}

import { setTimeout } from 'node:timers/promises'
import { monotonicMs } from '../../src/platform/time.ts'

const MINUTE_MS = 60_000

/** Resolves once at least `leftMs` of a UTC minute are left, so that one rate limit window counts all following requests. */
export async function waitForUtcMinute(leftMs: number): Promise<void> {
  await waitForRest(Date.now(), leftMs)
}

/** Resolves once at least `leftMs` of a minute of the monotonic clock are left. Failed keys are counted in these minutes. */
export async function waitForMonotonicMinute(leftMs: number): Promise<void> {
  await waitForRest(monotonicMs(), leftMs)
}

async function waitForRest(nowMs: number, leftMs: number): Promise<void> {
  const restMs = MINUTE_MS - (nowMs % MINUTE_MS)
  if (restMs < leftMs) await setTimeout(restMs)
}

/** Repeats `work` until it runs within one window of the wall clock. */
export async function withinWindow<T>(windowMs: number, work: () => Promise<T>): Promise<T> {
  for (;;) {
    const window = Math.floor(Date.now() / windowMs)
    const result = await work()
    if (Math.floor(Date.now() / windowMs) === window) return result
  }
}

/** Rate limits and their counts, for answers. The counters decide. */

import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../platform/time.ts'
import type { RateLimits } from '../../ledger/event.ts'
import { usedAt, WINDOW_CELLS } from '../live/counter.ts'

/** Rate limits and their counts. Fields change in place: keep no copy. */
export interface Limited {
  /** Limits; null without limits. Valid right after `authenticate` and `admit`. */
  readonly limits: RateLimits | null
  /** Queries in the current minute, hour and day. Valid right after `admit`. */
  currentMinute: number
  currentHour: number
  currentDay: number
}

/** Windows of rate limits, shortest first, with the names of their limits and counts. */
export const WINDOWS = [
  { name: 'minute', limit: 'perMinute', current: 'currentMinute', ms: MINUTE_MS },
  { name: 'hour', limit: 'perHour', current: 'currentHour', ms: HOUR_MS },
  { name: 'day', limit: 'perDay', current: 'currentDay', ms: DAY_MS },
] as const

/** Returns a value for each window, by the name of its limit. */
export function perWindow<T>(make: (window: (typeof WINDOWS)[number]) => T): Record<keyof RateLimits, T> {
  return Object.fromEntries(WINDOWS.map(window => [window.limit, make(window)])) as Record<
    keyof RateLimits,
    T
  >
}

/** Copies the counts of the windows at `at`. */
export function showWindows(limited: Limited, cells: Float64Array, at: number): void {
  limited.currentMinute = usedAt(cells, at)
  limited.currentHour = usedAt(cells, at + WINDOW_CELLS)
  limited.currentDay = usedAt(cells, at + 2 * WINDOW_CELLS)
}

/** The stricter of the account's and the key's limits, per window. */
export class StricterLimits implements Limited {
  readonly limits: RateLimits = { perMinute: null, perHour: null, perDay: null }
  currentMinute = 0
  currentHour = 0
  currentDay = 0

  compare(account: Limited, key: Limited): void {
    for (const { limit, current } of WINDOWS) {
      const ofKey = key.limits?.[limit] ?? null
      const ofAccount = account.limits?.[limit] ?? null
      const keyLeft = (ofKey ?? Number.POSITIVE_INFINITY) - key[current]
      const accountLeft = (ofAccount ?? Number.POSITIVE_INFINITY) - account[current]
      const stricter = account.limits === null || keyLeft < accountLeft ? key : account
      this.limits[limit] = stricter === key ? ofKey : ofAccount
      this[current] = stricter[current]
    }
  }
}

/** The minute, hour and day of a rate limit. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../platform/time.ts'
import type { RateLimits } from '../ledger/event.ts'

/** Windows of rate limits in the order of their cells, with the names of their limits. */
export const WINDOWS = [
  { name: 'minute', limit: 'perMinute', ms: MINUTE_MS },
  { name: 'hour', limit: 'perHour', ms: HOUR_MS },
  { name: 'day', limit: 'perDay', ms: DAY_MS },
] as const

/** Returns a value for each window, by the name of its limit. */
export function perWindow<T>(
  make: (window: (typeof WINDOWS)[number], place: number) => T,
): Record<keyof RateLimits, T> {
  const values = WINDOWS.map((window, place) => [window.limit, make(window, place)])
  return Object.fromEntries(values) as Record<keyof RateLimits, T>
}

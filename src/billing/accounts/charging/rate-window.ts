/** Fixed windows aligned to UTC minutes, hours and days, counted in the meter so that they survive a restart. */

import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../platform/time.ts'
import type { RateLimits } from '../../ledger/event.ts'
import { DAY_CELL, HOUR_CELL, MINUTE_CELL } from '../../ledger/meter/meter-layout.ts'

/** Rate limits and their counts. Fields change in place: keep no copy. */
export interface Limited {
  /** Limits; null without limits. Valid right after `authenticate` and `admit`. */
  readonly limits: RateLimits | null
  /** Queries in the current minute, hour and day. Valid right after `admit`. */
  currentMinute: number
  currentHour: number
  currentDay: number
}

/**
 * Windows of rate limits, shortest first, with the names of their limits and counts. Functions on the path of a request name the
 * windows one by one, which is several times as fast as a loop over these rows.
 */
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

/** Largest difference between clocks of two threads. A larger step means that the machine's clock was set back. It is followed. */
const CLOCKS_APART_MS = 1000

/** Returns the time to count at. It is not before the last one, since clocks of threads differ. */
export function countingMs(nowMs: number, earlierMs: number): number {
  return nowMs < earlierMs && earlierMs - nowMs < CLOCKS_APART_MS ? earlierMs : nowMs
}

/** Moves the windows to `nowMs` and writes the counts to `limited`. Returns the wait in ms for `queries`. The caller holds the lock. */
export function renewWindows(
  cells: Float64Array,
  cell: number,
  limited: Limited,
  limits: RateLimits,
  queries: number,
  nowMs: number,
): number {
  const minute = renewWindow(cells, cell + MINUTE_CELL, Math.floor(nowMs / MINUTE_MS))
  const hour = renewWindow(cells, cell + HOUR_CELL, Math.floor(nowMs / HOUR_MS))
  const day = renewWindow(cells, cell + DAY_CELL, Math.floor(nowMs / DAY_MS))
  limited.currentMinute = minute
  limited.currentHour = hour
  limited.currentDay = day
  const { perMinute, perHour, perDay } = limits
  let endMs = nowMs
  if (perMinute !== null && minute + queries > perMinute) endMs = (cells[cell + MINUTE_CELL] + 1) * MINUTE_MS
  if (perHour !== null && hour + queries > perHour)
    endMs = Math.max(endMs, (cells[cell + HOUR_CELL] + 1) * HOUR_MS)
  if (perDay !== null && day + queries > perDay)
    endMs = Math.max(endMs, (cells[cell + DAY_CELL] + 1) * DAY_MS)
  return endMs - nowMs
}

export function countQueries(cells: Float64Array, cell: number, limited: Limited, queries: number): void {
  limited.currentMinute += queries
  limited.currentHour += queries
  limited.currentDay += queries
  cells[cell + MINUTE_CELL + 1] = limited.currentMinute
  cells[cell + HOUR_CELL + 1] = limited.currentHour
  cells[cell + DAY_CELL + 1] = limited.currentDay
}

/** Number of windows that a stored window may be ahead, after the clock was set back by a day or two. */
const AHEAD_MAX = 2

/**
 * Moves a window to `index` and returns its count. A stored window that is little ahead stays, since the clock may return. One further
 * ahead is of a wrong clock: it moves back with its count. The index is stored first, so that a process that dies in between leaves a
 * count too high, never too low.
 */
function renewWindow(cells: Float64Array, cell: number, index: number): number {
  const stored = cells[cell]
  if (index > stored || stored - index > AHEAD_MAX) {
    cells[cell] = index
    if (stored < index) cells[cell + 1] = 0
  }
  return cells[cell + 1]
}

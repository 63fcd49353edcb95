/** Fixed windows aligned to UTC minutes, hours and days, counted in the meter so that they survive a restart. */
import type { RateLimits } from '../../ledger/event.ts'
import { DAY, HOUR, MINUTE } from '../../ledger/meter/meter-layout.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../platform/time.ts'
import type { Limited } from './shared-key.ts'

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
  const minute = renewWindow(cells, cell + MINUTE, Math.floor(nowMs / MINUTE_MS))
  const hour = renewWindow(cells, cell + HOUR, Math.floor(nowMs / HOUR_MS))
  const day = renewWindow(cells, cell + DAY, Math.floor(nowMs / DAY_MS))
  limited.currentMinute = minute
  limited.currentHour = hour
  limited.currentDay = day
  const { perMinute, perHour, perDay } = limits
  let waitMs = 0
  if (perMinute !== null && minute + queries > perMinute) waitMs = MINUTE_MS - (nowMs % MINUTE_MS)
  if (perHour !== null && hour + queries > perHour) waitMs = Math.max(waitMs, HOUR_MS - (nowMs % HOUR_MS))
  if (perDay !== null && day + queries > perDay) waitMs = Math.max(waitMs, DAY_MS - (nowMs % DAY_MS))
  return waitMs
}

export function countQueries(cells: Float64Array, cell: number, limited: Limited, queries: number): void {
  limited.currentMinute += queries
  limited.currentHour += queries
  limited.currentDay += queries
  cells[cell + MINUTE + 1] = limited.currentMinute
  cells[cell + HOUR + 1] = limited.currentHour
  cells[cell + DAY + 1] = limited.currentDay
}

/**
 * Moves a window to `index` and returns its count. A stored later window comes from a clock that was ahead: its count is kept. The index
 * is stored first, so that a process that dies in between leaves a count too high, never too low.
 */
function renewWindow(cells: Float64Array, cell: number, index: number): number {
  const stored = cells[cell]
  if (stored !== index) {
    cells[cell] = index
    if (stored < index) cells[cell + 1] = 0
  }
  return cells[cell + 1]
}

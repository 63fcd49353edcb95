/** Fixed windows aligned to UTC minutes, hours and days, counted in the meter so that they survive a restart. */
import type { RateLimits } from '../../ledger/event.ts'
import { DAY, HOUR, MINUTE } from '../../ledger/meter/meter-layout.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../platform/time.ts'
import type { Limited } from './shared-key.ts'

/** Clocks of two threads differ by less. A larger step back is one of the machine's clock, and is followed. */
const CLOCKS_APART_MS = 1000

/** Returns the time to count at: never earlier than the last one, since the clocks of two threads may differ. */
export function countingMs(nowMs: number, earlierMs: number): number {
  return nowMs < earlierMs && earlierMs - nowMs < CLOCKS_APART_MS ? earlierMs : nowMs
}

/** Milliseconds until `queries` could pass, 0: now. Leaves in `limited` what is counted. The caller holds the account's lock. */
export function waitMsOf(
  cells: Float64Array,
  cell: number,
  limited: Limited,
  limits: RateLimits,
  queries: number,
  nowMs: number,
): number {
  const minute = windowCount(cells, cell + MINUTE, Math.floor(nowMs / MINUTE_MS))
  const hour = windowCount(cells, cell + HOUR, Math.floor(nowMs / HOUR_MS))
  const day = windowCount(cells, cell + DAY, Math.floor(nowMs / DAY_MS))
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
 * Count of the window `index`. An older window ends here. A later one is of a clock that was ahead: it becomes the present one with its
 * count. The index is stored first: a process that dies in between leaves a count that is too high, never one that is too low.
 */
function windowCount(cells: Float64Array, cell: number, index: number): number {
  const stored = cells[cell]
  if (stored !== index) {
    cells[cell] = index
    if (stored < index) cells[cell + 1] = 0
  }
  return cells[cell + 1]
}

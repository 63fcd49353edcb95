/** Fixed windows aligned to UTC minutes, hours and days, counted in the meter so that they survive a restart. */
import { DAY_MS, HOUR_MS } from '../../ledger/book/history.ts'
import { DAY, HOUR, MINUTE } from '../../ledger/meter/meter-layout.ts'
import type { RateLimits } from '../types.ts'
import type { SharedAccount } from './shared-account.ts'

const MINUTE_MS = 60_000

/**
 * Passes `queries` through the limits at `nowMs`: 0 and counted, or the milliseconds until the same request could pass,
 * and nothing counted. The account's row begins at `cell`, and the caller holds the account's lock. Costs three comparisons
 * of windows and three of counts.
 */
export function admitQueries(
  cells: Float64Array,
  cell: number,
  account: SharedAccount,
  limits: RateLimits,
  queries: number,
  nowMs: number,
): number {
  const minute = windowCount(cells, cell + MINUTE, Math.floor(nowMs / MINUTE_MS)) + queries
  const hour = windowCount(cells, cell + HOUR, Math.floor(nowMs / HOUR_MS)) + queries
  const day = windowCount(cells, cell + DAY, Math.floor(nowMs / DAY_MS)) + queries
  let waitMs = 0
  if (limits.perMinute !== null && minute > limits.perMinute) waitMs = MINUTE_MS - (nowMs % MINUTE_MS)
  if (limits.perHour !== null && hour > limits.perHour) waitMs = Math.max(waitMs, HOUR_MS - (nowMs % HOUR_MS))
  if (limits.perDay !== null && day > limits.perDay) waitMs = Math.max(waitMs, DAY_MS - (nowMs % DAY_MS))
  const counted = waitMs === 0 ? 0 : queries
  account.currentMinute = minute - counted
  account.currentHour = hour - counted
  account.currentDay = day - counted
  if (waitMs > 0) return waitMs
  cells[cell + MINUTE + 1] = minute
  cells[cell + HOUR + 1] = hour
  cells[cell + DAY + 1] = day
  return 0
}

/**
 * Count of the window that `index` falls in. An older window ends here. A later one was left by a clock that was ahead and
 * has been set right: it becomes the present one with its count, so that nothing is refilled early. The index is stored
 * first: a process that dies in between leaves a count that is too high, never one that is too low.
 */
function windowCount(cells: Float64Array, cell: number, index: number): number {
  const stored = cells[cell]
  if (stored !== index) {
    cells[cell] = index
    if (stored < index) cells[cell + 1] = 0
  }
  return cells[cell + 1]
}

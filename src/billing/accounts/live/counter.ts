/**
 * A counter is a number with a limit that begins again at the end of its period, or never: a balance, a key's monthly cap, and the minute,
 * hour and day of a rate limit. This process takes from `LEFT`. Only the ledger thread refills it: with all that is left on a single node,
 * with leases of the database in a fleet. All access is under the account's lock.
 *
 *   100 an hour, 30 used    LEFT 70  NEXT 100  ELSEWHERE 0     single node
 *   100 an hour, 30 used    LEFT 20  NEXT 0    ELSEWHERE 50    a node that leases 20
 */

import { DAY_MS, HOUR_MS, MINUTE_MS, monthOf, monthStartMs } from '../../../platform/time.ts'
import type { RateLimits } from '../../ledger/event.ts'

/** Amount that this process may take until `UNTIL_MS`. */
export const LEFT = 0
/** Cell: end of the period; Infinity if it never ends. */
export const UNTIL_MS = 1
/** Cell: `LEFT` at the beginning of the next period. */
export const NEXT = 2
/** Cell: unused amount that this process cannot take yet; 0 on a single node. */
export const ELSEWHERE = 3
export const LIMIT = 4
/** Cell of a window: queries taken since the last report of a fleet's node. */
export const USED = 5

export const FUNDS_CELLS = 5
export const WINDOW_CELLS = 6
/** Limit of a window without one: it still counts. */
export const ENDLESS = 2 ** 52

/** Result of `shortage`: more may come from elsewhere. */
export const ASK = -1
/** Number of periods that a window may be ahead, after the clock was set back by a day or two. */
const AHEAD_MAX = 2

const PERIODS_MS = [MINUTE_MS, HOUR_MS, DAY_MS] as const
export const WINDOWS_CELLS = PERIODS_MS.length * WINDOW_CELLS

/** Begins a new period of a balance or cap that has ended. A cap ahead of the clock stays, so that it is not refilled. */
export function renewFunds(cells: Float64Array, at: number, nowMs: number): void {
  if (nowMs < cells[at + UNTIL_MS]) return
  begin(cells, at)
  cells[at + UNTIL_MS] = monthStartMs(monthOf(nowMs) + 1)
}

/** Begins a new period of each window that has ended. Names the windows one by one, which is faster than a loop. */
export function renewWindows(cells: Float64Array, at: number, nowMs: number): void {
  renew(cells, at, MINUTE_MS, nowMs)
  renew(cells, at + WINDOW_CELLS, HOUR_MS, nowMs)
  renew(cells, at + 2 * WINDOW_CELLS, DAY_MS, nowMs)
}

/** Begins a new period of a window. One far ahead is of a wrong clock: it moves back with its count. */
function renew(cells: Float64Array, at: number, periodMs: number, nowMs: number): void {
  const untilMs = cells[at + UNTIL_MS]
  if (nowMs < untilMs && untilMs - nowMs <= (AHEAD_MAX + 1) * periodMs) return
  if (nowMs >= untilMs) {
    begin(cells, at)
    cells[at + USED] = 0
  }
  cells[at + UNTIL_MS] = (Math.floor(nowMs / periodMs) + 1) * periodMs
}

function begin(cells: Float64Array, at: number): void {
  cells[at + LEFT] = cells[at + NEXT]
  cells[at + ELSEWHERE] = cells[at + LIMIT] - cells[at + NEXT]
}

/** Returns 0 if all windows have `queries` left, ASK if more may come from elsewhere, else the ms until they could pass. */
export function shortage(cells: Float64Array, at: number, queries: number, nowMs: number): number {
  renewWindows(cells, at, nowMs)
  let found = 0
  for (let window = 0; window < PERIODS_MS.length; window++, at += WINDOW_CELLS) {
    const left = cells[at + LEFT]
    if (left >= queries) continue
    if (left + cells[at + ELSEWHERE] < queries) found = Math.max(found, cells[at + UNTIL_MS] - nowMs)
    else if (found === 0) found = ASK
  }
  return found
}

/** Takes `queries` from all windows, after `shortage` found none, and stores the windows in a row of the meter. */
export function takeWindows(
  cells: Float64Array,
  at: number,
  queries: number,
  rows: Float64Array,
  row: number,
): void {
  take(cells, at, MINUTE_MS, queries, rows, row)
  take(cells, at + WINDOW_CELLS, HOUR_MS, queries, rows, row + 2)
  take(cells, at + 2 * WINDOW_CELLS, DAY_MS, queries, rows, row + 4)
}

/** Stores the index of the period first, so that a process that dies in between leaves a count too high. */
function take(
  cells: Float64Array,
  at: number,
  periodMs: number,
  queries: number,
  rows: Float64Array,
  row: number,
): void {
  cells[at + LEFT] -= queries
  cells[at + USED] += queries
  rows[row] = cells[at + UNTIL_MS] / periodMs - 1
  rows[row + 1] = usedAt(cells, at)
}

/** Undoes `takeWindows`. What a node has reported meanwhile stays taken. */
export function untakeWindows(cells: Float64Array, at: number, queries: number): void {
  for (let window = 0; window < PERIODS_MS.length; window++, at += WINDOW_CELLS) {
    const undone = Math.min(queries, cells[at + USED])
    cells[at + LEFT] += undone
    cells[at + USED] -= undone
  }
}

/** Returns the rest of a limit, here and elsewhere. */
export function shownAt(cells: Float64Array, at: number): number {
  return cells[at + LEFT] + cells[at + ELSEWHERE]
}

/** Returns the part of a limit that was used. */
export function usedAt(cells: Float64Array, at: number): number {
  return cells[at + LIMIT] - shownAt(cells, at)
}

/** Sets a counter that has not begun: its first use begins a period. @param next amount that this process may take in a period */
export function setCounter(cells: Float64Array, at: number, limit: number, next: number): void {
  cells[at + LEFT] = 0
  cells[at + UNTIL_MS] = 0
  cells[at + NEXT] = next
  cells[at + ELSEWHERE] = limit
  cells[at + LIMIT] = limit
}

/** Returns the limits of three windows, in the order of the cells. */
export function windowLimits({ perMinute, perHour, perDay }: RateLimits): number[] {
  return [perMinute, perHour, perDay].map(limit => limit ?? ENDLESS)
}

export function limitsAt(cells: Float64Array, at: number): RateLimits {
  const [perMinute, perHour, perDay] = PERIODS_MS.map((_, window) => {
    const limit = cells[at + window * WINDOW_CELLS + LIMIT]
    return limit === ENDLESS ? null : limit
  })
  return { perMinute, perHour, perDay }
}

/** Sets windows with these limits to the counts in a row of the meter. */
export function loadWindows(
  cells: Float64Array,
  at: number,
  limits: RateLimits,
  rows: Float64Array,
  row: number,
): void {
  for (const [window, limit] of windowLimits(limits).entries()) {
    setCounter(cells, at, limit, limit)
    cells[at + UNTIL_MS] = (rows[row] + 1) * PERIODS_MS[window]
    cells[at + LEFT] = limit - rows[row + 1]
    cells[at + ELSEWHERE] = 0
    at += WINDOW_CELLS
    row += 2
  }
}

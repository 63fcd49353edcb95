/**
 * A counter is a number with a limit that begins again at the end of its period, or never: a balance, a key's
 * monthly cap, and the minute, hour and day of a rate limit. This process takes from `LEFT`. Only the ledger
 * thread refills it: with all that is left on a single node, with leases of the database in a fleet. All
 * access is under the account's lock.
 *
 *   100 an hour, 30 used    LEFT 70  NEXT 100  ELSEWHERE 0     single node
 *   100 an hour, 30 used    LEFT 20  NEXT 0    ELSEWHERE 50    a node that leases 20
 *
 * No clock that was wrong gives a limit twice. A day of 100, used up on May 5:
 *
 * 1. The clock goes back to 1970, an unknown day, which counts as used up. May 5 returns with the meter's
 *    count.
 * 2. The clock goes to 2050, and 10 queries there replace the count. May 5 returns, and counts as used up.
 */

import { DAY_MS, HOUR_MS, MINUTE_MS, monthOf, monthStartMs } from '../../../platform/time.ts'
import type { RateLimits } from '../../ledger/event.ts'
import { METER, type MeterRows, MINUTE_CELL, ROW_CELLS } from '../../ledger/meter/meter-layout.ts'
import { perWindow, WINDOWS } from '../windows.ts'

/** Amount that this process may take until `UNTIL_MS`. */
export const LEFT = 0
/** Cell: end of the period; Infinity if it never ends. */
export const UNTIL_MS = 1
/** Cell: value of `LEFT` when the next period begins, for a cap the next month. */
export const NEXT = 2
/** Cell: unused amount that this process cannot take yet; 0 on a single node. */
export const ELSEWHERE = 3
const LIMIT = 4
/** Cell of a window: queries taken since the last report of a fleet's node. */
export const USED = 5

export const CELLS_PER_WINDOW = 6
/** Limit of a window without one: it still counts. */
const ENDLESS = 2 ** 52

/** Result of `waitOf`: all windows have enough here. */
export const ENOUGH = 0
/** Result of `waitOf`: there may be enough elsewhere. Less than any wait: the largest result is the strictest. */
export const ENOUGH_ELSEWHERE = Number.MIN_VALUE
/** Number of periods that a window may be ahead, after the clock was set back by a day or two. */
const AHEAD_MAX = 2

const MONTH_DAYS_MIN = 28
const MONTH_DAYS_MAX = 31

export const WINDOWS_CELLS = WINDOWS.length * CELLS_PER_WINDOW

/** Values of the cells of the same names. */
export type CounterState = Partial<Record<'left' | 'untilMs' | 'next' | 'elsewhere' | 'limit', number>>

/** Counters of the windows of the account or key in `slot`. `windows` is their first cell. */
export type Windows = { readonly slot: number; readonly cells: Float64Array; readonly windows: number }

/** True in a period that ends within `msMax`. One that ends later was begun by a clock that was ahead. */
function isCurrent(untilMs: number, nowMs: number, msMax: number): boolean {
  return nowMs < untilMs && untilMs - nowMs <= msMax
}

/** Begins the month of a cap. After a longer gap only the ledger knows the rest, and the request asks it. */
export function renewFunds(cells: Float64Array, at: number, nowMs: number): void {
  const untilMs = cells[at + UNTIL_MS]
  if (isCurrent(untilMs, nowMs, MONTH_DAYS_MAX * DAY_MS)) return
  const isNext = nowMs >= untilMs && nowMs - untilMs < MONTH_DAYS_MIN * DAY_MS
  cells[at + LEFT] = isNext ? cells[at + NEXT] : 0
  cells[at + ELSEWHERE] = cells[at + LIMIT] - cells[at + LEFT]
  cells[at + UNTIL_MS] = monthStartMs(monthOf(nowMs) + 1)
}

/** Begins a new period of each ended window. Names the windows one by one, which is faster than a loop. */
export function renewWindows({ cells, windows: at, slot }: Windows, meter: MeterRows, nowMs: number): void {
  const row = slot * ROW_CELLS + MINUTE_CELL
  renewWindow(cells, at, MINUTE_MS, nowMs, meter, row)
  renewWindow(cells, at + CELLS_PER_WINDOW, HOUR_MS, nowMs, meter, row + 2)
  renewWindow(cells, at + 2 * CELLS_PER_WINDOW, DAY_MS, nowMs, meter, row + 4)
}

/** Begins a period with its count in the meter. One that a backward clock touched counts as used up. */
function renewWindow(
  cells: Float64Array,
  at: number,
  periodMs: number,
  nowMs: number,
  { header, cells: rows }: MeterRows,
  row: number,
): void {
  if (isCurrent(cells[at + UNTIL_MS], nowMs, (AHEAD_MAX + 1) * periodMs)) return
  const period = Math.floor(nowMs / periodMs)
  const limit = cells[at + LIMIT]
  const isIn = (timeMs: number): boolean => Math.floor(timeMs / periodMs) === period
  let used = 0
  if (rows[row] === period) used = rows[row + 1]
  else if (limit < ENDLESS && (isIn(header[METER.backFromMs]) || isIn(header[METER.backToMs]))) used = limit
  cells[at + LEFT] = cells[at + NEXT] === 0 ? 0 : limit - used
  cells[at + ELSEWHERE] = limit - cells[at + NEXT]
  cells[at + UNTIL_MS] = (period + 1) * periodMs
  cells[at + USED] = 0
}

/** Returns how long `queries` must wait for the windows: ENOUGH, ENOUGH_ELSEWHERE, or milliseconds. */
export function waitOf(line: Windows, meter: MeterRows, queries: number, nowMs: number): number {
  renewWindows(line, meter, nowMs)
  const { cells } = line
  let at = line.windows
  let wait: number = ENOUGH
  for (let window = 0; window < WINDOWS.length; window++, at += CELLS_PER_WINDOW) {
    const left = cells[at + LEFT]
    if (left >= queries) continue
    const isElsewhere = left + cells[at + ELSEWHERE] >= queries
    wait = Math.max(wait, isElsewhere ? ENOUGH_ELSEWHERE : cells[at + UNTIL_MS] - nowMs)
  }
  return wait
}

/** Takes `queries` from all windows of `slot`, which have enough, and stores them in the meter. */
export function takeWindows(
  { cells, windows: at, slot }: Windows,
  { cells: rows }: MeterRows,
  queries: number,
): void {
  const row = slot * ROW_CELLS + MINUTE_CELL
  takeWindow(cells, at, MINUTE_MS, queries, rows, row)
  takeWindow(cells, at + CELLS_PER_WINDOW, HOUR_MS, queries, rows, row + 2)
  takeWindow(cells, at + 2 * CELLS_PER_WINDOW, DAY_MS, queries, rows, row + 4)
}

/**
 * Stores the index of the period first, so that a process that dies in between leaves a count too high. A
 * node's period ends by the database's clock, so its index is rounded.
 */
function takeWindow(
  cells: Float64Array,
  at: number,
  periodMs: number,
  queries: number,
  rows: Float64Array,
  row: number,
): void {
  cells[at + LEFT] -= queries
  cells[at + USED] += queries
  rows[row] = Math.ceil(cells[at + UNTIL_MS] / periodMs) - 1
  rows[row + 1] = usedAt(cells, at)
}

/** Undoes `takeWindows`. What a node has reported meanwhile stays taken. */
export function putBackWindows({ cells, windows: at }: Windows, queries: number): void {
  for (let window = 0; window < WINDOWS.length; window++, at += CELLS_PER_WINDOW) {
    const undone = Math.min(queries, cells[at + USED])
    cells[at + LEFT] += undone
    cells[at + USED] -= undone
  }
}

/** Returns the rest of a limit, here and elsewhere. */
export function availableAt(cells: Float64Array, at: number): number {
  return cells[at + LEFT] + cells[at + ELSEWHERE]
}

export function usedAt(cells: Float64Array, at: number): number {
  return cells[at + LIMIT] - availableAt(cells, at)
}

/** Sets a counter. By default it has not begun: its first use begins a period. */
export function setCounter(
  cells: Float64Array,
  at: number,
  { limit = 0, left = 0, untilMs = 0, next = 0, elsewhere = limit }: CounterState,
): void {
  cells[at + LEFT] = left
  cells[at + UNTIL_MS] = untilMs
  cells[at + NEXT] = next
  cells[at + ELSEWHERE] = elsewhere
  cells[at + LIMIT] = limit
}

/** Returns the limits of three windows, in the order of the cells; none without limits. */
export function windowLimits(limits: RateLimits | null): number[] {
  return limits === null ? [] : WINDOWS.map(({ limit }) => limits[limit] ?? ENDLESS)
}

export function limitsAt(cells: Float64Array, at: number): RateLimits {
  return perWindow((_, window) => {
    const limit = cells[at + window * CELLS_PER_WINDOW + LIMIT]
    return limit === ENDLESS ? null : limit
  })
}

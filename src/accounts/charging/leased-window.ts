/**
 * Rate limits of an account or a key in a fleet: the node leases queries of the present minute, which the database has counted already in
 * the minute, the hour and the day. What it holds of them is in the row of the meter for its windows, as everything here under
 * the account's lock. A start begins with nothing leased.
 */
import { DAY, HOUR, MINUTE, ROW_CELLS, ROW_WORDS, SUM } from '../../ledger/meter/meter-layout.ts'
import type { MeterRows } from '../../ledger/meter/meter-rows.ts'
import type { Limited } from '../types.ts'

/** Cells: when the lease ends; queries left of it; what the database has refused; used since it was last told. */
const UNTIL_MS = MINUTE
const LEFT = MINUTE + 1
const REFUSED = HOUR
const USED = HOUR + 1
/** What all nodes had used when the database last answered: a word, and two cells. */
const MINUTE_COUNT = SUM
const HOUR_COUNT = DAY
const DAY_COUNT = DAY + 1

/** A refusal is one whole number: until when, in milliseconds, times this, and how many queries more than are left. */
const REFUSED_QUERIES = 4096

/** What the database has granted, or why not. Times are of the node's own clock. */
export interface AdmissionLease {
  granted: number
  untilMs: number
  refusedUntilMs: number
  /** How many queries, besides those that were left, have been refused; fewer may pass. */
  refusedQueries: number
  /** Used by all nodes in the present minute, hour and day. */
  counts: readonly [number, number, number]
}

/** Passes `queries`: 0, or the milliseconds until the same request could pass, or -1 when the database has to be asked. */
export function admitLeased(
  { cells, words }: MeterRows,
  row: number,
  limited: Limited,
  queries: number,
  nowMs: number,
): number {
  const cell = row * ROW_CELLS
  const left = nowMs < cells[cell + UNTIL_MS] ? cells[cell + LEFT] : 0
  const isAdmitted = queries <= left
  if (isAdmitted) {
    cells[cell + LEFT] = left - queries
    cells[cell + USED] += queries
  }
  const used = cells[cell + USED]
  limited.currentMinute = words[row * ROW_WORDS + MINUTE_COUNT] + used
  limited.currentHour = cells[cell + HOUR_COUNT] + used
  limited.currentDay = cells[cell + DAY_COUNT] + used
  if (isAdmitted || queries === 0) return 0
  return refusedMsOf(cells[cell + REFUSED], queries - left, nowMs) || -1
}

/** Undoes an `admitLeased` that has passed `queries`. */
export function unadmit({ cells }: MeterRows, row: number, limited: Limited, queries: number): void {
  const cell = row * ROW_CELLS
  // The ledger thread may have taken out what was used: the database has counted it then, and it stays counted.
  const undone = Math.min(queries, cells[cell + USED])
  cells[cell + USED] -= undone
  cells[cell + LEFT] += undone
  limited.currentMinute -= undone
  limited.currentHour -= undone
  limited.currentDay -= undone
}

/** What has been used since the last answer, and, if `all`, what is left of a lease that has not ended, which is taken out. */
export function settleWindow(
  { cells }: MeterRows,
  row: number,
  nowMs: number,
  all: boolean,
): { used: number; left: number } {
  const cell = row * ROW_CELLS
  const used = cells[cell + USED]
  const hasEnded = nowMs >= cells[cell + UNTIL_MS]
  const left = all && !hasEnded ? cells[cell + LEFT] : 0
  if (all || hasEnded) cells[cell + LEFT] = 0
  return { used, left }
}

/** Puts back what `settleWindow` has taken out, unless its minute has ended meanwhile. */
export function restoreWindow({ cells }: MeterRows, row: number, queries: number, nowMs: number): void {
  const cell = row * ROW_CELLS
  if (nowMs < cells[cell + UNTIL_MS]) cells[cell + LEFT] += queries
}

/** The database has counted `queries` of what was used. */
export function confirmWindow({ cells, words }: MeterRows, row: number, queries: number): void {
  const cell = row * ROW_CELLS
  // None are left when the limits have changed meanwhile.
  cells[cell + USED] = Math.max(0, cells[cell + USED] - queries)
  words[row * ROW_WORDS + MINUTE_COUNT] += queries
  cells[cell + HOUR_COUNT] += queries
  cells[cell + DAY_COUNT] += queries
}

/** Adds what the database has granted. What was left of an earlier minute has ended. */
export function grantWindow({ cells, words }: MeterRows, row: number, lease: AdmissionLease): void {
  const cell = row * ROW_CELLS
  const { granted, untilMs, refusedUntilMs, refusedQueries, counts } = lease
  const isSameMinute = Math.abs(untilMs - cells[cell + UNTIL_MS]) < SAME_MINUTE_MS
  cells[cell + LEFT] = (isSameMinute ? cells[cell + LEFT] : 0) + granted
  // The earlier end of the two: each is a little before the real one.
  if (!isSameMinute || untilMs < cells[cell + UNTIL_MS]) cells[cell + UNTIL_MS] = untilMs
  cells[cell + REFUSED] = refusedUntilMs * REFUSED_QUERIES + Math.min(refusedQueries, REFUSED_QUERIES - 1)
  words[row * ROW_WORDS + MINUTE_COUNT] = counts[0]
  cells[cell + HOUR_COUNT] = counts[1]
  cells[cell + DAY_COUNT] = counts[2]
}

/** Two ends of one minute differ by the time that the answers took. */
const SAME_MINUTE_MS = 30_000

/** Begins with nothing leased. */
export function clearWindow({ cells, words }: MeterRows, row: number): void {
  const cell = row * ROW_CELLS
  cells.fill(0, cell + MINUTE, cell + ROW_CELLS)
  words[row * ROW_WORDS + MINUTE_COUNT] = 0
}

/** Queries left, for those who lease ahead of need. */
export function windowLeft({ cells }: MeterRows, row: number, nowMs: number): number {
  const cell = row * ROW_CELLS
  return nowMs < cells[cell + UNTIL_MS] ? cells[cell + LEFT] : 0
}

/** Milliseconds for which `queries` are refused; 0: they may pass, or nobody knows yet. */
export function windowRefusedMs(rows: MeterRows, row: number, queries: number, nowMs: number): number {
  const refused = rows.cells[row * ROW_CELLS + REFUSED]
  return refusedMsOf(refused, queries - windowLeft(rows, row, nowMs), nowMs)
}

function refusedMsOf(refused: number, missing: number, nowMs: number): number {
  if (missing < refused % REFUSED_QUERIES) return 0
  return Math.max(0, Math.floor(refused / REFUSED_QUERIES) - nowMs)
}

/**
 * Rate limits of an account in a fleet: the node leases queries of the present minute, which the database has counted already in
 * the minute, the hour and the day. What it holds of them is in the account's row of the meter, as everything here under the
 * account's lock. A start begins with nothing leased.
 */
import { DAY, HOUR, MINUTE, ROW_CELLS, ROW_WORDS, SUM } from '../../ledger/meter/meter-layout.ts'
import type { MeterRows } from '../../ledger/meter/meter-rows.ts'
import type { SharedAccount } from './shared-account.ts'

/** Cells: when the lease ends; queries left of it; until when the database has refused more; used since it was last told. */
const UNTIL_MS = MINUTE
const LEFT = MINUTE + 1
const REFUSED_UNTIL_MS = HOUR
const USED = HOUR + 1
/** What all nodes had used when the database last answered: a word, and two cells. */
const MINUTE_COUNT = SUM
const HOUR_COUNT = DAY
const DAY_COUNT = DAY + 1

/** What the database has granted, or why not. Times are of the node's own clock. */
export interface AdmissionLease {
  granted: number
  untilMs: number
  refusedUntilMs: number
  /** Used by all nodes in the present minute, hour and day. */
  counts: readonly [number, number, number]
}

/** Passes `queries`: 0, or the milliseconds until the same request could pass, or -1 when the database has to be asked. */
export function admitLeased(
  { cells, words }: MeterRows,
  row: number,
  account: SharedAccount,
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
  account.currentMinute = words[row * ROW_WORDS + MINUTE_COUNT] + used
  account.currentHour = cells[cell + HOUR_COUNT] + used
  account.currentDay = cells[cell + DAY_COUNT] + used
  if (isAdmitted || queries === 0) return 0
  const refusedMs = cells[cell + REFUSED_UNTIL_MS] - nowMs
  return refusedMs > 0 ? refusedMs : -1
}

/** Undoes an `admitLeased` that has passed `queries`. */
export function readmit({ cells }: MeterRows, row: number, queries: number): void {
  const cell = row * ROW_CELLS
  // The ledger thread may have taken out what was used: the database has counted it then, and it stays counted.
  const undone = Math.min(queries, cells[cell + USED])
  cells[cell + USED] -= undone
  cells[cell + LEFT] += undone
}

/** Takes out what has been used since the last call, and, if `all`, what is left of a lease that has not ended. */
export function settleWindow(
  { cells }: MeterRows,
  row: number,
  nowMs: number,
  all: boolean,
): { used: number; left: number } {
  const cell = row * ROW_CELLS
  const used = cells[cell + USED]
  cells[cell + USED] = 0
  const hasEnded = nowMs >= cells[cell + UNTIL_MS]
  const left = all && !hasEnded ? cells[cell + LEFT] : 0
  if (all || hasEnded) cells[cell + LEFT] = 0
  return { used, left }
}

/** Adds what the database has granted. What was left of an earlier minute has ended. */
export function grantWindow({ cells, words }: MeterRows, row: number, lease: AdmissionLease): void {
  const cell = row * ROW_CELLS
  const { granted, untilMs, refusedUntilMs, counts } = lease
  const isSameMinute = Math.abs(untilMs - cells[cell + UNTIL_MS]) < SAME_MINUTE_MS
  cells[cell + LEFT] = (isSameMinute ? cells[cell + LEFT] : 0) + granted
  // The earlier end of the two: each is a little before the real one.
  if (!isSameMinute || untilMs < cells[cell + UNTIL_MS]) cells[cell + UNTIL_MS] = untilMs
  cells[cell + REFUSED_UNTIL_MS] = refusedUntilMs
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

/** Milliseconds for which the database has refused more; 0: it has not. */
export function windowRefusedMs({ cells }: MeterRows, row: number, nowMs: number): number {
  return Math.max(0, cells[row * ROW_CELLS + REFUSED_UNTIL_MS] - nowMs)
}

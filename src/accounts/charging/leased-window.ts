/**
 * Rate limits in a fleet: a node leases queries of the present minute, which the database has counted already. Its part is in cells 1 to 7
 * of a row of the meter, under the account's lock. After a start nothing is leased.
 */
import { COUNTS, DAY, HOUR, LEASED_MINUTE, MINUTE } from '../../ledger/meter/meter-layout.ts'
import type { Limited } from './shared-key.ts'

/** Cells: when the lease ends; queries left of it; what the database has refused; used since it was last told. */
const UNTIL_MS = MINUTE
const LEFT = MINUTE + 1
const REFUSED = HOUR
const USED = HOUR + 1
/** Cells: used by all nodes when the database last answered. */
const MINUTE_COUNT = LEASED_MINUTE
const HOUR_COUNT = DAY
const DAY_COUNT = DAY + 1

/** A refusal is one whole number: its end in milliseconds times this, plus the queries beyond those left that were refused. */
const REFUSED_QUERIES = 4096

/** An answer of the database. Times are of the node's own clock. */
export interface AdmissionLease {
  granted: number
  untilMs: number
  refusedUntilMs: number
  /** This many queries more than are left were refused; a smaller request may pass. */
  refusedQueries: number
  /** Used by all nodes in the present minute, hour and day. */
  counts: readonly [number, number, number]
}

/** Passes `queries`: 0, or the milliseconds until the same request could pass, or -1 when the database has to be asked. */
export function admitLeased(
  cells: Float64Array,
  cell: number,
  limited: Limited,
  queries: number,
  nowMs: number,
): number {
  const left = nowMs < cells[cell + UNTIL_MS] ? cells[cell + LEFT] : 0
  const isAdmitted = queries <= left
  if (isAdmitted) {
    cells[cell + LEFT] = left - queries
    cells[cell + USED] += queries
  }
  const used = cells[cell + USED]
  limited.currentMinute = cells[cell + MINUTE_COUNT] + used
  limited.currentHour = cells[cell + HOUR_COUNT] + used
  limited.currentDay = cells[cell + DAY_COUNT] + used
  if (isAdmitted || queries === 0) return 0
  return refusedMsOf(cells[cell + REFUSED], queries - left, nowMs) || -1
}

export function unadmit(cells: Float64Array, cell: number, limited: Limited, queries: number): void {
  // The ledger thread may have taken out what was used: the database has counted it then, and it stays counted.
  const undone = Math.min(queries, cells[cell + USED])
  cells[cell + USED] -= undone
  cells[cell + LEFT] += undone
  limited.currentMinute -= undone
  limited.currentHour -= undone
  limited.currentDay -= undone
}

/** Returns queries used since the last answer, and, if `all` or if the minute has ended, takes out those left. */
export function settleWindow(
  cells: Float64Array,
  cell: number,
  nowMs: number,
  all: boolean,
): { used: number; left: number } {
  const used = cells[cell + USED]
  if (!all && nowMs < cells[cell + UNTIL_MS]) return { used, left: 0 }
  const left = cells[cell + LEFT]
  cells[cell + LEFT] = 0
  return { used, left }
}

export function confirmWindow(cells: Float64Array, cell: number, queries: number): void {
  // None are left when the limits have changed meanwhile.
  cells[cell + USED] = Math.max(0, cells[cell + USED] - queries)
  cells[cell + MINUTE_COUNT] += queries
  cells[cell + HOUR_COUNT] += queries
  cells[cell + DAY_COUNT] += queries
}

/** Adds what the database has granted. The rest of an earlier minute is dropped. */
export function grantWindow(cells: Float64Array, cell: number, lease: AdmissionLease): void {
  const { granted, untilMs, refusedUntilMs, refusedQueries, counts } = lease
  const isSameMinute = Math.abs(untilMs - cells[cell + UNTIL_MS]) < SAME_MINUTE_MS
  cells[cell + LEFT] = (isSameMinute ? cells[cell + LEFT] : 0) + granted
  // The earlier end of the two: each is a little before the real one.
  if (!isSameMinute || untilMs < cells[cell + UNTIL_MS]) cells[cell + UNTIL_MS] = untilMs
  cells[cell + REFUSED] = refusedUntilMs * REFUSED_QUERIES + Math.min(refusedQueries, REFUSED_QUERIES - 1)
  cells[cell + MINUTE_COUNT] = counts[0]
  cells[cell + HOUR_COUNT] = counts[1]
  cells[cell + DAY_COUNT] = counts[2]
}

/** Two ends of one minute differ by the time that the answers took. */
const SAME_MINUTE_MS = 30_000

export function clearWindow(cells: Float64Array, cell: number): void {
  cells.fill(0, cell + MINUTE_COUNT, cell + COUNTS)
}

export function windowLeft(cells: Float64Array, cell: number, nowMs: number): number {
  return nowMs < cells[cell + UNTIL_MS] ? cells[cell + LEFT] : 0
}

/** Milliseconds for which `queries` are refused; 0: they may pass, or nobody knows yet. */
export function windowRefusedMs(cells: Float64Array, cell: number, queries: number, nowMs: number): number {
  return refusedMsOf(cells[cell + REFUSED], queries - windowLeft(cells, cell, nowMs), nowMs)
}

function refusedMsOf(refused: number, missing: number, nowMs: number): number {
  if (missing < refused % REFUSED_QUERIES) return 0
  return Math.max(0, Math.floor(refused / REFUSED_QUERIES) - nowMs)
}

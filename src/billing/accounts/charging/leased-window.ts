/**
 * Rate limits in a fleet. A node leases queries of the present minute, which the database counts at once. They are in cells 1 to 7 of
 * a row of the meter, under the account's lock. After a start nothing is leased.
 */
import {
  COUNTS,
  DAY_CELL,
  HOUR_CELL,
  LEASED_MINUTE_CELL,
  MINUTE_CELL,
} from '../../ledger/meter/meter-layout.ts'
import type { Limited } from './rate-window.ts'

/** Cell: end of the lease. */
const UNTIL_MS = MINUTE_CELL
/** Cell: unused queries of the lease. */
const LEFT = MINUTE_CELL + 1
/** Cell: last refusal of the database: its end in ms * REFUSED_QUERIES + the refused queries beyond LEFT. */
const REFUSED = HOUR_CELL
/** Cell: queries used since the last report. */
const USED = HOUR_CELL + 1
/** Cell: queries of all nodes in the minute, at the last answer of the database. */
const MINUTE_COUNT = LEASED_MINUTE_CELL
/** Cell: queries of all nodes in the hour. */
const HOUR_COUNT = DAY_CELL
/** Cell: queries of all nodes in the day. */
const DAY_COUNT = DAY_CELL + 1

/** Factor of the end of a refusal in REFUSED. */
const REFUSED_QUERIES = 4096

/** Answer of the database. Times are of the node's own clock. */
export interface AdmissionLease {
  granted: number
  untilMs: number
  refusedUntilMs: number
  /** Number of refused queries beyond the unused ones. A smaller request may pass. */
  refusedQueries: number
  /** Queries of all nodes in the present minute, hour and day. */
  counts: readonly [number, number, number]
}

/** Counts `queries` and returns 0. Otherwise returns the milliseconds until they could pass; -1 if the database must be asked. */
export function takeLeased(
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

export function returnLeased(cells: Float64Array, cell: number, limited: Limited, queries: number): void {
  // Queries that the ledger thread has reported stay counted.
  const undone = Math.min(queries, cells[cell + USED])
  cells[cell + USED] -= undone
  cells[cell + LEFT] += undone
  limited.currentMinute -= undone
  limited.currentHour -= undone
  limited.currentDay -= undone
}

/** Returns the queries used since the last answer. Also returns and clears the unused ones if `all` is set or the minute has ended. */
export function reportWindow(
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
  // USED is 0 if the limits have changed meanwhile.
  cells[cell + USED] = Math.max(0, cells[cell + USED] - queries)
  cells[cell + MINUTE_COUNT] += queries
  cells[cell + HOUR_COUNT] += queries
  cells[cell + DAY_COUNT] += queries
}

/** Adds granted queries. The rest of an earlier minute is dropped. */
export function grantWindow(cells: Float64Array, cell: number, lease: AdmissionLease): void {
  const { granted, untilMs, refusedUntilMs, refusedQueries, counts } = lease
  const isSameMinute = Math.abs(untilMs - cells[cell + UNTIL_MS]) < SAME_MINUTE_MS
  cells[cell + LEFT] = (isSameMinute ? cells[cell + LEFT] : 0) + granted
  // Takes the earlier end, which is the safe one.
  if (!isSameMinute || untilMs < cells[cell + UNTIL_MS]) cells[cell + UNTIL_MS] = untilMs
  cells[cell + REFUSED] = refusedUntilMs * REFUSED_QUERIES + Math.min(refusedQueries, REFUSED_QUERIES - 1)
  cells[cell + MINUTE_COUNT] = counts[0]
  cells[cell + HOUR_COUNT] = counts[1]
  cells[cell + DAY_COUNT] = counts[2]
}

/** Largest difference between two ends of one minute, caused by the time of the answers. */
const SAME_MINUTE_MS = 30_000

export function clearWindow(cells: Float64Array, cell: number): void {
  cells.fill(0, cell + MINUTE_COUNT, cell + COUNTS)
}

export function windowLeft(cells: Float64Array, cell: number, nowMs: number): number {
  return nowMs < cells[cell + UNTIL_MS] ? cells[cell + LEFT] : 0
}

/** Returns the milliseconds for which `queries` are refused; 0 if they may pass, or if that is unknown. */
export function windowRefusedMs(cells: Float64Array, cell: number, queries: number, nowMs: number): number {
  return refusedMsOf(cells[cell + REFUSED], queries - windowLeft(cells, cell, nowMs), nowMs)
}

function refusedMsOf(refused: number, missing: number, nowMs: number): number {
  if (missing < refused % REFUSED_QUERIES) return 0
  return Math.max(0, Math.floor(refused / REFUSED_QUERIES) - nowMs)
}

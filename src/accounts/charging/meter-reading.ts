/** What the meter counts of a key, in the terms of the ledger. */
import type { KeyRecord } from '../../ledger/book/record.ts'
import { USAGE_CLASSES_COUNT } from '../../ledger/event.ts'
import { QUERIES, QUERIES_SUM, UNDER_WAY } from '../../ledger/meter/meter-layout.ts'
import { QUERY_PRICE_MICROS } from '../../limits.ts'
import type { LiveKey } from './live.ts'

/**
 * Counts `queries` of one class: four stores into one cache line. The order matters: FORMAT.md says what a process that
 * dies in between leaves, and how a start distinguishes that from damage.
 */
export function countQueries(cells: Float64Array, cell: number, usage: number, queries: number): void {
  cells[cell + UNDER_WAY] = queries
  cells[cell + QUERIES_SUM] += queries
  cells[cell + QUERIES + usage] += queries
  cells[cell + UNDER_WAY] = 0
}

/**
 * Undoes `countQueries`. The order is its mirror image, so that a process that dies in between leaves what a charge in
 * progress leaves: a sum that is ahead by just the queries in progress.
 */
export function uncountQueries(cells: Float64Array, cell: number, usage: number, queries: number): void {
  cells[cell + UNDER_WAY] = queries
  cells[cell + QUERIES + usage] -= queries
  cells[cell + QUERIES_SUM] -= queries
  cells[cell + UNDER_WAY] = 0
}

/** Whether the ledger lacks at least `queries` of what the meter has counted in this class. */
export function isAhead(key: LiveKey, cells: Float64Array, usage: number, queries: number): boolean {
  return cells[key.cell + QUERIES + usage] - key.record.queriesOf(usage) >= queries
}

/** Cumulative spend: what the ledger has, and the price of what the meter, from `cell` on, is ahead by. */
export function spentMicros(record: KeyRecord, cell: number, cells: Float64Array): number {
  return record.spentMicros + aheadMicros(record, cell, cells)
}

/** Spend that is not in the ledger yet. */
export function aheadMicros(record: KeyRecord, cell: number, cells: Float64Array): number {
  return (cells[cell + QUERIES_SUM] - record.queriesSum()) * QUERY_PRICE_MICROS
}

/** Appends the key's row of a usage event to `rows`. */
export function appendUsage(rows: number[], { record, cell }: LiveKey, cells: Float64Array): void {
  rows.push(record.slot)
  for (let usage = 0; usage < USAGE_CLASSES_COUNT; usage++) rows.push(cells[cell + QUERIES + usage])
  rows.push(spentMicros(record, cell, cells))
}

/** Queries by class: a view of the meter, valid until it grows. */
export function meterQueries(key: LiveKey, cells: Float64Array): Float64Array {
  return cells.subarray(key.cell + QUERIES, key.cell + QUERIES + USAGE_CLASSES_COUNT)
}

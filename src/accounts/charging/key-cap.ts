import { monthSpentMicros } from '../../ledger/book/usage-row.ts'
import type { LiveKey } from './live.ts'
import { aheadMicros } from './meter-reading.ts'

/**
 * Computes what a key's monthly cap still allows. Called when the cap is set and when it seems used up, not at the
 * turn of a month: until then the old figure is only too strict.
 */
export function renewCap(key: LiveKey, cells: Float64Array, nowMs: number): void {
  const { capMicros } = key.record
  key.capLeftMicros =
    capMicros === null ? Number.POSITIVE_INFINITY : capMicros - monthSpent(key, cells, nowMs)
}

/** Spend of the UTC month of `nowMs`, with what is not in the ledger yet. */
export function monthSpent(key: LiveKey, cells: Float64Array, nowMs: number): number {
  return monthSpentMicros(key.record, nowMs) + aheadMicros(key.record, key.cell, cells)
}

/** What the meter of a dead process says, whatever its version: counts by key, windows by account and by key. */
import type { AccountRecord, KeyRecord } from '../book/record.ts'
import { CELL_BYTES, type MeterHeader, meterDamage } from './meter-layout.ts'

export interface MeterImage extends MeterHeader {
  file: string
  durableSequence: number
  /** The latest time that the service had seen. */
  clockMs: number
  /** By slot. */
  keys: Map<number, MeteredKey>
  accounts: Map<number, MeteredWindows>
  /** The windows of keys that have limits of their own. */
  keyWindows: Map<number, MeteredWindows>
  /** What `identity` must be for the owner of a slot. */
  identityOf(record: AccountRecord | KeyRecord): number
}

export interface MeteredKey {
  /** Where the file says so, in bytes. */
  offset: number
  identity: number
  /** Cumulative queries by usage class. */
  queries: number[]
  /** Their sum as it was stored, and the charge that was in progress. */
  sum: number
  inProgress: number
}

export interface MeteredWindows {
  offset: number
  identity: number
  /** Minute, its count, hour, its count, day, its count. */
  windows: Float64Array
}

/** A cell that counts. @throws LedgerError DAMAGED when it is not a non-negative integer */
export function count(file: string, cells: Float64Array, cell: number): number {
  const value = cells[cell]
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw meterDamage(file, cell * CELL_BYTES, `the count ${value}`, 'a non-negative integer')
}

/** Six cells of windows. @throws LedgerError DAMAGED */
export function windowsAt(file: string, cells: Float64Array, cell: number): Float64Array {
  for (let window = cell; window < cell + 6; window++) count(file, cells, window)
  return cells.slice(cell, cell + 6)
}

/** A sum of counts. The one charge that a process was making when it died is in the sum only, and was never answered. */
export function expectSum(
  file: string,
  offset: number,
  stored: number,
  sum: number,
  inProgress: number,
): void {
  if (stored === sum || stored - sum === inProgress) return
  throw meterDamage(file, offset, `a sum of ${stored} queries`, `${sum}, as its classes add up to`)
}

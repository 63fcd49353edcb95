import { monthOf, monthStartMs } from '../../../platform/time.ts'
import { CAP, CAP_LEFT, CAP_UNTIL_MS } from '../live/live-layout.ts'
import type { SharedKey } from './shared-key.ts'

/** Cap that only the database knows. It exceeds every cap, and adding a cap to it stays exact. */
export const UNKNOWN_CAP_MICROS = 2 ** 52

/**
 * Returns true if a key's monthly cap allows `micros` more. Begins a new month, in a fleet with nothing until the cap is leased. The
 * ledger thread corrects this once it has dated the charges. The caller holds the lock of the key's account.
 */
export function capAllows(
  { cells, cell }: SharedKey,
  micros: number,
  time: { nowMs(): number },
  isInFleet: boolean,
): boolean {
  const left = cells[cell + CAP_LEFT]
  if (left === Number.POSITIVE_INFINITY) return true
  const nowMs = time.nowMs()
  if (nowMs < cells[cell + CAP_UNTIL_MS]) return left >= micros
  setCapLeft(cells, cell, isInFleet ? 0 : cells[cell + CAP], nowMs)
  if (isInFleet) cells[cell + CAP] = UNKNOWN_CAP_MICROS
  return cells[cell + CAP_LEFT] >= micros
}

export function setCapLeft(cells: Float64Array, cell: number, leftMicros: number, nowMs: number): void {
  cells[cell + CAP_LEFT] = leftMicros
  cells[cell + CAP_UNTIL_MS] = monthStartMs(monthOf(nowMs) + 1)
}

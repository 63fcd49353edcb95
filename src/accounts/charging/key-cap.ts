import { monthOf, monthStartMs } from '../../ledger/book/month.ts'
import { CAP, CAP_LEFT, CAP_UNTIL_MS } from '../live/live-layout.ts'
import type { SharedKey } from './shared-key.ts'

/** More than any cap, and exact with one added: in a fleet, only the database knows what is left of it. */
export const UNKNOWN_CAP_MICROS = 2 ** 52

/**
 * Whether a key's monthly cap allows `micros` more. With the month that it was computed for, what it allows ends, and all of
 * it is allowed again; the ledger thread corrects this when it has dated the charges of that moment. In a fleet, the quota of
 * the new month has to be leased first. The caller holds the lock of the key's account. Costs a comparison for a key without
 * a cap, and a reading of the clock for one that has one.
 */
export function capAllows(
  { cells, cell }: SharedKey,
  micros: number,
  time: { nowMs(): number },
  inFleet: boolean,
): boolean {
  const left = cells[cell + CAP_LEFT]
  if (left === Number.POSITIVE_INFINITY) return true
  const nowMs = time.nowMs()
  if (nowMs < cells[cell + CAP_UNTIL_MS]) return left >= micros
  setCapLeft(cells, cell, inFleet ? 0 : cells[cell + CAP], nowMs)
  if (inFleet) cells[cell + CAP] = UNKNOWN_CAP_MICROS
  return cells[cell + CAP_LEFT] >= micros
}

/** Stores what a cap allows until the end of the UTC month of `nowMs`. */
export function setCapLeft(cells: Float64Array, cell: number, leftMicros: number, nowMs: number): void {
  cells[cell + CAP_LEFT] = leftMicros
  cells[cell + CAP_UNTIL_MS] = monthStartMs(monthOf(nowMs) + 1)
}

import { USAGE_CLASSES_COUNT } from '../event.ts'
import { monthOf, monthStartMs } from './month.ts'
import type { KeyRecord } from './record.ts'

/**
 * Brings a key up to the cumulative counts of `rows[row, row + USAGE_ROW)`, except for its spend and its account's, which
 * have grown by `addedMicros` already. Counts that are not ahead change nothing, so that applying a row twice is applying
 * it once. Cost: about 100 ns.
 */
export function applyUsageRow(
  key: KeyRecord,
  rows: readonly number[],
  row: number,
  addedMicros: number,
  timeMs: number,
): void {
  for (let usage = 0; usage < USAGE_CLASSES_COUNT; usage++) {
    const added = rows[row + 1 + usage] - key.queries[usage]
    if (added <= 0) continue
    key.queries[usage] += added
    key.hours.addQueries(timeMs, usage, added)
    key.days.addQueries(timeMs, usage, added)
    // Frames come in order: a later one is later, whatever a clock that was wrong has written before.
    key.lastUsedMs = timeMs
  }
  if (addedMicros > 0) addSpend(key, addedMicros, timeMs)
}

function addSpend(key: KeyRecord, micros: number, timeMs: number): void {
  key.hours.addSpend(timeMs, micros)
  key.days.addSpend(timeMs, micros)
  const month = monthOf(timeMs)
  if (month === key.month) {
    key.monthSpentMicros += micros
  } else {
    // An earlier month comes back when a clock that was set forward is set right again.
    key.month = month
    key.monthSpentMicros = spentInMonth(key, month)
  }
}

/** Spend of the UTC month of `nowMs`. Costs a comparison, or up to 92 of them while a wrong clock's month is stored. */
export function monthSpentMicros(key: KeyRecord, nowMs: number): number {
  const month = monthOf(nowMs)
  if (month === key.month) return key.monthSpentMicros
  return month > key.month ? 0 : spentInMonth(key, month)
}

function spentInMonth(key: KeyRecord, month: number): number {
  return key.days.spentBetween(monthStartMs(month), monthStartMs(month + 1))
}

import { USAGE_CLASSES_COUNT } from '../event.ts'
import { type KeyRecord, monthOf } from './record.ts'

/**
 * Brings a key up to the cumulative counts of `rows[row, row + USAGE_ROW)`. Counts that are not ahead change nothing,
 * so that applying a row twice is applying it once. Cost: about 100 ns.
 */
export function applyUsageRow(key: KeyRecord, rows: readonly number[], row: number, timeMs: number): void {
  for (let usage = 0; usage < USAGE_CLASSES_COUNT; usage++) {
    const before = key.queries[usage] ?? 0
    const added = (rows[row + 1 + usage] ?? 0) - before
    if (added <= 0) continue
    key.queries[usage] = before + added
    key.hours.addQueries(timeMs, usage, added)
    key.days.addQueries(timeMs, usage, added)
  }
  const spentMicros = rows[row + 1 + USAGE_CLASSES_COUNT] ?? 0
  const addedMicros = spentMicros - key.spentMicros
  if (addedMicros > 0) addSpend(key, addedMicros, timeMs)
  key.lastUsedMs = Math.max(key.lastUsedMs, timeMs)
}

function addSpend(key: KeyRecord, micros: number, timeMs: number): void {
  key.spentMicros += micros
  key.account.spentMicros += micros
  key.hours.addSpend(timeMs, micros)
  key.days.addSpend(timeMs, micros)
  const month = monthOf(timeMs)
  if (month > key.month) {
    key.month = month
    key.monthSpentMicros = 0
  }
  key.monthSpentMicros += micros
}

/** Spend of the UTC month of `nowMs`. */
export function monthSpentMicros(key: KeyRecord, nowMs: number): number {
  return key.month >= monthOf(nowMs) ? key.monthSpentMicros : 0
}

import { FIRST_CLASSES } from '../usage-rows.ts'
import {
  type Cells,
  HOUR,
  HOUR_QUERIES,
  HOUR_SPENT_MICROS,
  LAST_USED_MS,
  MONTH,
  MONTH_SPENT_MICROS,
  QUERIES,
  rowOf,
} from './cells.ts'
import { HOUR_MS } from './history.ts'
import { monthOf, monthStartMs } from './month.ts'
import type { AccountRecord, KeyRecord } from './record.ts'

/** The parts of a book that usage changes. */
interface Usable {
  readonly cells: Cells
  readonly slots: readonly (AccountRecord | KeyRecord)[]
}

/**
 * Brings a key up to the cumulative counts of the row at `row`, except for its spend and its account's, which have grown by
 * `addedMicros` already. Counts that are not ahead change nothing, so that applying a row twice is applying it once.
 * Cost: about 100 ns; the record and the histories are touched once an hour, or with a class that has no cells.
 */
export function applyUsageRow(
  { cells: all, slots }: Usable,
  rows: readonly number[],
  row: number,
  addedMicros: number,
  timeMs: number,
): void {
  const slot = rows[row]
  const cells = all.of(slot)
  const first = rowOf(slot)
  const hour = Math.floor(timeMs / HOUR_MS)
  if (cells[first + HOUR] !== hour) (slots[slot] as KeyRecord).openHour(hour)
  let at = row + 2
  for (let usage = 0, bits = rows[row + 1]; bits !== 0; usage++, bits >>= 1) {
    if ((bits & 1) === 0) continue
    const queries = rows[at++]
    if (usage >= FIRST_CLASSES) {
      if ((slots[slot] as KeyRecord).raiseQueries(usage, queries)) cells[first + LAST_USED_MS] = timeMs
      continue
    }
    const added = queries - cells[first + QUERIES + usage]
    if (added <= 0) continue
    cells[first + QUERIES + usage] += added
    cells[first + HOUR_QUERIES + usage] += added
    // Frames come in order: a later one is later, whatever a clock that was wrong has written before.
    cells[first + LAST_USED_MS] = timeMs
  }
  if (addedMicros === 0) return
  cells[first + HOUR_SPENT_MICROS] += addedMicros
  if (cells[first + MONTH] === monthOf(timeMs)) cells[first + MONTH_SPENT_MICROS] += addedMicros
  else changeMonth(slots[slot] as KeyRecord, monthOf(timeMs))
}

/** An earlier month comes back when a clock that was set forward is set right again. */
function changeMonth(key: KeyRecord, month: number): void {
  key.month = month
  key.monthSpentMicros = spentInMonth(key, month)
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

/** The meter that a start writes anew from the recovered book, so that no mapped byte is unchecked. */
import type { Book } from '../book/book.ts'
import type { MeterImage } from './meter-image.ts'
import {
  CLOCK_MS,
  DURABLE_SEQUENCE,
  IDENTITY,
  MINUTE,
  QUERIES,
  QUERIES_SUM,
  SLOTS_USED,
  slotCell,
  slotIdentity,
} from './meter-layout.ts'

/** Slots of the smallest meter: 64 KB. */
export const METER_SLOTS_MIN = 1024

/** A power of two times the minimum with room for half as many again. */
export function slotsFor(book: Book, slotsMin = METER_SLOTS_MIN): number {
  let slots = slotsMin
  while (slots < book.slots.length * 1.5) slots *= 2
  return slots
}

/** Sets every cell: keys from the book, which is at or beyond the old meter by now, windows from the old meter. */
export function fillMeter(
  cells: Float64Array,
  book: Book,
  old: MeterImage | null,
  durableSequence: number,
  nowMs: number,
): void {
  cells[DURABLE_SEQUENCE] = durableSequence
  cells[CLOCK_MS] = nowMs
  cells[SLOTS_USED] = book.slots.length
  for (const record of book.slots) {
    const cell = slotCell(record.slot)
    cells[cell + IDENTITY] = slotIdentity(record.id)
    if (record.type === 'account') {
      if (old !== null) copyWindows(cells, old.cells, cell)
      continue
    }
    for (const [usage, queries] of record.queries.entries()) cells[cell + QUERIES + usage] = queries
    cells[cell + QUERIES_SUM] = record.queries.reduce((sum, queries) => sum + queries, 0)
  }
}

function copyWindows(cells: Float64Array, old: Float64Array, cell: number): void {
  for (let window = cell + MINUTE; window <= cell + QUERIES_SUM; window++) cells[window] = old[window] ?? 0
}

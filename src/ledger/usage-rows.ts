/**
 * The rows of a usage event: what keys have used so far.
 *
 *   slot | classes, as bits | queries so far of each of these classes, ascending | spend so far
 *
 * A class whose bit is not set is as it was. Most keys are used in one way, so their rows take four numbers.
 */
import type { UsageEvent } from './event.ts'

/** Usage classes that this version knows. The names belong to `accounts`. */
export const USAGE_CLASSES_COUNT = 10

/** The classes of version 1, whose rows held all five of them and no bits; keys store these apart from the others. */
export const FIRST_CLASSES = 5
const FIRST_BITS = 2 ** FIRST_CLASSES - 1
const VERSION_1_ROW = FIRST_CLASSES + 2

/** Numbers of a row besides its counts: slot, bits, spend. */
const FIXED_NUMBERS = 3

/** Keys per usage event, so that a frame stays far below its bound however many keys there are. */
const USAGE_KEYS_MAX = 10_000

/** What was written by a later version. Its remedy is that version, not a backup. */
export class UnknownClassError extends Error {
  constructor(found: string) {
    super(`${found}, and this version knows the classes 0 to ${USAGE_CLASSES_COUNT - 1}`)
  }
}

/** Where the row after the one at `row` begins. The spend is the number before. */
export function nextUsageRow(rows: readonly number[], row: number): number {
  let next = row + FIXED_NUMBERS
  for (let bits = rows[row + 1]; bits !== 0; bits &= bits - 1) next++
  return next
}

/** Appends one row. `queries` are the counts so far by class; a class that has none there is left out. */
export function appendUsageRow(
  rows: number[],
  slot: number,
  queries: readonly (number | undefined)[],
  spentMicros: number,
): void {
  const bitsAt = rows.push(slot, 0) - 1
  for (const [usage, count] of queries.entries()) {
    if (count === undefined) continue
    rows[bitsAt] |= 1 << usage
    rows.push(count)
  }
  rows.push(spentMicros)
}

/** Brings `queries`, by class, up to what the row at `row` says. */
export function readUsageRow(rows: readonly number[], row: number, queries: number[]): void {
  let at = row + 2
  for (let usage = 0; usage < USAGE_CLASSES_COUNT; usage++) {
    if ((rows[row + 1] >> usage) & 1) queries[usage] = rows[at++]
  }
}

/** Splits rows of any number of keys into events that each fit a frame. */
export function usageEvents(rows: readonly number[]): UsageEvent[] {
  const events: UsageEvent[] = []
  let start = 0
  let keys = 0
  for (let row = 0; row < rows.length; ) {
    row = nextUsageRow(rows, row)
    if (++keys < USAGE_KEYS_MAX && row < rows.length) continue
    events.push({ kind: 'usage', rows: rows.slice(start, row) })
    start = row
    keys = 0
  }
  return events
}

/** @throws Error when non-negative integers are not whole rows; UnknownClassError for a class of a later version */
export function expectUsageRows(rows: readonly number[]): void {
  let row = 0
  while (row < rows.length) {
    const bits = rows[row + 1]
    if (bits >= 2 ** USAGE_CLASSES_COUNT) {
      throw new UnknownClassError(`usage of class ${Math.floor(Math.log2(bits))}`)
    }
    row = nextUsageRow(rows, row)
  }
  if (row !== rows.length) throw new Error(`${rows.length} numbers of usage, where whole rows end at ${row}`)
}

/** Rows as they are now, from those of version 1. @throws Error when those are not whole */
export function rowsOfVersion1(rows: readonly number[]): number[] {
  if (rows.length % VERSION_1_ROW !== 0)
    throw new Error(`${rows.length} numbers of usage, not rows of ${VERSION_1_ROW}`)
  const converted: number[] = []
  for (let row = 0; row < rows.length; row += VERSION_1_ROW) {
    converted.push(rows[row], FIRST_BITS)
    for (let at = row + 1; at < row + VERSION_1_ROW; at++) converted.push(rows[at])
  }
  return converted
}

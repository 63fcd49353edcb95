/** What the meter holds beyond the ledger after a crash: the charges of the last moments before it. */
import type { Book } from '../book/book.ts'
import { balanceMicros, type KeyRecord } from '../book/record.ts'
import { USAGE_CLASSES_COUNT } from '../event.ts'
import { count, type MeterImage } from './meter-image.ts'
import {
  CELL_BYTES,
  IDENTITY,
  MINUTE,
  meterDamage,
  QUERIES,
  QUERIES_SUM,
  SLOT_CELLS,
  slotCell,
  slotIdentity,
  UNDER_WAY,
} from './meter-layout.ts'

/**
 * Rows of a usage event that bring the book up to the meter, class by class the greater of both.
 * @throws LedgerError DAMAGED when the meter contradicts itself, belongs to another ledger or knows more than the ledger
 */
export function usageAhead(image: MeterImage, book: Book, ledgerId: Buffer): number[] {
  const { file, cells } = image
  if (!image.ledgerId.equals(ledgerId)) {
    throw meterDamage(file, 16, `ledger id ${image.ledgerId.toString('hex')}`, ledgerId.toString('hex'))
  }
  const rows: number[] = []
  const spends = new Map<string, number>()
  for (let slot = 0; slot < image.slots; slot++) {
    const cell = slotCell(slot)
    const identity = count(file, cells, cell + IDENTITY)
    const record = book.slots[slot]
    if (identity === 0) {
      if (isBlank(cells, cell)) continue
      throw meterDamage(file, cell * CELL_BYTES, 'counts in a slot without identity', 'zeros')
    }
    const expected = record === undefined ? 'an unused slot: the ledger is older than the meter' : record.id
    if (record === undefined || slotIdentity(record.id) !== identity) {
      throw meterDamage(file, cell * CELL_BYTES, `identity ${identity} in slot ${slot}`, expected)
    }
    if (record.type === 'key') appendRow(rows, image, record, spends)
    else for (let window = MINUTE; window < SLOT_CELLS - 1; window++) count(file, cells, cell + window)
  }
  return rows
}

function appendRow(rows: number[], image: MeterImage, key: KeyRecord, spends: Map<string, number>): void {
  const { file, cells, priceMicros } = image
  const cell = slotCell(key.slot)
  let sum = 0
  let ahead = 0
  const queries: number[] = []
  for (let usage = 0; usage < USAGE_CLASSES_COUNT; usage++) {
    const metered = count(file, cells, cell + QUERIES + usage)
    const booked = key.queriesOf(usage)
    sum += metered
    ahead += Math.max(0, metered - booked)
    queries.push(Math.max(metered, booked))
  }
  expectSum(image, cell, sum)
  if (ahead === 0) return
  const { account } = key
  const spent = (spends.get(account.id) ?? 0) + ahead * priceMicros
  if (spent > balanceMicros(account)) {
    const found = `${spent} micros of spend that the ledger does not know`
    throw meterDamage(
      file,
      cell * CELL_BYTES,
      found,
      `at most the balance of ${account.id}, ${balanceMicros(account)}`,
    )
  }
  spends.set(account.id, spent)
  rows.push(key.slot, ...queries, key.spentMicros + ahead * priceMicros)
}

/** The one charge that a process was making when it died counts in the sum only, and was never answered. */
function expectSum({ file, cells }: MeterImage, cell: number, sum: number): void {
  const stored = count(file, cells, cell + QUERIES_SUM)
  if (stored === sum || stored - sum === count(file, cells, cell + UNDER_WAY)) return
  const expected = `${sum}, as its classes add up to`
  throw meterDamage(file, (cell + QUERIES_SUM) * CELL_BYTES, `a sum of ${stored} queries`, expected)
}

function isBlank(cells: Float64Array, cell: number): boolean {
  return cells.subarray(cell, cell + SLOT_CELLS).every(value => value === 0)
}

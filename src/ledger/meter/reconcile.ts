/** What the meter holds beyond the ledger after a crash: the charges of the last moments before it. */
import type { Book } from '../book/book.ts'
import { type AccountRecord, balanceMicros, type KeyRecord } from '../book/record.ts'
import { appendUsageRow, USAGE_CLASSES_COUNT } from '../usage-rows.ts'
import { expectSum, type MeteredKey, type MeterImage } from './meter-image.ts'
import { meterDamage } from './meter-layout.ts'

/**
 * Rows of a usage event that bring the book up to the meter, class by class the greater of both.
 * @throws LedgerError DAMAGED when the meter contradicts itself, belongs to another ledger or knows more than the ledger
 */
export function usageAhead(image: MeterImage, book: Book, ledgerId: Buffer): number[] {
  const { file } = image
  if (!image.ledgerId.equals(ledgerId)) {
    throw meterDamage(file, 16, `ledger id ${image.ledgerId.toString('hex')}`, ledgerId.toString('hex'))
  }
  for (const windows of [image.accounts, image.keyWindows])
    for (const [slot, { offset, identity }] of windows) recordOf(image, book, slot, offset, identity)
  const rows: number[] = []
  const spends = new Map<string, number>()
  for (const [slot, key] of [...image.keys].sort(([a], [b]) => a - b)) {
    const record = recordOf(image, book, slot, key.offset, key.identity)
    if (record.type === 'key') appendRow(rows, image, key, record, spends)
  }
  return rows
}

/** Whose row it is. @throws LedgerError DAMAGED when the ledger says otherwise */
function recordOf(
  image: MeterImage,
  book: Book,
  slot: number,
  offset: number,
  identity: number,
): AccountRecord | KeyRecord {
  const record = book.slots[slot]
  if (record !== undefined && image.identityOf(record) === identity) return record
  const expected = record === undefined ? 'an unused slot: the ledger is older than the meter' : record.id
  throw meterDamage(image.file, offset, `identity ${identity} in slot ${slot}`, expected)
}

function appendRow(
  rows: number[],
  { file, priceMicros }: MeterImage,
  { offset, queries, sum, inProgress }: MeteredKey,
  key: KeyRecord,
  spends: Map<string, number>,
): void {
  let ahead = 0
  /** By class; undefined where the book has as many. */
  const greater: (number | undefined)[] = []
  for (let usage = 0; usage < USAGE_CLASSES_COUNT; usage++) {
    const booked = key.queriesOf(usage)
    const metered = queries[usage] ?? 0
    ahead += Math.max(0, metered - booked)
    greater.push(metered > booked ? metered : undefined)
  }
  expectSum(
    file,
    offset,
    sum,
    queries.reduce((total, metered) => total + metered, 0),
    inProgress,
  )
  if (ahead === 0) return
  const { account } = key
  const spent = (spends.get(account.id) ?? 0) + ahead * priceMicros
  if (spent > balanceMicros(account)) {
    const found = `${spent} micros of spend that the ledger does not know`
    throw meterDamage(file, offset, found, `at most the balance of ${account.id}, ${balanceMicros(account)}`)
  }
  spends.set(account.id, spent)
  appendUsageRow(rows, key.slot, greater, key.spentMicros + ahead * priceMicros)
}

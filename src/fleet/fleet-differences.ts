/** Whether the tables of a fleet say of money, limits, caps and usage what its book says. */

import { monthStartMs } from '../ledger/book/month.ts'
import type { AccountRecord, KeyRecord } from '../ledger/book/record.ts'
import { monthSpentMicros } from '../ledger/book/usage-row.ts'
import type { KeyRow, ReadBack } from './move-connection.ts'

const DIFFERENCES_MAX = 10

/**
 * Sentences on what differs, at most DIFFERENCES_MAX.
 * @param months whether to compare what keys have spent in their month. In a fleet that has served, reports at the turn of a month
 * may be in one month for the cap and in the other one for the history.
 */
export function fleetDifferences(
  { book, accounts, keys, usage }: ReadBack,
  { months }: { months: boolean },
): string[] {
  const differences: string[] = []
  const compare = (what: string, expected: unknown, found: unknown) => {
    const [inBook, inTable] = [expected, found].map(value => JSON.stringify(value))
    if (inBook !== inTable)
      differences.push(`${what}: the events add up to ${inBook}, and the table has ${inTable}`)
  }
  for (const record of book.slots) {
    if (differences.length >= DIFFERENCES_MAX) break
    if (record.type === 'account')
      compare(`account ${record.id}`, accountRow(record), accounts.get(record.slot))
    else {
      const row = keys.get(record.slot)
      compare(`key ${record.id}`, row && keyRow(record, row, months), row)
      const counts = record.queries.some(count => count > 0) ? record.queries : undefined
      compare(`the usage of key ${record.id}`, counts, usage.get(record.slot))
    }
  }
  compare('accounts and keys', book.slots.length, accounts.size + keys.size)
  return differences
}

function accountRow({ creditedMicros, spentMicros, limits }: AccountRecord) {
  const shown = limits && [limits.perMinute, limits.perHour, limits.perDay]
  return { creditedMicros, spentMicros, leasedMicros: 0, limits: JSON.stringify(shown) }
}

function keyRow(key: KeyRecord, { month, monthMicros }: KeyRow, months: boolean): KeyRow {
  const { account, capMicros } = key
  const spent = months ? monthSpentMicros(key, monthStartMs(month)) : monthMicros
  return { account: account.slot, capMicros, month, monthMicros: spent, leasedMicros: 0 }
}

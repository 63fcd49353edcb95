/** An account's statement as a file for a spreadsheet. */

import type { Stated } from '../operator/operations/account.ts'
import { csv } from '../shell/csv.ts'

/** Amounts are dollars with six decimals: none is rounded, and the column adds up to the balance. */
export function statementCsv(lines: readonly Stated[]): string {
  return csv(
    ['time', 'kind', 'amount_usd', 'balance_usd', 'queries', 'key', 'reference', 'note'],
    lines.map(line => [
      line.time,
      line.kind,
      line.amount.toFixed(6),
      line.balance.toFixed(6),
      line.queries,
      line.key,
      line.reference,
      line.note,
    ]),
  )
}

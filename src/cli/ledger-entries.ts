/** Prints entries of the ledger as they come, so that a ledger of any length needs little memory. */
import { once } from 'node:events'
import type { LedgerEntry } from '../ledger/tools/show.ts'
import { money } from './output.ts'
import { table } from './table.ts'

const ROWS_PER_TABLE = 500

/** One JSON document per line, or tables of some hundred rows, since a table must know its widths. */
export async function showEntries(entries: AsyncIterable<LedgerEntry>, json: boolean): Promise<void> {
  let rows: LedgerEntry[] = []
  for await (const entry of entries) {
    if (json) await write(`${JSON.stringify(entry)}\n`)
    else if (rows.push(entry) === ROWS_PER_TABLE) {
      await write(entryTable(rows))
      rows = []
    }
  }
  if (rows.length > 0) await write(entryTable(rows))
}

function entryTable(entries: readonly LedgerEntry[]): string {
  const rows = entries.map(e => [
    e.sequence,
    new Date(e.timeMs).toISOString(),
    e.kind,
    e.account ?? '-',
    e.key ?? '-',
    e.micros === 0 ? '-' : money(e.micros / 1_000_000),
    JSON.stringify(e.details),
  ])
  return `${table(['>SEQUENCE', 'TIME', 'KIND', 'ACCOUNT', 'KEY', '>AMOUNT', 'DETAILS'], rows)}\n`
}

/** Waits while the reader of the pipe is slower. */
async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain')
}

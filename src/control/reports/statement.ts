/** An account's statement: as JSON, as a file for a spreadsheet, and as lines for people. */
import type { StatementRow } from '../../accounts/views.ts'
import { dollars } from '../../money.ts'
import { money } from '../words.ts'
import { csvHead, csvRows, type FileColumns } from './csv.ts'

export type Stated = ReturnType<typeof stated>

export function stated(row: StatementRow) {
  return {
    time: new Date(row.timeMs).toISOString(),
    kind: row.kind,
    amount: dollars(row.micros),
    balance: dollars(row.balanceMicros),
    debt: dollars(row.debtMicros),
    queries: row.queries,
    key: row.key,
    reference: row.reference,
    note: row.note,
  }
}

/**
 * Amounts are dollars with six decimals: none is rounded, and the column adds up to the balance. `debt_usd` is by how much an entry made
 * the debt of the account larger.
 */
export const STATEMENT_FILE: FileColumns<Stated> = {
  time: ({ time }) => time,
  kind: ({ kind }) => kind,
  amount_usd: ({ amount }) => amount.toFixed(6),
  balance_usd: ({ balance }) => balance.toFixed(6),
  debt_usd: ({ debt }) => debt.toFixed(6),
  queries: ({ queries }) => queries,
  key: ({ key }) => key,
  reference: ({ reference }) => reference,
  note: ({ note }) => note,
}

export function statementCsv(rows: readonly Stated[]): string {
  return csvHead(STATEMENT_FILE) + csvRows(STATEMENT_FILE, rows)
}

export interface StatementLine {
  kind: StatementRow['kind']
  day: string
  micros: number
  balanceMicros: number
  rows: StatementRow[]
}

/**
 * Makes rows of usage of one day one line. Amounts and balances are less what is owed.
 * @param rows all, oldest first; those of one day follow each other
 */
export function statementLines(rows: readonly StatementRow[]): StatementLine[] {
  const lines: StatementLine[] = []
  let owedMicros = 0
  for (const row of rows) {
    const { kind, key } = row
    owedMicros += row.debtMicros
    const [micros, balanceMicros] = [row.micros - row.debtMicros, row.balanceMicros - owedMicros]
    const day = new Date(row.timeMs).toISOString().slice(0, 10)
    const last = lines.at(-1)
    if (key !== null && last?.kind === kind && last.day === day) {
      last.rows.push(row)
      last.micros += micros
      last.balanceMicros = balanceMicros
    } else lines.push({ kind, day, micros, balanceMicros, rows: [row] })
  }
  return lines
}

/** Returns the details of an entry for people: its reference and note without a provider's ids, and what became of a debt. */
export function entryText({ reference, note, debtMicros }: StatementRow): string {
  const debt =
    debtMicros > 0
      ? `${money(debtMicros)} of it is owed`
      : debtMicros < 0
        ? `${money(-debtMicros)} paid off your debt`
        : ''
  return [referenceText(reference), noteText(note), debt].filter(text => text !== '').join(' · ')
}

/** @param isOperator true: the operator finds a payment at the provider by its id */
export function referenceText(reference: string, isOperator = false): string {
  const shown = isOperator ? reference.replace(/^stripe:/, '') : reference
  return /^(stripe|test|free|closed):/.test(shown) ? '' : shown
}

/** Returns a note that means something to people; `''` for a provider's id. */
export function noteText(note: string): string {
  return /^invoice in_\w+$/.test(note) ? '' : note
}

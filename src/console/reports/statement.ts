/** An account's statement: as JSON, as a file, and as lines of the page. */
import type { Accounts } from '../../billing/accounts/accounts.ts'
import { GIVEN_BACK } from '../../billing/accounts/commands/change-balance.ts'
import type { StatementRow } from '../../billing/accounts/reports/statement.ts'
import { dollars } from '../../billing/money.ts'
import { iso, money, utcDay, utcMinute } from '../words.ts'
import { csvHead, csvRows, type FileColumns, named } from './csv.ts'
import { sumOf } from './usage-series.ts'

type StatementEntry = ReturnType<typeof statementEntry>

export function statementEntry(row: StatementRow) {
  return {
    time: iso(row.timeMs),
    kind: row.kind,
    amount: dollars(row.micros),
    balance: dollars(row.balanceAfterMicros),
    debt: dollars(row.debtChangeMicros),
    queries: row.queries,
    key: row.key,
    reference: row.reference,
    note: row.note,
  }
}

/** Columns of the file. Amounts have six decimals, so that they add up to the balance. `debt_usd` is the change of the debt. */
export const STATEMENT_FILE: FileColumns<StatementEntry> = {
  ...named('time', 'kind'),
  amount_usd: ({ amount }) => amount.toFixed(6),
  balance_usd: ({ balance }) => balance.toFixed(6),
  debt_usd: ({ debt }) => debt.toFixed(6),
  ...named('queries', 'key', 'reference', 'note'),
}

export function statementCsv(rows: readonly StatementEntry[]): string {
  return csvHead(STATEMENT_FILE) + csvRows(STATEMENT_FILE, rows)
}

export interface StatementLine {
  kind: StatementRow['kind']
  day: string
  micros: number
  balanceMicros: number
  rows: StatementRow[]
}

/** Merges the usage rows of each day into one line. Debts are subtracted from amounts and balances. @param rows all, oldest first */
export function statementLines(rows: readonly StatementRow[]): StatementLine[] {
  const lines: StatementLine[] = []
  let owedMicros = 0
  for (const row of rows) {
    const { kind, key } = row
    owedMicros += row.debtChangeMicros
    const micros = amountMicros(row)
    const balanceMicros = row.balanceAfterMicros - owedMicros
    const day = utcDay(row.timeMs)
    const last = lines.at(-1)
    if (key !== null && last?.kind === kind && last.day === day) {
      last.rows.push(row)
      last.micros += micros
      last.balanceMicros = balanceMicros
    } else lines.push({ kind, day, micros, balanceMicros, rows: [row] })
  }
  return lines
}

/**
 * Returns the sums of the lines of some days, and the balances before and after them.
 * @param lines all, oldest first @param from first day; `''` for all @param to last day; `''` for all
 */
export function statementSums(lines: readonly StatementLine[], from: string, to: string) {
  const found = lines.filter(({ day }) => day >= from && (to === '' || day <= to))
  const sum = (...kinds: StatementLine['kind'][]) =>
    sumOf(found.map(({ kind, micros }) => (kinds.includes(kind) ? micros : 0)))
  const paid = sumOf(found.map(({ rows, micros }) => (rows.every(isPayment) ? micros : 0)))
  const opening = lines.findLast(({ day }) => day < from)?.balanceMicros ?? 0
  return {
    Opening: opening,
    Paid: paid,
    Credited: sum('free', 'operator'),
    // With what an undone or repeated reversal gave back.
    Returned: sum('refund', 'dispute', 'closed', 'payment', 'test') - paid,
    Used: sum('usage', 'earlier usage'),
    Closing: found.at(-1)?.balanceMicros ?? opening,
  }
}

/** True for an entry of money that is no gift to a new account. */
const isOfMoney = ({ key, kind }: StatementRow): boolean => key === null && kind !== 'free'

/** True for an account that has paid, or was credited. */
export const hasPaid = (accounts: Accounts, account: string) => accounts.statement(account).some(isOfMoney)

/** Returns the amount of an entry, including the debt that it paid or caused. */
export const amountMicros = ({ micros, debtChangeMicros }: StatementRow): number => micros - debtChangeMicros

/** Returns the details of an entry for customers: reference and note without a provider's ids, and the change of a debt. */
export function entryText({ reference, note, debtChangeMicros: debtMicros }: StatementRow): string {
  const debt =
    debtMicros > 0
      ? `${money(debtMicros)} of it is owed`
      : debtMicros < 0
        ? `${money(-debtMicros)} paid off your debt`
        : ''
  return [referenceText(reference), noteText(note), debt].filter(text => text !== '').join(' · ')
}

/** Returns a reference; `''` for an internal one. @param isOperator true to return the id of a payment */
export function referenceText(reference: string, isOperator = false): string {
  const shown = isOperator ? reference.replace(/^(stripe|test):/, '') : reference
  return /^(stripe|test|free|closed):/.test(shown) ? '' : shown
}

/** Returns a note without a provider's id. */
export const noteText = (note: string): string => note.replace(/(^| )(invoice in|for pi)_\w+$/, '')

/** True for a payment; false for money that an undone or repeated reversal gave back. */
export function isPayment({ kind, reference }: StatementRow): boolean {
  return (kind === 'payment' || kind === 'test') && !GIVEN_BACK.test(reference)
}

export const leftToRefundMicros = (rows: readonly StatementRow[]) =>
  Math.max(0, sumOf(rows.filter(isOfMoney).map(amountMicros)))

/** Returns what Stripe took back of a payment, and what undid that. Their notes end with the payment: `for pi_17`. */
export function reversalsOf(rows: readonly StatementRow[], { reference }: StatementRow) {
  const payment = `for ${referenceText(reference, true)}`
  return rows.filter(({ reference, note }) => reference.startsWith('stripe:') && note.endsWith(payment))
}

/** Returns the problem of a refund whose reference names a payment or refund at Stripe; null if it may be recorded. */
export function refundProblem(accounts: Accounts, reference: string) {
  const named = reference.split(/[^\w-]+/).find(word => accounts.entryOf(`stripe:${word}`) !== null)
  if (named === undefined) return null
  return `${named} is at Stripe. Refund it there, and it is deducted here by itself. A refund by bank needs another reference.`
}

/** Returns the problem of a reference that an entry has; null if it is free. */
export function referenceProblem(accounts: Accounts, reference: string) {
  const used = accounts.entryOf(reference)
  if (used === null) return null
  return `The reference ${reference} belongs to another entry: ${money(used.micros)} of ${used.email} at ${utcMinute(used.timeMs)} UTC.`
}

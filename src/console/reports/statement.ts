/** An account's statement: as JSON, as a file, and as lines of the page. */
import type { Accounts } from '../../billing/accounts/accounts.ts'
import type { StatementRow } from '../../billing/accounts/reports/usage-report.ts'
import { REFERENCE_LENGTH_MAX } from '../../billing/limits.ts'
import { dollars } from '../../billing/money.ts'
import { iso, money, utcDay } from '../words.ts'
import { csvHead, csvRows, type FileColumns } from './csv.ts'
import { sumOf } from './usage-series.ts'

type StatementEntry = ReturnType<typeof statementEntry>

export function statementEntry(row: StatementRow) {
  return {
    time: iso(row.timeMs),
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

/** Columns of the file. Amounts have six decimals, so that they add up to the balance. `debt_usd` is the change of the debt. */
export const STATEMENT_FILE: FileColumns<StatementEntry> = {
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
    owedMicros += row.debtMicros
    const micros = amountMicros(row)
    const balanceMicros = row.balanceMicros - owedMicros
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

/** Returns the sums of the lines of some days, and the balances before and after them. @param lines all, oldest first */
export function statementSums(lines: readonly StatementLine[], isWithin: (day: string) => boolean) {
  const first = lines.findIndex(({ day }) => isWithin(day))
  const found = lines.filter(({ day }) => isWithin(day))
  const sum = (...kinds: StatementLine['kind'][]) =>
    sumOf(found.map(({ kind, micros }) => (kinds.includes(kind) ? micros : 0)))
  const opening = lines[first - 1]?.balanceMicros ?? 0
  return {
    Opening: opening,
    Paid: sum('payment', 'test'),
    Credited: sum('free', 'operator'),
    Returned: sum('refund', 'dispute', 'closed'),
    Used: sum('usage', 'earlier usage'),
    Closing: found.at(-1)?.balanceMicros ?? opening,
  }
}

/** True for an entry of money that is no gift to a new account. */
function isOfMoney({ key, kind }: StatementRow): boolean {
  return key === null && kind !== 'free'
}

/** True for an account that has paid, or was credited. */
export function hasPaid(accounts: Accounts, account: string): boolean {
  return accounts.statement(account).some(isOfMoney)
}

/** Returns the amount of an entry, including the debt that it paid or caused. */
export function amountMicros({ micros, debtMicros }: StatementRow): number {
  return micros - debtMicros
}

/** Returns the details of an entry for customers: reference and note without a provider's ids, and the change of a debt. */
export function entryText({ reference, note, debtMicros }: StatementRow): string {
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

/** Returns a note; `''` for a provider's id. */
export function noteText(note: string): string {
  return /^invoice in_\w+$/.test(note) ? '' : note
}

/** Number of a further refund of one payment. */
const FURTHER = /, \d{1,4}$/
export const leftToRefundMicros = (rows: readonly StatementRow[]) =>
  Math.max(0, sumOf(rows.filter(isOfMoney).map(amountMicros)))

/**
 * Returns what is left to refund of each payment. Its refunds by an operator are known by their references: `refund of pi_17`,
 * `refund of pi_17, 2`. Those of Stripe count only in the total of the account.
 */
export function refundable(rows: readonly StatementRow[]) {
  const payments = rows.filter(
    row => (row.kind === 'payment' || row.kind === 'test') && amountMicros(row) > 0,
  )
  const totalMicros = leftToRefundMicros(rows)
  const refunds = rows.filter(({ kind }) => kind === 'refund')
  return payments.map(row => {
    const name = referenceText(row.reference, true) || row.reference
    const reference = `refund of ${name}`.slice(0, REFERENCE_LENGTH_MAX - ', 1000'.length)
    const earlier = refunds.filter(refund => isOfPayment(refund.reference, reference))
    const refundedMicros = -sumOf(earlier.map(amountMicros))
    const leftMicros = Math.min(amountMicros(row) - refundedMicros, totalMicros)
    return { row, name, reference, refunds: earlier, refundedMicros, leftMicros }
  })
}

/** Returns true for the reference of a refund that is, or follows, the first one of a payment. */
export function isOfPayment(reference: string, first: string): boolean {
  return reference === first || (reference.startsWith(first) && reference.replace(FURTHER, '') === first)
}

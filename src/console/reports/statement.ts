import type { Accounts } from '../../billing/accounts/accounts.ts'
import type { StatementRow } from '../../billing/accounts/reports/statement.ts'
import type { AccountView } from '../../billing/accounts/views.ts'
import { dollars } from '../../billing/money.ts'
import { DAY_MS } from '../../platform/time.ts'
import { sumOf } from '../sums.ts'
import { isBetween, iso, money, utcDay, utcMinute } from '../words.ts'
import { csvHead, csvRows, type FileColumns, named } from './csv.ts'
import { amountMicros, refundableOf } from './refundable.ts'

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
    payment: row.payment,
  }
}

/** Six decimals, so that amounts add up to the balance. `debt_usd` is the change of the debt. */
export const STATEMENT_FILE: FileColumns<StatementEntry> = {
  ...named('time', 'kind'),
  amount_usd: ({ amount }) => amount.toFixed(6),
  balance_usd: ({ balance }) => balance.toFixed(6),
  debt_usd: ({ debt }) => debt.toFixed(6),
  ...named('queries', 'key', 'reference', 'note', 'payment'),
}

export function statementCsv(rows: readonly StatementEntry[]): string {
  return csvHead(STATEMENT_FILE) + csvRows(STATEMENT_FILE, rows)
}

export interface StatementLine {
  kind: StatementRow['kind'] | 'month'
  day: string
  micros: number
  balanceMicros: number
  /** True for the last line of a day. No other balance existed, because usage is known by the day. */
  isClosing: boolean
  rows: StatementRow[]
  /** Sums of a month. */
  sums?: [name: string, micros: number][]
}

/**
 * Merges the usage rows of each day into its last line. Debts are subtracted from amounts and balances.
 * @param rows all, oldest first
 */
export function statementLines(rows: readonly StatementRow[]): StatementLine[] {
  const lines: StatementLine[] = []
  let balanceMicros = 0
  const orderOf = ({ timeMs, key }: StatementRow) => Math.floor(timeMs / DAY_MS) + (key === null ? 0 : 0.5)
  for (const row of rows.toSorted((a, b) => orderOf(a) - orderOf(b))) {
    const { kind, key } = row
    const day = utcDay(row.timeMs)
    const micros = amountMicros(row)
    balanceMicros += micros
    const last = lines.at(-1)
    if (key !== null && last?.kind === kind && last.day === day) {
      last.rows.push(row)
      last.micros += micros
      last.balanceMicros = balanceMicros
    } else lines.push({ kind, day, micros, balanceMicros, isClosing: false, rows: [row] })
  }
  // The days of earlier usage are not known.
  const earlier = lines.findLastIndex(({ kind }) => kind === 'earlier usage')
  const known = lines.slice(Math.max(0, earlier))
  for (const last of new Map(known.map(line => [line.day, line])).values()) last.isClosing = true
  return lines
}

/** Returns the sums of some days, `''` for all, and the balances around. @param lines all, oldest first */
export function statementSums(lines: readonly StatementLine[], days: { from: string; to: string }) {
  const found = lines.filter(({ day }) => isBetween(day, days))
  const sum = (...kinds: StatementLine['kind'][]) =>
    sumOf(found.map(({ kind, micros }) => (kinds.includes(kind) ? micros : 0)))
  const opening = lines.findLast(({ day }) => day < days.from)?.balanceMicros ?? 0
  return {
    Opening: opening,
    Paid: sum('payment', 'test'),
    Credited: sum('free', 'operator'),
    Returned: sum('refund', 'dispute', 'reinstated'),
    Forfeited: sum('closed'),
    Used: sum('usage', 'earlier usage'),
    Closing: found.at(-1)?.balanceMicros ?? opening,
  }
}

export function monthLine(lines: readonly StatementLine[], month: string): StatementLine {
  const { Opening: _, Closing: balanceMicros, ...sums } = statementSums(lines, { from: month, to: month })
  const isClosing = lines.findLast(({ day }) => day.startsWith(month))?.isClosing ?? false
  const micros = sumOf(Object.values(sums))
  const shown = Object.entries(sums).filter(([, micros]) => micros !== 0)
  return { kind: 'month', day: month, micros, balanceMicros, isClosing, rows: [], sums: shown }
}

type EntryDetails = Pick<StatementRow, 'reference' | 'note' | 'debtChangeMicros'>

/** Returns reference, note, and the change of a debt. Only operators see a provider's ids. */
export function entryText(entry: EntryDetails, isOperator = false): string {
  const { reference, note, debtChangeMicros: debtMicros } = entry
  const debt =
    debtMicros > 0
      ? `${money(debtMicros)} of it is owed`
      : debtMicros < 0
        ? `${money(-debtMicros)} paid off a debt`
        : ''
  const shownNote = isOperator ? note : noteText(note)
  return [referenceText(reference, isOperator), shownNote, debt].filter(text => text !== '').join(' · ')
}

/** Returns a reference; `''` for an internal one. @param isOperator true to return the id of a payment */
export function referenceText(reference: string, isOperator = false): string {
  const shown = isOperator ? reference.replace(/^(stripe|test):|:reinstated$/g, '') : reference
  return /^(stripe|test|free|closed):/.test(shown) ? '' : shown
}

export const stripeUrl = (of: string) => `https://dashboard.stripe.com/payments/${referenceText(of, true)}`

export const noteText = (note: string): string => note.replace(/^invoice in_\w+$/, '')

/** Returns what a refund does here. @param none text of one that leaves no debt, by default at Stripe */
export function refundEffect(
  micros: number,
  { balanceMicros, debtMicros }: AccountView,
  none?: string,
): string {
  if (micros <= balanceMicros) return none ?? 'it is deducted here by itself.'
  if (balanceMicros === 0) return `${money(micros)} ${debtMicros > 0 ? 'more ' : ''}would be owed.`
  return `up to ${money(balanceMicros)} without a debt, and all of it would leave ${money(micros - balanceMicros)} owed.`
}

/** Returns what operators can refund and what Stripe can, with texts, and the address of its only payment. */
export function refundTexts(accounts: Accounts, account: AccountView) {
  const { hereMicros, atStripeMicros, payments } = refundableOf(accounts.statement(account.id))
  const nothing = atStripeMicros > 0 ? ' here: nothing' : ': no payment and nothing'
  const here =
    hereMicros > 0
      ? `At most ${money(hereMicros)} can be refunded here: ${refundEffect(hereMicros, account, 'it leaves no debt.')}`
      : `Nothing can be refunded${nothing} that operators credited is left.`
  const only = payments.length === 1 ? stripeUrl(payments[0].reference) : undefined
  return { hereMicros, atStripeMicros, here, effect: refundEffect(atStripeMicros, account), only }
}

export type Refund = { reference: string; usd: number }

/** Returns why an operator's refund is refused, and the wrong parameter; null if it is not. */
export function refundProblem(accounts: Accounts, account: AccountView, { reference, usd: micros }: Refund) {
  const named = reference.split(/[^\w-]+/).find(word => accounts.entryOf(`stripe:${word}`) !== null)
  const { hereMicros, atStripeMicros, here } = refundTexts(accounts, account)
  // Without anything to refund, the page has no form.
  const at = (param: string) => (hereMicros > 0 ? param : '')
  const atStripe = (some: number) =>
    `Refund ${money(some)} at dashboard.stripe.com/payments: ${refundEffect(some, account)}`
  if (named !== undefined)
    return { param: at('reference'), problem: `${named} is at Stripe. ${atStripe(micros)}` }
  // The same refund again changes nothing.
  if (accounts.entryOf(reference) !== null || micros <= hereMicros) return null
  const most = Math.min(micros, atStripeMicros)
  return { param: at('usd'), problem: here, stripe: most > 0 ? atStripe(most) : '' }
}

/** Returns the problem of a reference that an entry has; null if it is free. */
export function referenceProblem(accounts: Accounts, reference: string) {
  const used = accounts.entryOf(reference)
  if (used === null) return null
  return `The reference ${reference} belongs to another entry: ${money(used.micros)} of ${used.email} at ${utcMinute(used.timeMs)} UTC.`
}

/**
 * Which money of an account its operators refund, and which Stripe refunds. An account paid $50 by card and
 * $20 by invoice. $5 of the $20 was refunded: operators can refund $15. Stripe refunds the $50, and reports it.
 */
import type { StatementRow } from '../../billing/accounts/reports/statement.ts'
import { sumOf } from '../sums.ts'
import { money } from '../words.ts'

/** True for an entry of money, except the free credit of a new account. */
export const isOfMoney = ({ key, kind }: StatementRow): boolean => key === null && kind !== 'free'

/** Returns the amount of an entry, including the debt that it paid or caused. */
export const amountMicros = ({ micros, debtChangeMicros }: StatementRow): number => micros - debtChangeMicros

export const isPayment = ({ kind }: Pick<StatementRow, 'kind'>): boolean =>
  kind === 'payment' || kind === 'test'

/** Returns what Stripe took back of a payment, and what undid that. */
export const reversalsOf = (rows: readonly StatementRow[], { reference }: StatementRow): StatementRow[] =>
  rows.filter(({ payment }) => payment === reference)

/** Returns what was refunded and disputed of a payment and not given back: `$5.00 disputed`. */
export function takenTexts(rows: readonly StatementRow[], payment: StatementRow): string[] {
  const reversals = reversalsOf(rows, payment)
  const undone = new Set(reversals.map(({ kind, reference }) => kind === 'reinstated' && reference))
  return Object.entries({ refund: 'refunded', dispute: 'disputed' }).flatMap(([kind, text]) => {
    const taken = reversals.filter(row => row.kind === kind && !undone.has(`${row.reference}:reinstated`))
    return taken.length > 0 ? [`${money(-sumOf(taken.map(amountMicros)))} ${text}`] : []
  })
}

/** Returns what Stripe can still refund of an entry; 0 for one that is no payment through Stripe. */
export const leftMicros = (rows: readonly StatementRow[], row: StatementRow): number =>
  row.kind === 'payment' ? Math.max(0, sumOf([row, ...reversalsOf(rows, row)].map(amountMicros))) : 0

/** Returns what operators can refund, and what Stripe can, with its payments. */
export function refundableOf(rows: readonly StatementRow[]) {
  const isAtStripe = ({ kind, payment }: StatementRow) => kind === 'payment' || payment !== ''
  const others = rows.filter(row => isOfMoney(row) && !isAtStripe(row))
  return {
    hereMicros: Math.max(0, sumOf(others.map(amountMicros))),
    atStripeMicros: sumOf(rows.map(row => leftMicros(rows, row))),
    payments: rows.filter(row => leftMicros(rows, row) > 0),
  }
}

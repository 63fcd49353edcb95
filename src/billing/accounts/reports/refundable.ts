/**
 * Which money of an account its operators refund, and which Stripe refunds. An account paid $50 by card and
 * $20 by invoice. $5 of the $20 was refunded: operators can refund $15. Stripe reports a refund of the $50.
 */
import type { StatementRow } from './statement.ts'

/** True for an entry of money, except the free credit of a new account. */
export const isOfMoney = ({ key, kind }: StatementRow): boolean => key === null && kind !== 'free'

/** Returns the amount of an entry, including the debt that it paid or caused. */
export const amountMicros = ({ micros, debtChangeMicros }: StatementRow): number => micros - debtChangeMicros

export const isPayment = ({ kind }: StatementRow): boolean => kind === 'payment' || kind === 'test'

/** Start of the references of payments through Stripe, and of what Stripe took back of them. */
const STRIPE = 'stripe:'

export const isAtStripe = ({ reference }: Pick<StatementRow, 'reference'>): boolean =>
  reference.startsWith(STRIPE)

/**
 * Returns what was taken back of a payment or credit, and what undid that. Notes of Stripe's entries name the
 * payment: `for pi_17`. So do an operator's refunds, in the reference or the note.
 */
export function reversalsOf(rows: readonly StatementRow[], of: StatementRow) {
  const name = isAtStripe(of) ? of.reference.slice(STRIPE.length) : of.reference
  return rows.filter(
    row =>
      (isAtStripe(row) || row.kind === 'refund') && ` ${row.reference} ${row.note} `.includes(` ${name} `),
  )
}

export const refundedMicros = (rows: readonly StatementRow[], of: StatementRow): number =>
  -reversalsOf(rows, of).reduce((sum, row) => sum + amountMicros(row), 0)

/** Returns what operators can refund, and the payments through Stripe that are not refunded. */
export function refundableOf(rows: readonly StatementRow[]) {
  const atStripe = rows.filter(row => isPayment(row) && isAtStripe(row))
  const returned = new Set(atStripe.flatMap(payment => reversalsOf(rows, payment)))
  const others = rows.filter(row => isOfMoney(row) && !isAtStripe(row) && !returned.has(row))
  const left = (row: StatementRow) => amountMicros(row) - refundedMicros(rows, row)
  return {
    hereMicros: Math.max(
      0,
      others.reduce((sum, row) => sum + amountMicros(row), 0),
    ),
    payments: atStripe.filter(payment => left(payment) > 0),
  }
}

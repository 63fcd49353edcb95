/**
 * Which money of an account its operators refund, and which Stripe refunds. An account paid $50 by card and
 * $20 by invoice. $5 of the $20 was refunded: operators can refund $15. Stripe reports a refund of the $50.
 */
import type { StatementRow } from './statement.ts'

/** True for an entry of money, except the free credit of a new account. */
export const isOfMoney = ({ key, kind }: StatementRow): boolean => key === null && kind !== 'free'

/** Returns the amount of an entry, including the debt that it paid or caused. */
export const amountMicros = ({ micros, debtChangeMicros }: StatementRow): number => micros - debtChangeMicros

export const isPayment = ({ kind }: Pick<StatementRow, 'kind'>): boolean =>
  kind === 'payment' || kind === 'test'

/** Start of the references of payments through Stripe, and of what Stripe took back of them. */
const STRIPE = 'stripe:'

export const isAtStripe = ({ reference }: Pick<StatementRow, 'reference'>): boolean =>
  reference.startsWith(STRIPE)

type Named = Pick<StatementRow, 'kind' | 'reference' | 'note'>

/** Returns the id of a payment at Stripe, or the reference of another entry. */
const nameOf = (entry: Named): string =>
  isAtStripe(entry) ? entry.reference.slice(STRIPE.length) : entry.reference

/**
 * True for what was taken back of a payment or credit, and what undid that. Notes of Stripe's entries name the
 * payment: `for pi_17`. So do an operator's refunds, in the reference or the note.
 */
export function isReversalOf(of: Named, entry: Named): boolean {
  const { kind, reference, note } = entry
  return (isAtStripe(entry) || kind === 'refund') && ` ${reference} ${note} `.includes(` ${nameOf(of)} `)
}

/** Returns the payment through Stripe that an operator's refund by bank names; undefined for none. */
export function paymentOf<T extends Named>(entries: readonly T[], refund: Named): T | undefined {
  if (refund.kind !== 'refund') return undefined
  return entries.find(entry => isPayment(entry) && isAtStripe(entry) && isReversalOf(entry, refund))
}

export const reversalsOf = (rows: readonly StatementRow[], of: StatementRow) =>
  rows.filter(row => isReversalOf(of, row))

export const refundedMicros = (rows: readonly StatementRow[], of: StatementRow): number =>
  -reversalsOf(rows, of).reduce((sum, row) => sum + amountMicros(row), 0)

/**
 * Returns what operators can refund, and the payments through Stripe with what is left of them.
 * @param refund a refund by bank, which may name one of these payments: `payment`
 */
export function refundableOf(
  rows: readonly StatementRow[],
  refund: Partial<Pick<Named, 'reference' | 'note'>> = {},
) {
  const atStripe = rows.filter(row => isPayment(row) && isAtStripe(row))
  const others = rows.filter(row => isOfMoney(row) && !isAtStripe(row) && !paymentOf(atStripe, row))
  const payments = atStripe
    .map(row => {
      return { ...row, name: nameOf(row), leftMicros: amountMicros(row) - refundedMicros(rows, row) }
    })
    .filter(({ leftMicros }) => leftMicros > 0)
  return {
    hereMicros: Math.max(
      0,
      others.reduce((sum, row) => sum + amountMicros(row), 0),
    ),
    payments,
    payment: paymentOf(payments, { reference: '', note: '', ...refund, kind: 'refund' }),
  }
}

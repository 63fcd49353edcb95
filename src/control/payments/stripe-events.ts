/**
 * What Stripe's messages do to an account. Each credit or reversal has a reference made of Stripe's own id, so that a
 * message may come twice, late or out of order and still counts once.
 *
 * Stripe repeats for days whatever is not answered with 200. So only what a repetition can mend is thrown; a message that
 * can never be applied is logged for the operator and answered.
 */
import type Stripe from 'stripe'
import type { Accounts } from '../../accounts/accounts.ts'
import { AccountError } from '../../accounts/errors.ts'
import type { CreditResult } from '../../accounts/views.ts'
import type { Log } from '../../platform/log.ts'
import { MICROS_PER_CENT } from './stripe-client.ts'

/** Applies one verified message, which is durable when this resolves. @throws when Stripe is to send it again */
export async function applyEvent(
  event: Stripe.Event,
  stripe: Stripe,
  accounts: Accounts,
  log: Log,
): Promise<void> {
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return creditPayment(event.data.object, accounts, log)
    case 'refund.created':
    case 'refund.updated': {
      const { id, status, amount, currency, payment_intent } = event.data.object
      if (status !== 'succeeded') return
      return takeBack('refund', { id, amount, currency, payment_intent }, stripe, accounts, log)
    }
    case 'charge.dispute.funds_withdrawn':
      return takeBack('dispute', event.data.object, stripe, accounts, log)
    case 'charge.dispute.funds_reinstated':
      return giveBack(event.data.object, stripe, accounts, log)
    default:
      log.debug({ type: event.type }, 'stripe message of no interest')
  }
}

async function creditPayment(session: Stripe.Checkout.Session, accounts: Accounts, log: Log): Promise<void> {
  // Some ways of paying complete a session days before the money arrives; a second message then says so.
  if (session.payment_status !== 'paid') return
  const { amount_total: cents, currency } = session
  // A full discount.
  if (cents === 0) return
  const account = accounts.account(session.client_reference_id ?? '')
  const payment = idOf(session.payment_intent) ?? session.id
  if (account === undefined || currency !== 'usd' || !isAmount(cents)) {
    log.error(
      { session: session.id, account: session.client_reference_id, currency, cents },
      'stripe payment that cannot be credited',
    )
    return
  }
  const entry = { account: account.id, micros: cents * MICROS_PER_CENT, reference: `stripe:${payment}` }
  await settle(entry, () => accounts.credit({ ...entry, kind: 'payment' }), 'payment credited', log)
}

/** A refund or a dispute, as far as both have the same fields. */
interface Reversal {
  id: string
  amount: number
  currency: string
  payment_intent: string | Stripe.PaymentIntent | null
}

async function takeBack(
  kind: 'refund' | 'dispute',
  reversal: Reversal,
  stripe: Stripe,
  accounts: Accounts,
  log: Log,
): Promise<void> {
  const account = await payerOf(reversal, stripe, accounts, log)
  if (account === undefined) return
  const entry = { account, micros: reversal.amount * MICROS_PER_CENT, reference: `stripe:${reversal.id}` }
  await settle(entry, () => accounts.adjust({ ...entry, kind }), `payment taken back by a ${kind}`, log)
}

/** A dispute that was won: its money comes back under a reference of its own. */
async function giveBack(dispute: Reversal, stripe: Stripe, accounts: Accounts, log: Log): Promise<void> {
  const account = await payerOf(dispute, stripe, accounts, log)
  if (account === undefined) return
  const reference = `stripe:${dispute.id}:reinstated`
  const entry = { account, micros: dispute.amount * MICROS_PER_CENT, reference }
  const credit = () => accounts.credit({ ...entry, kind: 'payment', note: 'dispute won' })
  await settle(entry, credit, 'disputed payment returned', log)
}

/** The account that a payment was for, which Stripe keeps with the payment. Undefined when there is nothing to apply. */
async function payerOf(
  { id, amount, currency, payment_intent }: Reversal,
  stripe: Stripe,
  accounts: Accounts,
  log: Log,
): Promise<string | undefined> {
  const intentId = idOf(payment_intent)
  if (isAmount(amount) && currency === 'usd' && intentId !== undefined) {
    const intent = await stripe.paymentIntents.retrieve(intentId)
    const account = accounts.account(intent.metadata.account ?? '')?.id
    if (account !== undefined) return account
  }
  log.error(
    { reversal: id, intent: intentId, currency, cents: amount },
    'stripe reversal that cannot be applied',
  )
  return undefined
}

/** Runs a command on the ledger. What it refuses for good is logged, since a repetition would be refused as well. */
async function settle(
  entry: { account: string; micros: number; reference: string },
  command: () => Promise<CreditResult>,
  done: string,
  log: Log,
): Promise<void> {
  try {
    const { applied } = await command()
    log.info({ ...entry, applied }, done)
  } catch (error) {
    if (!(error instanceof AccountError) || error.code === 'UNAVAILABLE') throw error
    log.error({ ...entry, err: error }, 'stripe message refused by the ledger')
  }
}

/** Whole cents that move money. */
function isAmount(cents: unknown): cents is number {
  return Number.isSafeInteger(cents) && (cents as number) > 0
}

function idOf(object: string | { id: string } | null): string | undefined {
  return typeof object === 'string' ? object : object?.id
}

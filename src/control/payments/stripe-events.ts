/**
 * What Stripe's messages do to an account. Each step carries a reference made of Stripe's own id, so that a message may
 * come twice, late or out of order and still counts once.
 */
import type Stripe from 'stripe'
import type { Accounts } from '../../accounts/accounts.ts'
import type { Log } from '../../platform/log.ts'
import { MICROS_PER_CENT } from './stripe-client.ts'

/** Applies one verified message. Durable when it resolves, so that Stripe is told `200` only then. @throws to be sent again */
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
      log.debug({ type: event.type }, 'stripe message without meaning here')
  }
}

async function creditPayment(session: Stripe.Checkout.Session, accounts: Accounts, log: Log): Promise<void> {
  // Some ways of paying complete a session days before the money arrives; a second message then says so.
  if (session.payment_status !== 'paid') return
  const account = accounts.account(session.client_reference_id ?? '')
  const { amount_total: cents, currency } = session
  if (account === undefined || cents === null || currency !== 'usd') {
    log.error(
      { session: session.id, account: session.client_reference_id, currency },
      'stripe payment without an account',
    )
    return
  }
  const reference = `stripe:${idOf(session.payment_intent) ?? session.id}`
  const result = await accounts.credit({
    account: account.id,
    micros: cents * MICROS_PER_CENT,
    reference,
    kind: 'payment',
  })
  log.info({ account: account.id, reference, cents, applied: result.applied }, 'payment credited')
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
  const reference = `stripe:${reversal.id}`
  const result = await accounts.adjust({
    account,
    micros: reversal.amount * MICROS_PER_CENT,
    reference,
    kind,
  })
  log.warn(
    { account, reference, kind, cents: reversal.amount, applied: result.applied },
    'payment taken back',
  )
}

/** A dispute that was won: its money comes back under a reference of its own. */
async function giveBack(dispute: Reversal, stripe: Stripe, accounts: Accounts, log: Log): Promise<void> {
  const account = await payerOf(dispute, stripe, accounts, log)
  if (account === undefined) return
  const reference = `stripe:${dispute.id}:reinstated`
  await accounts.credit({
    account,
    micros: dispute.amount * MICROS_PER_CENT,
    reference,
    kind: 'payment',
    note: 'dispute won',
  })
  log.info({ account, reference }, 'disputed payment given back')
}

/** The account that a payment was for, which Stripe keeps with the payment. */
async function payerOf(
  { id, currency, payment_intent }: Reversal,
  stripe: Stripe,
  accounts: Accounts,
  log: Log,
) {
  const intentId = idOf(payment_intent)
  const intent = intentId === undefined ? undefined : await stripe.paymentIntents.retrieve(intentId)
  const account = accounts.account(intent?.metadata.account ?? '')?.id
  if (account !== undefined && currency === 'usd') return account
  log.error({ reversal: id, intent: intentId, currency }, 'stripe took back a payment that no account made')
  return undefined
}

function idOf(object: string | { id: string } | null): string | undefined {
  return typeof object === 'string' ? object : object?.id
}

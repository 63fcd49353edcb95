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
import type { AutoRecharge } from './auto/auto-recharge.ts'
import { outcomeOf } from './auto/charge.ts'
import { MICROS_PER_CENT } from './stripe-client.ts'

/** Applies one verified message, which is durable when this resolves. @throws when Stripe is to send it again */
export async function applyEvent(
  event: Stripe.Event,
  stripe: Stripe,
  accounts: Accounts,
  auto: AutoRecharge,
  log: Log,
): Promise<void> {
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return event.data.object.mode === 'setup'
        ? saveCard(event.data.object, stripe, accounts, auto, log)
        : creditPayment(event.data.object, accounts, log)
    case 'payment_intent.succeeded':
    case 'payment_intent.payment_failed':
    case 'payment_intent.canceled':
      return settleRecharge(event.data.object, accounts, auto, log)
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
  const { amount_total, total_details, currency } = session
  // A tax is for the authorities; the price before it is what was bought.
  const cents = isAmount(amount_total) ? amount_total - (total_details?.amount_tax ?? 0) : amount_total
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
  // By its invoice, the page of receipts finds the one of Stripe.
  const invoice = idOf(session.invoice)
  const note = invoice === undefined ? '' : `invoice ${invoice}`
  await settle(entry, () => accounts.credit({ ...entry, kind: 'payment', note }), 'payment credited', log)
}

/** The card of an account whose owner has saved one on a page of Stripe, for the customer that was made for it. */
async function saveCard(
  session: Stripe.Checkout.Session,
  stripe: Stripe,
  accounts: Accounts,
  auto: AutoRecharge,
  log: Log,
): Promise<void> {
  const account = accounts.account(session.client_reference_id ?? '')
  const setup = idOf(session.setup_intent)
  const customer = idOf(session.customer)
  if (account === undefined || setup === undefined || customer !== auto.planOf(account.id).customer)
    return log.error(
      { session: session.id, account: session.client_reference_id },
      'stripe card of no account',
    )
  const { payment_method: method } = await stripe.setupIntents.retrieve(setup, { expand: ['payment_method'] })
  if (method === null || typeof method === 'string')
    return log.error({ session: session.id, account: account.id }, 'stripe setup without a card')
  const { brand, last4 } = method.card ?? {}
  const text =
    brand === undefined ? method.type : `${brand[0]?.toUpperCase()}${brand.slice(1)} ending in ${last4}`
  await auto.change(account.id, { card: { id: method.id, text }, problem: '' })
  log.info({ account: account.id }, 'card saved for automatic recharges')
}

/** An automatic payment has ended. One that was paid is credited even when its plan is no longer there. */
async function settleRecharge(
  intent: Stripe.PaymentIntent,
  accounts: Accounts,
  auto: AutoRecharge,
  log: Log,
): Promise<void> {
  const { account = '', recharge } = intent.metadata
  // The payment of a checkout, which its session reports.
  if (recharge === undefined) return
  const known = accounts.account(account)
  if (known === undefined || intent.currency !== 'usd' || !isAmount(intent.amount))
    return log.error({ intent: intent.id, account }, 'stripe payment that cannot be credited')
  const outcome = outcomeOf(intent)
  if (outcome.state === 'paid') {
    const entry = {
      account: known.id,
      micros: intent.amount * MICROS_PER_CENT,
      reference: `stripe:${intent.id}`,
    }
    const credit = () => auto.credit(entry.account, entry.micros, intent.id)
    await settle(entry, credit, 'automatic recharge credited', log)
  }
  await auto.reported(known.id, recharge, outcome)
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
  const payment = await paymentOf(reversal, stripe, accounts, log)
  if (payment === undefined) return
  const { account, micros } = payment
  const entry = { account, micros, reference: `stripe:${reversal.id}` }
  await settle(entry, () => accounts.adjust({ ...entry, kind }), `payment taken back by a ${kind}`, log)
}

/** A dispute that was won: its money comes back under a reference of its own. */
async function giveBack(dispute: Reversal, stripe: Stripe, accounts: Accounts, log: Log): Promise<void> {
  const payment = await paymentOf(dispute, stripe, accounts, log)
  if (payment === undefined) return
  const reference = `stripe:${dispute.id}:reinstated`
  const entry = { ...payment, reference }
  const credit = () => accounts.credit({ ...entry, kind: 'payment', note: 'dispute won' })
  await settle(entry, credit, 'disputed payment returned', log)
}

/**
 * The account that a payment was for, which Stripe keeps with the payment, and what a reversal means in credit: where a tax
 * came on top, the same share of what was credited. Undefined when there is nothing to apply.
 */
async function paymentOf(
  { id, amount, currency, payment_intent }: Reversal,
  stripe: Stripe,
  accounts: Accounts,
  log: Log,
): Promise<{ account: string; micros: number } | undefined> {
  const intentId = idOf(payment_intent)
  if (isAmount(amount) && currency === 'usd' && intentId !== undefined) {
    const intent = await stripe.paymentIntents.retrieve(intentId)
    const account = accounts.account(intent.metadata.account ?? '')?.id
    const creditedCents = Number(intent.metadata.cents ?? Number.NaN)
    const share = creditedCents < intent.amount ? creditedCents / intent.amount : 1
    if (account !== undefined) return { account, micros: Math.round(amount * MICROS_PER_CENT * share) }
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

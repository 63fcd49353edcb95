/**
 * Applies Stripe's messages. A signature over the raw bytes proves the sender. Each credit or reversal has a
 * reference with Stripe's own id, so a message counts once, even if it comes twice, late or out of order.
 *
 * Stripe repeats a message for days until it is answered with 200. So errors that a repetition can fix are
 * thrown. A message that can never be applied is logged for the operator, and answered with 200.
 */
import { bodyLimit } from 'hono/body-limit'
import type Stripe from 'stripe'
import { expectAccountError } from '../../billing/accounts/account-error.ts'
import type { CreditResult } from '../../billing/accounts/accounts.ts'
import { actingAs } from '../../billing/accounts/actor.ts'
import type { CreditRequest } from '../../billing/accounts/commands/change-balance.ts'
import { MICROS_PER_CENT } from '../../billing/money.ts'
import { expectTimely } from '../../platform/time.ts'
import { shownClient } from '../session/origin.ts'
import type { Dashboard, PageApp } from '../session/page-context.ts'
import { plural, utcMinute } from '../words.ts'
import { outcomeOf } from './auto-payment.ts'
import type { AutoRecharge } from './auto-recharge.ts'
import { STRIPE } from './checkout.ts'

const WEBHOOK_BYTES_MAX = 512 * 1024
/** Maximum number of failed messages that are counted. */
const FAILED_MAX = 1000

/** Returns a function that returns a sentence about messages that could not be applied; `''` for none. */
export function addStripeWebhook(
  app: PageApp,
  dashboard: Dashboard,
  stripe: Stripe,
  auto: AutoRecharge,
  secret: string,
): () => string {
  const { apply, concern } = applierOf(dashboard, stripe, auto)
  /** Ids of messages that got 500. Stripe sends them again. */
  const failed = new Set<string>()
  const bounded = bodyLimit({ maxSize: WEBHOOK_BYTES_MAX, onError: c => c.json({ error: 'too large' }, 413) })
  app.post('/webhooks/stripe', bounded, async c => {
    const body = await c.req.text()
    const signature = c.req.header('Stripe-Signature') ?? ''
    let event: Stripe.Event
    try {
      expectTimely('the message', timeOf(signature))
      // Refuses a wrong signature, and one older than five minutes.
      event = await stripe.webhooks.constructEventAsync(body, signature, secret)
    } catch (error) {
      dashboard.log.warn({ err: error }, 'stripe message with a wrong signature')
      return c.json({ error: 'signature not accepted' }, 400)
    }
    try {
      await actingAs({ ...STRIPE, from: shownClient(c, dashboard) }, () => apply(event))
      failed.delete(event.id)
    } catch (error) {
      if (failed.size < FAILED_MAX && !failed.has(event.id)) {
        failed.add(event.id)
        const message = `${event.type} ${event.id}: ${error instanceof Error ? error.message : error}`
        dashboard.audit.record({ what: 'unapplied', details: { message } })
      }
      throw error
    }
    return c.json({ received: true })
  })
  const failedText = () =>
    failed.size > 0 && `${plural(failed.size, 'message')} of Stripe failed with 500 and will be sent again.`
  return () => [concern(), failedText()].filter(text => text).join(' ')
}

/** Returns the time of a signature, in seconds since 1970. @throws Error */
function timeOf(signature: string): number {
  const times = signature.split(',').filter(part => part.trim().startsWith('t='))
  if (times.length !== 1) throw new Error(`the signature has ${times.length} times; expected one`)
  return Number(times[0].trim().slice(2))
}

type Reversal = Pick<Stripe.Refund, 'id' | 'amount' | 'currency' | 'payment_intent'>

type Entry = Omit<CreditRequest, 'kind'>

function applierOf({ accounts, audit, log }: Dashboard, stripe: Stripe, auto: AutoRecharge) {
  let refused = 0
  let refusedMs = 0
  /** Resolves when the effect is durable. @throws Error if Stripe must send it again */
  async function apply(event: Stripe.Event): Promise<void> {
    switch (event.type) {
      case 'checkout.session.completed':
      case 'checkout.session.async_payment_succeeded':
        return event.data.object.mode === 'setup'
          ? saveCard(event.data.object)
          : creditPayment(event.data.object)
      case 'payment_intent.succeeded':
      case 'payment_intent.payment_failed':
      case 'payment_intent.canceled':
        return settleRecharge(event.data.object)
      case 'refund.created':
      case 'refund.updated':
      case 'refund.failed': {
        const refund = event.data.object
        // A failed refund is given back, and taken: its earlier message may be late, or never come.
        if (refund.status === 'failed') await reinstate(refund, 'refund failed')
        if (refund.status === 'failed' || refund.status === 'succeeded') await withdraw('refund', refund)
        return
      }
      // A dispute moves money with these two. `closed` only says who won.
      case 'charge.dispute.funds_withdrawn':
        return withdraw('dispute', event.data.object)
      case 'charge.dispute.funds_reinstated':
        return reinstate(event.data.object, 'dispute won')
      default:
        log.debug({ type: event.type }, 'stripe message ignored')
    }
  }

  async function creditPayment(session: Stripe.Checkout.Session): Promise<void> {
    // Some payment methods complete days before the money arrives, which a second message reports.
    if (session.payment_status !== 'paid') return
    const { amount_total: paid, total_details, currency, client_reference_id } = session
    // The tax is not credited.
    const cents = isAmount(paid) ? paid - Math.max(0, total_details?.amount_tax ?? 0) : paid
    // A full discount credits nothing.
    if (cents === 0) return
    const account = accountOf(client_reference_id)
    if (account === undefined || currency !== 'usd' || !isAmount(cents))
      return refuse({ session: session.id, account: client_reference_id, currency, cents })
    const payment = idOf(session.payment_intent) ?? session.id
    const entry = { account, micros: cents * MICROS_PER_CENT, reference: `stripe:${payment}` }
    const invoice = idOf(session.invoice)
    // The receipt is found by it.
    const note = invoice === undefined ? '' : `invoice ${invoice}`
    await applyEntry(entry, () => accounts.credit({ ...entry, note, kind: 'payment' }))
  }

  async function saveCard(session: Stripe.Checkout.Session): Promise<void> {
    const { id, client_reference_id, setup_intent, customer } = session
    const account = accountOf(client_reference_id)
    const setup = idOf(setup_intent)
    if (account === undefined || setup === undefined || idOf(customer) !== auto.planOf(account).customer)
      return refuse({ session: id, account: client_reference_id })
    const { payment_method: method } = await stripe.setupIntents.retrieve(setup, {
      expand: ['payment_method'],
    })
    if (method === null || typeof method === 'string') return refuse({ session: id, account })
    const { brand, last4 } = method.card ?? {}
    const text =
      brand === undefined ? method.type : `${brand[0]?.toUpperCase()}${brand.slice(1)} ending in ${last4}`
    await auto.change(account, { card: { id: method.id, text }, problem: '' })
    log.info({ account }, 'card saved for automatic recharges')
  }

  /** Ends an automatic payment. A paid one is credited even if the plan has changed. */
  async function settleRecharge(intent: Stripe.PaymentIntent): Promise<void> {
    const { id, metadata, currency, amount } = intent
    // The session of a checkout reports its payment.
    if (metadata.recharge === undefined) return
    const account = accountOf(metadata.account)
    if (account === undefined || currency !== 'usd' || !isAmount(amount))
      return refuse({ intent: id, account: metadata.account, currency, cents: amount })
    const outcome = outcomeOf(intent)
    const entry = { account, micros: amount * MICROS_PER_CENT, reference: `stripe:${id}` }
    if (outcome.state === 'paid') await applyEntry(entry, () => auto.credit(account, entry.micros, id))
    await auto.settleReported(account, metadata.recharge, outcome)
  }

  async function withdraw(kind: 'refund' | 'dispute', reversal: Reversal): Promise<void> {
    const entry = await entryOf(reversal)
    if (entry !== undefined) await applyEntry(entry, () => accounts.adjust({ ...entry, kind }))
  }

  async function reinstate(reversal: Reversal, note: string): Promise<void> {
    const entry = await entryOf(reversal)
    if (entry === undefined) return
    const undone = { ...entry, reference: `${entry.reference}:reinstated`, note }
    await applyEntry(undone, () => accounts.credit({ ...undone, kind: 'reinstated' }))
  }

  /** Returns undefined for none. A share of a payment with tax is the same share of its credit. */
  async function entryOf(reversal: Reversal): Promise<Entry | undefined> {
    const { id, amount, currency, payment_intent } = reversal
    const payment = idOf(payment_intent)
    if (isAmount(amount) && currency === 'usd' && payment !== undefined) {
      const intent = await stripe.paymentIntents.retrieve(payment)
      const account = accountOf(intent.metadata.account)
      const creditedCents = Number(intent.metadata.cents ?? Number.NaN)
      const share = creditedCents < intent.amount ? creditedCents / intent.amount : 1
      const micros = Math.round(amount * MICROS_PER_CENT * share)
      if (account !== undefined)
        return { account, micros, reference: `stripe:${id}`, payment: `stripe:${payment}` }
    }
    refuse({ reversal: id, payment, currency, cents: amount })
    return undefined
  }

  /** Credits or takes back an entry. Logs a final refusal, because a repetition would be refused again. */
  async function applyEntry(entry: Entry, command: () => Promise<CreditResult>): Promise<void> {
    try {
      const { applied } = await command()
      log.info({ ...entry, applied }, 'stripe message applied')
    } catch (error) {
      refuse({ ...entry, err: expectAccountError(error) })
    }
  }

  const accountOf = (id: string | null | undefined) => accounts.account(id ?? '')?.id

  function refuse(details: object): void {
    log.error(details, 'stripe message cannot be applied: check at Stripe')
    const known = Object.entries(details).filter(([, value]) => value != null)
    const message = known.map(([name, value]) => `${name} ${value}`).join(', ')
    audit.record({ what: 'unapplied', details: { message } })
    refused++
    refusedMs = Date.now()
  }

  const concern = () =>
    refused > 0 &&
    `${plural(refused, 'message')} of Stripe could not be applied since the start, the last at ${utcMinute(refusedMs)} UTC. Compare with Stripe, and credit or refund by hand.`

  return { apply, concern }
}

const isAmount = (cents: unknown): cents is number => Number.isSafeInteger(cents) && (cents as number) > 0

const idOf = (object: string | { id: string } | null) => (typeof object === 'string' ? object : object?.id)

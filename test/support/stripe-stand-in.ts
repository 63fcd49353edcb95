/** The part of Stripe's API that the dashboard calls. Tests decide which payments happen. */
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import Stripe from 'stripe'
import type { Test } from 'tap'
import { startWithCustomer } from './dashboard.ts'
import { listenUntilEnd } from './listening.ts'

export const WEBHOOK_SECRET = 'whsec_test'

/**
 * Outcome of the next payments with a saved card. `lost` is paid, but answered with an error; `down` is not paid and answered with an
 * error; `slow` is decided later.
 */
export type PaymentOutcome = 'paid' | 'declined' | 'confirm' | 'slow' | 'lost' | 'down' | 'unknown card'

export interface Intent {
  id: string
  status: string
  amount: number
  customer: string
  metadata: Record<string, string>
}

export type StripeStandIn = Awaited<ReturnType<typeof startStripe>>

export async function startStripe(t: Test) {
  const standIn = {
    env: {} as NodeJS.ProcessEnv,
    /** Forms that opened checkout sessions. */
    sessions: [] as URLSearchParams[],
    payments: new Map<string, Record<string, string>>(),
    /** Distinct payments with a saved card. */
    intents: new Map<string, Intent>(),
    /** Idempotency keys of all requests for such payments. */
    idempotencyKeys: [] as string[],
    nextOutcome: 'paid' as PaymentOutcome,
    /** Ids of removed cards. */
    removedCards: [] as string[],
  }
  const keyed = new Map<string, Intent>()
  const server = createServer(async (request, response) => {
    const form = new URLSearchParams(await text(request))
    const key = String(request.headers['idempotency-key'] ?? '')
    const { status, json } = answer(standIn, keyed, `${request.method} ${request.url}`, key, form)
    response.writeHead(status, { 'Content-Type': 'application/json', 'Stripe-Should-Retry': 'false' })
    response.end(JSON.stringify(json))
  })
  const apiUrl = `http://127.0.0.1:${await listenUntilEnd(t, server)}`
  standIn.env = {
    STRIPE_SECRET_KEY: 'sk_test_x',
    STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
    STRIPE_API_URL: apiUrl,
  }
  return standIn
}

/** Starts a dashboard that takes payments, with a signed-in customer. */
export async function startShop(t: Test, env: NodeJS.ProcessEnv = {}) {
  const stripe = await startStripe(t)
  const customer = await startWithCustomer(t, { ...stripe.env, ...env })
  return { stripe, ...customer }
}

interface Answer {
  status: number
  json: object
}

const ok = (json: object): Answer => ({ status: 200, json })
const failed = (status: number, error: object): Answer => ({ status, json: { error } })

function answer(
  standIn: StripeStandIn,
  keyed: Map<string, Intent>,
  endpoint: string,
  key: string,
  form: URLSearchParams,
): Answer {
  const { sessions, payments, intents, removedCards: detached } = standIn
  const [, id = '', action] = /\/v1\/[a-z_]+\/(\w+)(?:\/(\w+))?/.exec(endpoint) ?? []
  if (endpoint === 'POST /v1/customers') return ok({ id: 'cus_1', object: 'customer' })
  if (endpoint === 'POST /v1/checkout/sessions') {
    sessions.push(form)
    const session = `cs_${sessions.length}`
    return ok({ id: session, object: 'checkout.session', url: `https://pay.example/${session}` })
  }
  if (endpoint.startsWith('GET /v1/setup_intents/')) {
    const card = { type: 'card', card: { brand: 'visa', last4: '4242' } }
    return ok({
      id,
      object: 'setup_intent',
      payment_method: { id: 'pm_1', object: 'payment_method', ...card },
    })
  }
  if (action === 'detach') {
    detached.push(id)
    return ok({ id, object: 'payment_method' })
  }
  if (endpoint.startsWith('GET /v1/invoices/'))
    return ok({ id, object: 'invoice', hosted_invoice_url: `https://pay.example/${id}` })
  if (endpoint === 'POST /v1/payment_intents') return pay(standIn, keyed, key, form)
  const listed = /^GET \/v1\/payment_intents\?(.*)/.exec(endpoint)
  if (listed !== null) {
    const customer = new URLSearchParams(listed[1]).get('customer')
    const own = [...intents.values()].filter(intent => intent.customer === customer)
    return ok({ object: 'list', data: own.map(intentJson), has_more: false, url: '/v1/payment_intents' })
  }
  if (endpoint.includes('/v1/payment_intents/')) {
    const intent = intents.get(id)
    if (intent !== undefined && action === 'cancel') intent.status = 'canceled'
    if (intent !== undefined) return ok(intentJson(intent))
    const metadata = payments.get(id)
    if (metadata !== undefined) {
      const charge = { id: 'ch_1', object: 'charge', receipt_url: `https://pay.example/receipt/${id}` }
      return ok({ id, object: 'payment_intent', metadata, latest_charge: charge })
    }
  }
  return failed(404, { type: 'invalid_request_error', message: 'no such thing' })
}

function intentJson(intent: Intent): object {
  const charge = { id: 'ch_1', object: 'charge', receipt_url: `https://pay.example/receipt/${intent.id}` }
  return { ...intent, object: 'payment_intent', currency: 'usd', latest_charge: charge }
}

/** Pays with a saved card. The same idempotency key means the same payment, whatever the answer was. */
function pay(standIn: StripeStandIn, keyed: Map<string, Intent>, key: string, form: URLSearchParams): Answer {
  const { nextOutcome: fate, intents, idempotencyKeys: asked } = standIn
  asked.push(key)
  const known = keyed.get(key)
  const down = failed(500, { type: 'api_error', message: 'try later' })
  if (known !== undefined) return fate === 'lost' || fate === 'down' ? down : answerFor(known)
  if (fate === 'down') return down
  if (fate === 'unknown card')
    return failed(404, { type: 'invalid_request_error', message: 'No such PaymentMethod' })
  const STATUSES = { paid: 'succeeded', lost: 'succeeded', slow: 'processing', confirm: 'requires_action' }
  const intent: Intent = {
    id: `pi_auto${intents.size + 1}`,
    status: fate === 'declined' ? 'requires_payment_method' : STATUSES[fate],
    amount: Number(form.get('amount')),
    customer: form.get('customer') ?? '',
    metadata: {
      account: form.get('metadata[account]') ?? '',
      recharge: form.get('metadata[recharge]') ?? '',
    },
  }
  intents.set(intent.id, intent)
  keyed.set(key, intent)
  return fate === 'lost' ? down : answerFor(intent)
}

function answerFor(intent: Intent): Answer {
  if (intent.status !== 'requires_payment_method') return ok(intentJson(intent))
  const message = 'Your card was declined.'
  return failed(402, {
    type: 'card_error',
    code: 'card_declined',
    message,
    payment_intent: intentJson(intent),
  })
}

let events = 0

export function message(type: string, object: object): string {
  events++
  return JSON.stringify({ id: `evt_${events}`, object: 'event', type, created: 1, data: { object } })
}

/** Returns a checkout session with a payment of $5. */
export function paidSession(account: string, more: object = {}): object {
  const payment = { payment_status: 'paid', amount_total: 500, currency: 'usd', payment_intent: 'pi_1' }
  return { id: 'cs_1', client_reference_id: account, ...payment, ...more }
}

/** Delivers a message with a valid signature, or with the given one. Returns the status. */
export async function deliver(origin: string, body: string, signature = sign(body)): Promise<number> {
  const headers = { 'Stripe-Signature': signature, 'Content-Type': 'application/json' }
  const response = await fetch(`${origin}/webhooks/stripe`, { method: 'POST', body, headers })
  await response.text()
  return response.status
}

export function sign(payload: string, secret = WEBHOOK_SECRET, ageSeconds = 0): string {
  const timestamp = Math.floor(Date.now() / 1000) - ageSeconds
  return Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp })
}

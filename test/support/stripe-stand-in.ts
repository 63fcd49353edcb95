/** The part of Stripe's API that the dashboard calls. Tests decide which payments happen. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import Stripe from 'stripe'
import type { Test } from 'tap'

export const WEBHOOK_SECRET = 'whsec_test'

export interface StripeStandIn {
  env: NodeJS.ProcessEnv
  /** The forms with which checkout sessions were opened. */
  sessions: URLSearchParams[]
  /** Metadata of payments, by id. */
  payments: Map<string, Record<string, string>>
}

export async function startStripe(t: Test): Promise<StripeStandIn> {
  const sessions: URLSearchParams[] = []
  const payments = new Map<string, Record<string, string>>()
  const server = createServer(async (request, response) => {
    const form = new URLSearchParams(await text(request))
    const answer = (json: unknown, status = 200) => {
      response.writeHead(status, { 'Content-Type': 'application/json' })
      response.end(JSON.stringify(json))
    }
    const [, id] = /^\/v1\/payment_intents\/(\w+)$/.exec(request.url ?? '') ?? []
    const metadata = payments.get(id ?? '')
    if (metadata !== undefined) return answer({ id, object: 'payment_intent', metadata })
    if (request.url !== '/v1/checkout/sessions') return answer({ error: { message: 'no such thing' } }, 404)
    sessions.push(form)
    return answer({
      id: `cs_${sessions.length}`,
      object: 'checkout.session',
      url: `https://pay.example/cs_${sessions.length}`,
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const env = {
    STRIPE_SECRET_KEY: 'sk_test_x',
    STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
    STRIPE_API_URL: apiUrl,
  }
  return { env, sessions, payments }
}

let events = 0

/** A message as Stripe would send it. */
export function message(type: string, object: object): string {
  events++
  return JSON.stringify({ id: `evt_${events}`, object: 'event', type, created: 1, data: { object } })
}

/** Delivers a message with a valid signature, or with the given one; returns the status. */
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

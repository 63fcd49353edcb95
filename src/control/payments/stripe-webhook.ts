/** Where Stripe reports payments. No session and no form: the signature over the raw bytes is the proof. */
import { bodyLimit } from 'hono/body-limit'
import type Stripe from 'stripe'
import { WEBHOOK_BYTES_MAX } from '../../limits.ts'
import type { Dashboard, PageApp } from '../shell/dashboard.ts'
import { applyEvent } from './stripe-events.ts'

export const STRIPE_WEBHOOK_PATH = '/webhooks/stripe'

export function addStripeWebhook(
  app: PageApp,
  { accounts, log }: Dashboard,
  stripe: Stripe,
  secret: string,
): void {
  const bounded = bodyLimit({ maxSize: WEBHOOK_BYTES_MAX, onError: c => c.json({ error: 'too large' }, 413) })
  app.post(STRIPE_WEBHOOK_PATH, bounded, async c => {
    const body = await c.req.text()
    let event: Stripe.Event
    try {
      // Refuses a wrong signature and one that is older than five minutes.
      event = await stripe.webhooks.constructEventAsync(body, c.req.header('Stripe-Signature') ?? '', secret)
    } catch (error) {
      log.warn({ err: error }, 'stripe message with a wrong signature')
      return c.json({ error: 'signature not accepted' }, 400)
    }
    await applyEvent(event, stripe, accounts, log)
    return c.json({ received: true })
  })
}

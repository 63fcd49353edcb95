/** Where Stripe reports payments. These requests have no session; the signature over the raw bytes proves the sender. */

import type Stripe from 'stripe'
import { actingAs } from '../../accounts/actor.ts'
import { CLOCK_SKEW_SECONDS_MAX, WEBHOOK_BYTES_MAX } from '../limits.ts'
import { boundedBody } from '../shell/bounded-body.ts'
import type { Dashboard, PageApp } from '../shell/dashboard.ts'
import { peerOf } from '../shell/peer.ts'
import type { AutoRecharge } from './auto/auto-recharge.ts'
import { STRIPE } from './stripe-client.ts'
import { applyEvent } from './stripe-events.ts'

export const STRIPE_WEBHOOK_PATH = '/webhooks/stripe'

export function addStripeWebhook(
  app: PageApp,
  dashboard: Dashboard,
  stripe: Stripe,
  auto: AutoRecharge,
  secret: string,
): void {
  const { accounts, log } = dashboard
  const bounded = boundedBody({
    maxSize: WEBHOOK_BYTES_MAX,
    onError: c => c.json({ error: 'too large' }, 413),
  })
  app.post(STRIPE_WEBHOOK_PATH, bounded, async c => {
    const body = await c.req.text()
    const signature = c.req.header('Stripe-Signature') ?? ''
    let event: Stripe.Event
    try {
      expectTimely(signature)
      // Refuses a wrong signature and one that is older than five minutes.
      event = await stripe.webhooks.constructEventAsync(body, signature, secret)
    } catch (error) {
      log.warn({ err: error }, 'stripe message with a wrong signature')
      return c.json({ error: 'signature not accepted' }, 400)
    }
    await actingAs({ ...STRIPE, from: peerOf(c, dashboard) }, () =>
      applyEvent(event, stripe, accounts, auto, log),
    )
    return c.json({ received: true })
  })
}

/** The library refuses old messages only: one that is dated ahead could be sent again until its time has come. */
function expectTimely(signature: string): void {
  const times = signature
    .split(',')
    .flatMap(part => (part.trim().startsWith('t=') ? [part.trim().slice(2)] : []))
  if (times.length !== 1) throw new Error(`the signature has ${times.length} times; expected one`)
  const seconds = Number(times[0]) - Date.now() / 1000
  if (seconds <= CLOCK_SKEW_SECONDS_MAX) return
  throw new Error(
    `the message is dated ${Math.round(seconds)} s ahead; expected at most ${CLOCK_SKEW_SECONDS_MAX} s`,
  )
}

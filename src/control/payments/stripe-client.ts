/** Stripe's own library, pointed at Stripe or, in tests, at a stand-in. */
import Stripe from 'stripe'
import type { StripeSettings } from '../../dashboard-settings.ts'

export function createStripe({ secretKey, apiUrl }: StripeSettings): Stripe {
  const options = { maxNetworkRetries: 2, timeout: 20_000, telemetry: false } as const
  if (apiUrl === null) return new Stripe(secretKey, options)
  const { protocol, hostname, port } = new URL(apiUrl)
  return new Stripe(secretKey, {
    ...options,
    host: hostname,
    port,
    protocol: protocol === 'http:' ? 'http' : 'https',
  })
}

/** Stripe counts dollars in cents; a cent is ten thousand micro-dollars. */
export const MICROS_PER_CENT = 10_000

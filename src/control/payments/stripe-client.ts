/** Stripe's own library, for Stripe or, in tests, for a stand-in. */
import type Stripe from 'stripe'
import type { Actor } from '../../accounts/actor.ts'
import type { StripeSettings } from '../../settings/dashboard-settings.ts'

/** Who gives the commands that Stripe's answers lead to. */
export const STRIPE: Actor = { kind: 'provider', name: 'stripe', from: '' }

/** Loads the library only where it is needed, since that takes about 100 ms. */
export async function createStripe({ secretKey, apiUrl }: StripeSettings): Promise<Stripe> {
  const { Stripe } = await import('stripe')
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

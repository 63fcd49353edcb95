/** Opens a page at Stripe where a customer pays. Only the webhook credits money; returning from that page does not. */
import type Stripe from 'stripe'
import type { AccountView } from '../../accounts/views.ts'
import { PAYMENT_RETURN_MS_MAX } from '../limits.ts'
import type { Dashboard } from '../shell/dashboard.ts'
import { isEmailAddress } from '../shell/email-address.ts'
import { MICROS_PER_CENT } from './stripe-client.ts'

/** What the address that Stripe sends a payer back to is sealed for. */
const PAID = 'paid'

/** The address of a payment page for `micros`, which is whole cents. @throws Stripe's error when it refuses */
export async function openCheckout(
  stripe: Stripe,
  { origin, seal }: Pick<Dashboard, 'origin' | 'seal'>,
  account: AccountView,
  micros: number,
): Promise<string> {
  // On both the session and the payment: refunds and disputes name only the payment.
  const metadata = { account: account.id }
  const session = await stripe.checkout.sessions.create({
    mode: 'payment',
    client_reference_id: account.id,
    customer_email: isEmailAddress(account.email) ? account.email : undefined,
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: 'usd',
          unit_amount: micros / MICROS_PER_CENT,
          product_data: { name: 'Postal code queries, prepaid' },
        },
      },
    ],
    metadata,
    payment_intent_data: { metadata },
    success_url: `${origin}/balance?paid=${seal.seal(PAID, account.id, Date.now() + PAYMENT_RETURN_MS_MAX)}`,
    cancel_url: `${origin}/balance`,
  })
  if (session.url === null) throw new Error('Stripe opened a session without a page')
  return session.url
}

/** Whether a browser comes back with what `openCheckout` gave to this account. It is a courtesy, and credits nothing. */
export function isOwnPayment(
  { seal }: Pick<Dashboard, 'seal'>,
  account: AccountView,
  paid: string | undefined,
): boolean {
  return seal.open(PAID, paid) === account.id
}

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
  { customer, withTax }: { customer: string | null; withTax: boolean },
): Promise<string> {
  const cents = micros / MICROS_PER_CENT
  // On both the session and the payment: refunds and disputes name only the payment.
  const metadata = { account: account.id, cents: String(cents) }
  const session = await stripe.checkout.sessions.create({
    mode: 'payment',
    client_reference_id: account.id,
    ...payerOf(account, customer),
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: 'usd',
          unit_amount: cents,
          // A tax comes on top, so that the amount is credited in full.
          ...(withTax && { tax_behavior: 'exclusive' as const }),
          product_data: { name: 'Postal code queries, prepaid' },
        },
      },
    ],
    metadata,
    payment_intent_data: { metadata },
    // A paid invoice with the payer's name, address and tax number is the receipt.
    invoice_creation: { enabled: true, invoice_data: { metadata } },
    billing_address_collection: withTax ? 'required' : 'auto',
    tax_id_collection: { enabled: true },
    automatic_tax: { enabled: withTax },
    success_url: `${origin}/balance?paid=${seal.seal(PAID, account.id, Date.now() + PAYMENT_RETURN_MS_MAX)}`,
    cancel_url: `${origin}/balance`,
  })
  if (session.url === null) throw new Error('Stripe opened a session without a page')
  return session.url
}

/**
 * The address of a page where a card is saved for automatic recharges, without a payment.
 * @param customer Stripe's id
 */
export async function openSetup(
  stripe: Stripe,
  { origin }: Pick<Dashboard, 'origin'>,
  account: AccountView,
  customer: string,
): Promise<string> {
  const session = await stripe.checkout.sessions.create({
    mode: 'setup',
    currency: 'usd',
    customer,
    client_reference_id: account.id,
    metadata: { account: account.id },
    success_url: `${origin}/balance?card=saved#auto`,
    cancel_url: `${origin}/balance#auto`,
  })
  if (session.url === null) throw new Error('Stripe opened a session without a page')
  return session.url
}

/** Stripe's id of a new customer; the same when it is asked for twice. @throws Stripe's error when it refuses */
export async function createCustomer(stripe: Stripe, { id, email }: AccountView): Promise<string> {
  const customer = await stripe.customers.create(
    { email: isEmailAddress(email) ? email : undefined, metadata: { account: id } },
    { idempotencyKey: `postrie-customer-${id}` },
  )
  return customer.id
}

/** Who pays: the customer whom Stripe knows, or a new one, whose name and address its page asks for. */
function payerOf({ email }: AccountView, customer: string | null) {
  if (customer !== null) return { customer, customer_update: { name: 'auto', address: 'auto' } } as const
  return { customer_creation: 'always', customer_email: isEmailAddress(email) ? email : undefined } as const
}

/** Whether a browser comes back with what `openCheckout` gave to this account. It is a courtesy, and credits nothing. */
export function isOwnPayment(
  { seal }: Pick<Dashboard, 'seal'>,
  account: AccountView,
  paid: string | undefined,
): boolean {
  return seal.open(PAID, paid) === account.id
}

/** Pages at Stripe: where a customer pays or saves a card, and Stripe's own receipts. Only its messages credit money. */
import type Stripe from 'stripe'
import type { Actor } from '../../accounts/actor.ts'
import type { AccountView, StatementRow } from '../../accounts/views.ts'
import { RECHARGE_MIN_MICROS } from '../../limits.ts'
import { DAY_MS, HOUR_MS } from '../../platform/time.ts'
import type { StripeSettings } from '../../settings/config.ts'
import { isEmailAddress } from '../alerts/email.ts'
import type { Dashboard } from '../dashboard.ts'
import { dollarsField, type FieldKind, FieldProblem } from '../layout/form.tsx'
import { money } from '../words.ts'

export const STRIPE: Actor = { kind: 'provider', name: 'stripe', from: '' }

export const MICROS_PER_CENT = 10_000

const RECHARGE_MAX_MICROS = 10_000_000_000

export const PAYMENT_RANGE = `from ${money(RECHARGE_MIN_MICROS)} to ${money(RECHARGE_MAX_MICROS)}`

/** Describes an amount that can be paid: whole cents within the bounds of a recharge. */
export function paymentField(label: string): FieldKind<number> {
  const problem = `The amount must be dollars and cents, ${PAYMENT_RANGE}.`
  const field = dollarsField(label, { min: RECHARGE_MIN_MICROS, max: RECHARGE_MAX_MICROS, problem })
  return {
    ...field,
    read: texts => {
      const micros = field.read(texts)
      if (micros % MICROS_PER_CENT !== 0) throw new FieldProblem(problem)
      return micros
    },
  }
}

/** Milliseconds in which a payer who comes back is thanked: Stripe keeps a payment page open for so long. */
const PAYMENT_RETURN_MS_MAX = DAY_MS

const PAID = 'paid'

/** Loads Stripe's library only where it is needed, since that takes about 100 ms. */
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

/** Returns the address of a payment page for `micros`, which is whole cents. @throws Stripe's error when it refuses */
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
  return pageOf(session)
}

/**
 * Returns the address of a page where a card is saved for automatic recharges, without a payment.
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
  return pageOf(session)
}

function pageOf({ url }: Stripe.Checkout.Session): string {
  if (url === null) throw new Error('Stripe opened a session without a page')
  return url
}

export const UNREACHABLE = 'The payment provider does not answer. Please try again in a minute.'

/** Returns the path of a page that continues to `url`, a page of Stripe. */
export function onwardPath({ seal }: Pick<Dashboard, 'seal'>, url: string): string {
  return `/balance/onward/${seal.seal('onward', url, Date.now() + HOUR_MS)}`
}

/** Returns Stripe's id of a new customer; the same when it is asked for twice. @throws Stripe's error when it refuses */
export async function createCustomer(stripe: Stripe, { id, email }: AccountView): Promise<string> {
  const customer = await stripe.customers.create(
    { email: isEmailAddress(email) ? email : undefined, metadata: { account: id } },
    { idempotencyKey: `postrie-customer-${id}` },
  )
  return customer.id
}

/** Returns the customer whom Stripe knows, or has its page ask for the name and address of a new one. */
function payerOf({ email }: AccountView, customer: string | null) {
  if (customer !== null) return { customer, customer_update: { name: 'auto', address: 'auto' } } as const
  return { customer_creation: 'always', customer_email: isEmailAddress(email) ? email : undefined } as const
}

/** Returns true when a browser comes back from a payment of this account. It is thanked; nothing is credited. */
export function isOwnPayment(
  { seal }: Pick<Dashboard, 'seal'>,
  account: AccountView,
  paid: string | undefined,
): boolean {
  return seal.open(PAID, paid) === account.id
}

/**
 * Returns the address of the invoice that Stripe made of a checkout, which has the payer's address and tax number; for an
 * automatic recharge the receipt of its charge; null for what is no payment of Stripe. @throws Stripe's error
 */
export async function receiptUrl(
  stripe: Stripe,
  { kind, reference, note }: Pick<StatementRow, 'kind' | 'reference' | 'note'>,
): Promise<string | null> {
  const [, intent] = /^stripe:(pi_\w+)$/.exec(reference) ?? []
  if (kind !== 'payment' || intent === undefined) return null
  const [, invoice] = /^invoice (in_\w+)$/.exec(note) ?? []
  if (invoice !== undefined) {
    const { hosted_invoice_url: url } = await stripe.invoices.retrieve(invoice)
    if (url != null) return url
  }
  const { latest_charge: charge } = await stripe.paymentIntents.retrieve(intent, {
    expand: ['latest_charge'],
  })
  return typeof charge === 'string' ? null : (charge?.receipt_url ?? null)
}

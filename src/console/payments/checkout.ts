/** Pages at Stripe to pay, to save a card, and to see receipts. Only Stripe's messages credit money. */
import type Stripe from 'stripe'
import type { Actor } from '../../billing/accounts/actor.ts'
import type { StatementRow } from '../../billing/accounts/reports/statement.ts'
import type { AccountView } from '../../billing/accounts/views.ts'
import { MICROS_PER_CENT } from '../../billing/money.ts'
import type { StripeSettings } from '../../platform/settings/config.ts'
import { DAY_MS } from '../../platform/time.ts'
import { isEmailAddress } from '../alerts/email.ts'
import { dollarAmount } from '../operator/params.ts'
import type { Dashboard } from '../session/page-context.ts'
import { money } from '../words.ts'

export const RECHARGE_MIN_MICROS = 5_000_000

export const STRIPE: Actor = { kind: 'provider', name: 'stripe', from: '' }

export const RECHARGE_MAX_MICROS = 10_000_000_000

export const PAYMENT_RANGE = `from ${money(RECHARGE_MIN_MICROS)} to ${money(RECHARGE_MAX_MICROS)}`

export function paymentField(label: string) {
  const problem = `The amount must be dollars and cents, ${PAYMENT_RANGE}.`
  const range = { min: RECHARGE_MIN_MICROS, max: RECHARGE_MAX_MICROS, step: MICROS_PER_CENT }
  return dollarAmount({ label, problem }, range)
}

/** Creates a client of Stripe. Its library is loaded late, because that takes about 100 ms. */
export async function createStripe({ secretKey, apiUrl }: StripeSettings): Promise<Stripe> {
  const { Stripe } = await import('stripe')
  const { protocol, hostname: host, port } = new URL(apiUrl ?? 'https://api.stripe.com')
  const address = { host, port, protocol: protocol === 'http:' ? 'http' : 'https' } as const
  return new Stripe(secretKey, { ...address, maxNetworkRetries: 2, timeout: 20_000, telemetry: false })
}

/** Returns the address of a payment page. @param micros in whole cents @throws Stripe's error */
export async function checkoutUrl(
  stripe: Stripe,
  { origin, signer }: Pick<Dashboard, 'origin' | 'signer'>,
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
          // The tax is added, so that the amount is credited in full.
          ...(withTax && { tax_behavior: 'exclusive' as const }),
          product_data: { name: 'Postal code queries, prepaid' },
        },
      },
    ],
    metadata,
    payment_intent_data: { metadata },
    // The receipt is a paid invoice with the payer's name, address and tax number.
    invoice_creation: { enabled: true, invoice_data: { metadata } },
    billing_address_collection: withTax ? 'required' : 'auto',
    tax_id_collection: { enabled: true },
    automatic_tax: { enabled: withTax },
    // A returning payer is thanked for a day: Stripe's payment page stays open as long.
    success_url: `${origin}/balance?paid=${signer.sign('paid', [account.id, Date.now()], Date.now() + DAY_MS)}`,
    cancel_url: `${origin}/balance?returned=no`,
  })
  return addressOf(session)
}

/** Returns the address of a page to save a card, without a payment. @param card the present one, Stripe's id */
export async function setupUrl(
  stripe: Stripe,
  { origin }: Dashboard,
  account: string,
  customer: string,
  card = 'none',
) {
  const session = await stripe.checkout.sessions.create({
    mode: 'setup',
    currency: 'usd',
    customer,
    client_reference_id: account,
    metadata: { account },
    success_url: `${origin}/balance?${new URLSearchParams({ instead: card, since: String(Date.now()) })}`,
    cancel_url: `${origin}/balance?returned=no`,
  })
  return addressOf(session)
}

function addressOf({ url }: Stripe.Checkout.Session): string {
  if (url === null) throw new Error('Stripe opened a session without a page')
  return url
}

/** Path of a page that continues to a page of Stripe. */
export const ONWARD = '/balance/onward'

/** Returns Stripe's id of a new customer, the same for 24 hours. @throws Stripe's error */
export async function createCustomer(stripe: Stripe, { id, email }: AccountView): Promise<string> {
  const customer = await stripe.customers.create(
    { email: isEmailAddress(email) ? email : undefined, metadata: { account: id } },
    { idempotencyKey: `postrie-customer-${id}` },
  )
  return customer.id
}

/** Returns the known customer, or fields with which the page asks for a name and an address. */
function payerOf({ email }: AccountView, customer: string | null) {
  if (customer !== null) return { customer, customer_update: { name: 'auto', address: 'auto' } } as const
  return { customer_creation: 'always', customer_email: isEmailAddress(email) ? email : undefined } as const
}

/** Returns the start of the payment from which this browser returns; null for none. Credits nothing. */
export function payingSinceMs({ signer }: Dashboard, account: AccountView, paid?: string): number | null {
  const [id, sinceMs] = (signer.verify('paid', paid) ?? []) as [string?, number?]
  return id === account.id && sinceMs !== undefined ? sinceMs : null
}

/** Returns the address of a payment's invoice or receipt; null if Stripe has none. @throws Stripe's error */
export async function receiptUrl(stripe: Stripe, { kind, reference, note }: StatementRow) {
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

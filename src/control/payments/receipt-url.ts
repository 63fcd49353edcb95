/** Where Stripe shows its own document of a payment. */
import type Stripe from 'stripe'
import type { StatementRow } from '../../accounts/views.ts'

/**
 * The invoice that Stripe made of a checkout, with the payer's address and tax number; for an automatic recharge the receipt
 * of its charge; null for what is no payment of Stripe. @throws Stripe's error
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

/** One automatic payment at Stripe: asked for, asked about, and called off. */
import type Stripe from 'stripe'
import type { Attempt } from './auto-plan.ts'
import { MICROS_PER_CENT } from './checkout.ts'

/** Milliseconds by which Stripe's clock may be behind the one of this machine. */
const CLOCKS_APART_MS = 3_600_000

/** How an attempt stands. `refused` is final: nothing was paid, and nothing will be. */
export type Outcome =
  | { state: 'paid'; intent: string }
  | { state: 'waiting'; intent: string }
  | { state: 'refused'; intent: string | null; reason: string }

/**
 * Asks for the payment, or how it stands. Asking again is safe for as long as Stripe keeps the key of idempotency.
 * @throws Stripe's error when nobody knows whether it was paid
 */
export async function charge(stripe: Stripe, account: string, attempt: Attempt): Promise<Outcome> {
  const { id, micros, customer, card, intent } = attempt
  try {
    if (intent !== null) return outcomeOf(await stripe.paymentIntents.retrieve(intent))
    return outcomeOf(
      await stripe.paymentIntents.create(
        {
          amount: micros / MICROS_PER_CENT,
          currency: 'usd',
          customer,
          payment_method: card,
          off_session: true,
          confirm: true,
          description: 'Postal code queries, prepaid',
          metadata: { account, recharge: id },
        },
        { idempotencyKey: `postrie-recharge-${id}` },
      ),
    )
  } catch (error) {
    const refusal = refusalOf(error)
    if (refusal === null) throw error
    return refusal
  }
}

/**
 * Returns how a payment stands that was asked for, without an answer, and is not wanted any more; null: Stripe has not made
 * it. It may do so a moment later: its message then credits it all the same.
 * @throws Stripe's error when it does not say
 */
export async function findCharge(
  stripe: Stripe,
  account: string,
  { id, customer, startedMs }: Attempt,
): Promise<Outcome | null> {
  const created = { gte: Math.floor((startedMs - CLOCKS_APART_MS) / 1000) }
  const { data } = await stripe.paymentIntents.list({ customer, created, limit: 100 })
  const made = data.find(({ metadata }) => metadata.account === account && metadata.recharge === id)
  return made === undefined ? null : outcomeOf(made)
}

/** Makes sure that a refused payment is not confirmed later by anybody. What cannot be called off has ended by itself. */
export async function callOff(stripe: Stripe, intent: string): Promise<void> {
  await stripe.paymentIntents.cancel(intent).catch(() => {})
}

export function outcomeOf({ id, status, last_payment_error }: Stripe.PaymentIntent): Outcome {
  switch (status) {
    case 'succeeded':
      return { state: 'paid', intent: id }
    case 'processing':
    case 'requires_capture':
      return { state: 'waiting', intent: id }
    case 'canceled':
    case 'requires_payment_method':
      return { state: 'refused', intent: id, reason: last_payment_error?.message ?? 'The card was declined.' }
    default:
      // Nobody is there who could confirm it.
      return {
        state: 'refused',
        intent: id,
        reason: 'The bank wants the card holder to confirm each payment.',
      }
  }
}

/** Returns an error after which nothing was paid for certain, as an outcome; null when it could have been. */
function refusalOf(error: unknown): Outcome | null {
  const { type, statusCode, message, payment_intent } = error as Stripe.errors.StripeError
  const intent = payment_intent?.id ?? null
  if (type === 'StripeCardError') return { state: 'refused', intent, reason: message }
  // 409 is a request with the same key that is still being worked on.
  if (type === 'StripeInvalidRequestError' && statusCode !== 409)
    return { state: 'refused', intent, reason: 'The saved card can no longer be used.' }
  return null
}

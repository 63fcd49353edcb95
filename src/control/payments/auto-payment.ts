/** The plan of an account's automatic recharges, and one payment of it at Stripe. FORMAT.md has the file. */
import { randomUUID } from 'node:crypto'
import type Stripe from 'stripe'
import { z } from 'zod'
import type { AccountView } from '../../accounts/views.ts'
import { MICROS_PER_CENT } from './checkout.ts'

const MICROS = z.int().nonnegative()

/** A payment that was decided on and has not ended. It is on the disk before Stripe hears of it. */
const ATTEMPT = z.object({
  /** Makes up the key of idempotency: however often it is asked for, it is paid once. */
  id: z.string(),
  micros: MICROS,
  customer: z.string(),
  card: z.string(),
  startedMs: z.int(),
  nextMs: z.int(),
  tries: z.int(),
  intent: z.string().nullable(),
})

export const PLAN = z.object({
  /** Stripe's id of the customer; null before the first card. */
  customer: z.string().nullable().default(null),
  /** Stripe's id of the payment method, and words such as `Visa ending in 4242`. */
  card: z.object({ id: z.string(), text: z.string() }).nullable().default(null),
  isOn: z.boolean().default(false),
  thresholdMicros: MICROS.default(5_000_000),
  /** Amount of a payment; at least the threshold, so that the balance is above it afterwards. */
  amountMicros: MICROS.default(20_000_000),
  monthMaxMicros: MICROS.default(100_000_000),
  month: z.string().default(''),
  /** Payments that were begun in the month and not refused. */
  monthMicros: MICROS.default(0),
  boundMonth: z.string().default(''),
  /** Sentence with the reason why the service has turned it off; `''`: it has not. */
  problem: z.string().default(''),
  attempt: ATTEMPT.nullable().default(null),
})

export type Attempt = z.infer<typeof ATTEMPT>
export type Plan = z.infer<typeof PLAN>

export const NO_PLAN: Plan = PLAN.parse({})

export function monthOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 7)
}

export function monthMicrosOf({ month, monthMicros }: Plan, nowMs: number): number {
  return month === monthOf(nowMs) ? monthMicros : 0
}

/**
 * Returns true when a recharge has to begin. A debt is from a refund or a dispute: whoever has taken money back is not charged
 * again without being asked.
 */
export function isDue(plan: Plan, { standing, debtMicros, balanceMicros }: AccountView): boolean {
  if (!plan.isOn || plan.card === null || plan.attempt !== null) return false
  return standing === null && debtMicros === 0 && balanceMicros < plan.thresholdMicros
}

/** Returns the plan with an attempt of its amount; null: that would exceed the bound of the month. */
export function begun(plan: Plan, nowMs: number): Plan | null {
  const { amountMicros: micros, monthMaxMicros, customer, card } = plan
  const monthMicros = monthMicrosOf(plan, nowMs) + micros
  if (customer === null || card === null || monthMicros > monthMaxMicros) return null
  const times = { startedMs: nowMs, nextMs: nowMs, tries: 0 }
  const attempt = { id: randomUUID(), micros, customer, card: card.id, ...times, intent: null }
  return { ...plan, month: monthOf(nowMs), monthMicros, attempt }
}

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

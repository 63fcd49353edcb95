/** Plans of automatic recharges, and payments at Stripe. FORMAT.md says why no card is charged twice. */
import { randomUUID } from 'node:crypto'
import type Stripe from 'stripe'
import * as z from 'zod'
import type { AccountView } from '../../billing/accounts/views.ts'
import { MICROS_PER_CENT } from '../../billing/money.ts'
import { utcMonth } from '../words.ts'

const MICROS = z.int().nonnegative()

const ATTEMPT = z.object({
  /** Part of Stripe's idempotency key. */
  id: z.string(),
  micros: MICROS,
  customer: z.string(),
  card: z.string(),
  startedMs: z.int(),
  nextMs: z.int(),
  tries: z.int(),
  /** Stripe's id of the payment, once known. */
  intent: z.string().nullable(),
})

export const PLAN = z.object({
  /** Stripe's id of the customer; null before the first card. */
  customer: z.string().nullable().default(null),
  /** Stripe's id of the payment method, and a text such as `Visa ending in 4242`. */
  card: z.object({ id: z.string(), text: z.string() }).nullable().default(null),
  isOn: z.boolean().default(false),
  thresholdMicros: MICROS.default(5_000_000),
  /** Amount of a payment, at least the threshold. */
  amountMicros: MICROS.default(20_000_000),
  monthMaxMicros: MICROS.default(100_000_000),
  month: z.string().default(''),
  /** Sum of payments that began in `month` and were not refused. */
  monthMicros: MICROS.default(0),
  /** Month of the last alert that the maximum was reached. */
  boundMonth: z.string().default(''),
  /** Sentence with the reason why the service turned recharges off; `''` if it did not. */
  problem: z.string().default(''),
  attempt: ATTEMPT.nullable().default(null),
})

export type Attempt = z.infer<typeof ATTEMPT>
export type Plan = z.infer<typeof PLAN>

export const NO_PLAN: Plan = PLAN.parse({})

export function monthMicrosOf({ month, monthMicros }: Plan, nowMs: number): number {
  return month === utcMonth(nowMs) ? monthMicros : 0
}

export function isDue(plan: Plan, { standing, debtMicros, balanceMicros }: AccountView): boolean {
  if (!plan.isOn || plan.card === null || plan.attempt !== null) return false
  return standing === null && debtMicros === 0 && balanceMicros < plan.thresholdMicros
}

/** Returns the plan with a new attempt; null if that would exceed the bound of the month. */
export function beginAttempt(plan: Plan, nowMs: number): Plan | null {
  const { amountMicros: micros, monthMaxMicros, customer, card } = plan
  const monthMicros = monthMicrosOf(plan, nowMs) + micros
  if (customer === null || card === null || monthMicros > monthMaxMicros) return null
  const times = { startedMs: nowMs, nextMs: nowMs, tries: 0 }
  const attempt = { id: randomUUID(), micros, customer, card: card.id, ...times, intent: null }
  return { ...plan, month: utcMonth(nowMs), monthMicros, attempt }
}

/** Maximum time by which Stripe's clock may be behind this machine's clock. */
const CLOCKS_APART_MS = 3_600_000

/** State of an attempt. `refused` is final: it will never be paid. */
export type Outcome =
  | { state: 'paid'; intent: string }
  | { state: 'waiting'; intent: string }
  | { state: 'refused'; intent: string | null; reason: string }

/** Requests the payment, or its state. @throws Stripe's error if the payment may have been made */
export async function pay(stripe: Stripe, account: string, attempt: Attempt): Promise<Outcome> {
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
    return refusalOf(error)
  }
}

/** Returns the state of an unwanted payment; null if Stripe has not made it. @throws Stripe's error */
export async function findPayment(stripe: Stripe, account: string, { id, customer, startedMs }: Attempt) {
  const created = { gte: Math.floor((startedMs - CLOCKS_APART_MS) / 1000) }
  const { data } = await stripe.paymentIntents.list({ customer, created, limit: 100 })
  const found = data.find(({ metadata }) => metadata.account === account && metadata.recharge === id)
  return found === undefined ? null : outcomeOf(found)
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
      // No card holder is present to confirm it.
      return { state: 'refused', intent: id, reason: 'The bank wants the card holder to confirm payments.' }
  }
}

/** Returns the outcome of an error after which nothing was paid. @throws any other error */
function refusalOf(error: unknown): Outcome {
  const { type, statusCode, message, payment_intent } = error as Stripe.errors.StripeError
  const intent = payment_intent?.id ?? null
  if (type === 'StripeCardError') return { state: 'refused', intent, reason: message }
  // 409 is a request with the same key that is still in progress.
  if (type === 'StripeInvalidRequestError' && statusCode !== 409)
    return { state: 'refused', intent, reason: 'The saved card can no longer be used.' }
  throw error
}

/** The plan of an account's automatic recharges, and how far the present one is. FORMAT.md has the file. */
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { AccountView } from '../../accounts/views.ts'

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

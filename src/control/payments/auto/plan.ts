/** What an account has chosen for automatic recharges, and how far the present one is. FORMAT.md has the file. */

export interface Card {
  /** Stripe's id of the payment method. */
  id: string
  /** `Visa ending in 4242` */
  text: string
}

/** A payment that was decided on and has not ended. It is on the disk before Stripe hears of it. */
export interface Attempt {
  /** Makes up the key of idempotency: however often it is asked for, it is paid once. */
  id: string
  micros: number
  customer: string
  card: string
  startedMs: number
  /** When Stripe is asked next. */
  nextMs: number
  tries: number
  /** Stripe's id of the payment, once it has said so. */
  intent: string | null
}

export interface Plan {
  /** Stripe's id of the customer; null before the first card. */
  customer: string | null
  card: Card | null
  isOn: boolean
  /** Below this balance… */
  thresholdMicros: number
  /** …so much is paid in, which is at least the threshold: the balance is above it afterwards… */
  amountMicros: number
  /** …and no more than this in a UTC month. */
  monthMaxMicros: number
  /** `2026-11`, and what was begun in it and not refused. */
  month: string
  monthMicros: number
  /** The month in which it was reported that the bound is reached. */
  boundMonth: string
  /** Why the service has turned it off, as a sentence; `''`: it has not. */
  problem: string
  attempt: Attempt | null
}

export const NO_PLAN: Plan = {
  customer: null,
  card: null,
  isOn: false,
  thresholdMicros: 5_000_000,
  amountMicros: 20_000_000,
  monthMaxMicros: 100_000_000,
  month: '',
  monthMicros: 0,
  boundMonth: '',
  problem: '',
  attempt: null,
}

/** `2026-11`, in UTC. */
export function monthOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 7)
}

/** What automatic recharges have cost in the month of `nowMs`. */
export function monthMicrosOf({ month, monthMicros }: Plan, nowMs: number): number {
  return month === monthOf(nowMs) ? monthMicros : 0
}

/** A plan as its line of JSON has it, or null. */
export function parsePlan(value: unknown): Plan | null {
  if (typeof value !== 'object' || value === null) return null
  const plan = { ...NO_PLAN, ...value } as Plan
  const { customer, card, isOn, month, boundMonth, problem, attempt } = plan
  const amounts = [plan.thresholdMicros, plan.amountMicros, plan.monthMaxMicros, plan.monthMicros]
  const isWhole =
    amounts.every(micros => Number.isSafeInteger(micros) && micros >= 0) &&
    [month, boundMonth, problem].every(isText) &&
    typeof isOn === 'boolean' &&
    (customer === null || isText(customer)) &&
    (card === null || (isText(card?.id) && isText(card.text))) &&
    (attempt === null || isAttempt(attempt))
  return isWhole ? plan : null
}

function isAttempt({ id, micros, customer, card, startedMs, nextMs, tries, intent }: Attempt): boolean {
  return (
    [id, customer, card].every(isText) &&
    [micros, startedMs, nextMs, tries].every(Number.isSafeInteger) &&
    (intent === null || isText(intent))
  )
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

/** When an automatic recharge begins. */
import { randomUUID } from 'node:crypto'
import type { AccountView } from '../../../accounts/views.ts'
import { monthMicrosOf, monthOf, type Plan } from './plan.ts'

/** A debt is from a refund or a dispute: whoever has taken money back is not charged again without being asked. */
export function isDue(plan: Plan, { standing, debtMicros, availableMicros }: AccountView): boolean {
  if (!plan.isOn || plan.card === null || plan.attempt !== null) return false
  return standing === null && debtMicros === 0 && availableMicros < plan.thresholdMicros
}

/** The plan with an attempt of its amount; null: that would exceed the bound of the month. */
export function begun(plan: Plan, nowMs: number): Plan | null {
  const { amountMicros: micros, monthMaxMicros, customer, card } = plan
  const monthMicros = monthMicrosOf(plan, nowMs) + micros
  if (customer === null || card === null || monthMicros > monthMaxMicros) return null
  const attempt = {
    id: randomUUID(),
    micros,
    customer,
    card: card.id,
    startedMs: nowMs,
    nextMs: nowMs,
    tries: 0,
    intent: null,
  }
  return { ...plan, month: monthOf(nowMs), monthMicros, attempt }
}

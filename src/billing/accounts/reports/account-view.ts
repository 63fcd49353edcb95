/** Plain views of records and the live state. Money is micro-dollars. */

import { monthOf } from '../../../platform/time.ts'
import { type AccountRecord, type KeyRecord, monthSpentMicros } from '../../ledger/book/record.ts'
import type { RateLimits } from '../../ledger/event.ts'
import { QUERY_PRICE_MICROS } from '../../money.ts'
import { type AccountStore, aheadMicros, aheadOfMicros } from '../account-store.ts'
import type { CommandContext, UsageClass } from '../commands/command-context.ts'

export type AccountView = ReturnType<typeof accountView>
export type KeyView = ReturnType<typeof keyView>

export type QueriesByClass = Record<string, number>

export interface KeyRulesView {
  /** Expiry of the key, which may have passed. */
  expiresMs: number | null
  limits: RateLimits | null
  endpoints: string[] | null
  addresses: string[] | null
}

export const NO_RULES: KeyRulesView = { expiresMs: null, limits: null, endpoints: null, addresses: null }

export function accountView(record: AccountRecord, store: AccountStore) {
  const { balanceMicros, ahead } = store.registry.withLock(record, () => ({
    balanceMicros: store.available(record),
    ahead: aheadOfMicros(store, record),
  }))
  const { id, email, createdMs, debtMicros, limits, lowBalanceMicros, activeKeys, standing } = record
  return {
    id,
    /** Address of the account; or a label with a space in it, if the address is not proved. */
    email,
    createdMs,
    /** Credits less adjustments less spend. Never negative. */
    balanceMicros,
    /** Refunds and disputes beyond the balance. The next credits pay it first. */
    debtMicros,
    limits,
    lowBalanceMicros,
    activeKeys,
    spentMicros: record.spentMicros + ahead,
    /** Suspension or closing, with a reason for the account's owner; null while its keys work. */
    standing: standing && { state: standing.state, sinceMs: standing.sinceMs, reason: standing.reason },
  }
}

export function keyView(record: KeyRecord, context: CommandContext) {
  const { store, usageClasses } = context
  const nowMs = context.nowMs()
  const { queries, ahead } = store.registry.withLock(record.account, () => ({
    queries: store.queries(record),
    ahead: aheadMicros(store, record),
  }))
  const { rolled, capMicros } = record
  const rules = rulesView(record, usageClasses)
  const spentInMonthMicros = monthSpentMicros(record, monthOf(nowMs)) + ahead
  return {
    id: record.id,
    account: record.account.id,
    label: record.label,
    start: record.start,
    createdMs: record.createdMs,
    revokedMs: record.revokedMs || null,
    /** Time of the last use, exact to one flush interval; null if never used. */
    lastUsedMs: record.lastUsedMs || null,
    queries: namedQueries(queries, usageClasses),
    spentMicros: record.spentMicros + ahead,
    monthSpentMicros: spentInMonthMicros,
    capMicros,
    /** True if an unrevoked key has too little of its cap left for a query. */
    isCapped:
      record.revokedMs === 0 && capMicros !== null && spentInMonthMicros + QUERY_PRICE_MICROS > capMicros,
    rules,
    isExpired: rules.expiresMs !== null && rules.expiresMs <= nowMs,
    /** Beginning of the previous secret, working or not; null if never rolled. */
    formerStart: rolled?.start ?? null,
    /** The previous secret while it still works. */
    earlier:
      rolled === null || rolled.untilMs <= nowMs ? null : { start: rolled.start, untilMs: rolled.untilMs },
  }
}

function rulesView({ rules }: KeyRecord, classes: readonly UsageClass[]): KeyRulesView {
  if (rules === null) return NO_RULES
  const { expiresMs, limits, endpoints, addresses } = rules
  return {
    expiresMs,
    limits: limits && { ...limits },
    endpoints: endpoints?.map(usage => classes[usage].name) ?? null,
    addresses: addresses && [...addresses],
  }
}

export function namedQueries(queries: ArrayLike<number>, classes: readonly UsageClass[]): QueriesByClass {
  // Faster than `Object.fromEntries`: a statement of ninety days has thousands of counts.
  const named: QueriesByClass = {}
  for (let usage = 0; usage < classes.length; usage++) named[classes[usage].name] = queries[usage]
  return named
}

/** From records and the live state to the plain views that leave this folder. */
import type { AccountRecord, KeyRecord } from '../../ledger/book/record.ts'
import { monthSpentMicros } from '../../ledger/book/usage-row.ts'
import type { UsageAhead } from '../account-store.ts'
import type { Registry } from '../registry.ts'
import { USAGE_CLASSES } from '../types.ts'
import {
  type AccountView,
  type EarlierSecret,
  type KeyRulesView,
  type KeyView,
  NO_RULES,
  type QueriesByClass,
  type StandingView,
} from '../views.ts'

/** Balance and spend are of the same moment. Cost: a few hundred nanoseconds per key. */
export function accountView(record: AccountRecord, registry: Registry, usage: UsageAhead): AccountView {
  const { balanceMicros, aheadMicros } = registry.locked(record, () => ({
    balanceMicros: registry.availableMicros(record),
    aheadMicros: usage.aheadOf(record),
  }))
  return {
    id: record.id,
    email: record.email,
    createdMs: record.createdMs,
    balanceMicros,
    availableMicros: balanceMicros,
    debtMicros: record.debtMicros,
    limits: record.limits,
    lowBalanceMicros: record.lowBalanceMicros,
    activeKeys: record.activeKeys,
    spentMicros: record.spentMicros + aheadMicros,
    standing: standingView(record),
  }
}

function standingView({ standing }: AccountRecord): StandingView | null {
  if (standing === null) return null
  const { state, sinceMs, reason } = standing
  return { state, sinceMs, reason }
}

export function keyView(record: KeyRecord, registry: Registry, usage: UsageAhead, nowMs: number): KeyView {
  const { queries, aheadMicros } = registry.locked(record.account, () => ({
    queries: usage.queries(record),
    aheadMicros: usage.aheadMicros(record),
  }))
  return {
    id: record.id,
    account: record.account.id,
    label: record.label,
    start: record.start,
    createdMs: record.createdMs,
    revokedMs: record.revokedMs || null,
    lastUsedMs: record.lastUsedMs || null,
    queries: namedQueries(queries),
    spentMicros: record.spentMicros + aheadMicros,
    monthSpentMicros: monthSpentMicros(record, nowMs) + aheadMicros,
    capMicros: record.capMicros,
    rules: rulesView(record),
    isExpired: record.rules !== null && record.rules.expiresMs !== null && record.rules.expiresMs <= nowMs,
    earlier: earlierView(record, nowMs),
  }
}

function rulesView({ rules }: KeyRecord): KeyRulesView {
  if (rules === null) return NO_RULES
  const { expiresMs, limits, endpoints, addresses } = rules
  return {
    expiresMs,
    limits: limits && { ...limits },
    endpoints: endpoints?.map(usage => USAGE_CLASSES[usage]) ?? null,
    addresses: addresses && [...addresses],
  }
}

function earlierView({ rolled }: KeyRecord, nowMs: number): EarlierSecret | null {
  return rolled === null || rolled.untilMs <= nowMs ? null : { start: rolled.start, untilMs: rolled.untilMs }
}

/** Queries by the name of their class. `queries` is in the order of USAGE_CLASSES. */
export function namedQueries(queries: ArrayLike<number>): QueriesByClass {
  // A loop and not `Object.fromEntries`: a statement of ninety days names thousands of counts.
  const named = {} as QueriesByClass
  for (let usage = 0; usage < USAGE_CLASSES.length; usage++) named[USAGE_CLASSES[usage]] = queries[usage]
  return named
}

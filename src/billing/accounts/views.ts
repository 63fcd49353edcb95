/** Plain values for the dashboard and the operator. Money is micro-dollars. */

import { monthOf } from '../../platform/time.ts'
import {
  type AccountRecord,
  balanceMicros,
  type KeyRecord,
  monthSpentMicros,
  startsOf,
} from '../ledger/book/record.ts'
import type { KeyRules } from '../ledger/event.ts'
import { paysForQuery } from '../money.ts'
import type { CommandContext } from './commands/run-command.ts'
import { disputedMicros } from './reports/account-search.ts'
import { namedQueries } from './reports/usage-report.ts'

export type NewKey = KeyView & { secret: string }

export type AccountView = ReturnType<typeof accountView>
export type KeyView = ReturnType<typeof keyView>

/** Restrictions of a key, with the names of endpoints. The expiry may have passed. */
export type NamedKeyRules = Omit<KeyRules, 'endpoints'> & { endpoints: string[] | null }

export const NO_RULES = { expiresMs: null, limits: null, endpoints: null, addresses: null }

export function activeKeysOf({ keys }: AccountRecord): number {
  return keys.filter(({ revokedMs }) => revokedMs === 0).length
}

export type Views = ReturnType<typeof viewsOf>

/** Returns the views of records, with all their charges. */
export function viewsOf(context: CommandContext) {
  const { bookCharges, isDurable } = context
  return {
    ofAccount: (account: AccountRecord) => accountView(bookCharges(account), context.nowMs()),
    ofKey: (key: KeyRecord) => keyView(bookCharges(key), context),
    /** All durable keys of an account. There may be thousands. */
    ofKeys: (account: AccountRecord) =>
      bookCharges(account)
        .keys.filter(isDurable)
        .map(key => keyView(key, context)),
  }
}

function accountView(record: AccountRecord, nowMs: number) {
  const { id, email, createdMs, debtMicros, limits, lowBalanceMicros, note, spentMicros, standing } = record
  return {
    id,
    /** Address of the account; or a label with a space in it, if the address is not proved. */
    email,
    createdMs,
    /** Credits less adjustments less spend. Never negative. */
    balanceMicros: balanceMicros(record),
    /** Refunds and disputes beyond the balance. The next credits pay it first. */
    debtMicros,
    /** Payments that are disputed at Stripe. */
    disputedMicros: disputedMicros(record, nowMs),
    limits,
    lowBalanceMicros,
    /** Only for operators; `''` for none. */
    note,
    activeKeys: activeKeysOf(record),
    spentMicros,
    /** Suspension or closing, with a reason for the account's owner; null while its keys work. */
    standing: standing && { state: standing.state, sinceMs: standing.sinceMs, reason: standing.reason },
  }
}

function keyView(record: KeyRecord, context: CommandContext) {
  const nowMs = context.nowMs()
  const { previous, capMicros } = record
  const { expiresMs, limits, endpoints, addresses } = record.rules ?? NO_RULES
  const rules: NamedKeyRules = {
    expiresMs,
    limits: limits && { ...limits },
    endpoints: endpoints?.map(usageClass => context.usageClasses[usageClass].name) ?? null,
    addresses: addresses && [...addresses],
  }
  const spentInMonthMicros = monthSpentMicros(record, monthOf(nowMs))
  return {
    id: record.id,
    account: record.account.id,
    /** Address and state of the account. */
    email: record.account.email,
    accountState: record.account.standing?.state ?? null,
    label: record.label,
    start: record.start,
    createdMs: record.createdMs,
    revokedMs: record.revokedMs || null,
    /** Time of switching off; null while the key is on. */
    offMs: record.offMs || null,
    /** Time of the last use, exact to one flush interval; null if never used. */
    lastUsedMs: record.lastUsedMs || null,
    queries: namedQueries(record.queries, context.usageClasses),
    spentMicros: record.spentMicros,
    monthSpentMicros: spentInMonthMicros,
    capMicros,
    /** True if an unrevoked key has too little of its cap left for a query. */
    isCapped: record.revokedMs === 0 && capMicros !== null && !paysForQuery(capMicros - spentInMonthMicros),
    /** True if the balance of the account pays for no query. */
    isUnpaid: !paysForQuery(balanceMicros(record.account)),
    rules,
    isExpired: expiresMs !== null && expiresMs <= nowMs,
    /** Beginnings of all secrets, working or not, the present one first. */
    starts: startsOf(record),
    /** End of the previous secret, which may have passed; null if the key was never rolled. */
    previousEndMs: previous?.untilMs ?? null,
    /** The previous secret while it still works. */
    previous:
      previous === null || previous.untilMs <= nowMs || record.revokedMs !== 0
        ? null
        : { start: record.previousStarts[0], untilMs: previous.untilMs },
  }
}

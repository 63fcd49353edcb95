/** What one account has used and spent, as figures. */
import type { Accounts } from '../../accounts/accounts.ts'
import { USAGE_CLASSES } from '../../accounts/types.ts'
import type { AccountView, QueriesByClass } from '../../accounts/views.ts'

export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000

/** Queries of all endpoints. */
export function total(queries: QueriesByClass): number {
  return USAGE_CLASSES.reduce((sum, name) => sum + queries[name], 0)
}

export interface Spend {
  todayMicros: number
  monthMicros: number
  todayQueries: number
  /** Queries of today by key id. */
  todayByKey: Map<string, number>
  /** Days that the balance lasts at the pace of the last seven days; null: nothing was spent. */
  daysLeft: number | null
}

/** What an account spends, by UTC days. */
export function spendOf(accounts: Accounts, account: AccountView, nowMs: number): Spend {
  const todayMs = Math.floor(nowMs / DAY_MS) * DAY_MS
  const now = new Date(nowMs)
  const monthMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth())
  const weekMs = Math.max(todayMs - 6 * DAY_MS, account.createdMs)
  const rows = accounts.usage(account.id, { by: 'day', fromMs: Math.min(monthMs, todayMs - 6 * DAY_MS) })
  const spent = (fromMs: number) =>
    rows.reduce((sum, row) => sum + (row.startMs >= fromMs ? row.spentMicros : 0), 0)
  const today = rows.filter(row => row.startMs >= todayMs)
  const weekSpent = spent(todayMs - 6 * DAY_MS)
  // At least one day: an account that is an hour old has no pace yet.
  const perDay = weekSpent / Math.max(1, (nowMs - weekMs) / DAY_MS)
  return {
    todayMicros: spent(todayMs),
    monthMicros: spent(monthMs),
    todayQueries: today.reduce((sum, row) => sum + total(row.queries), 0),
    todayByKey: new Map(today.map(row => [row.key, total(row.queries)])),
    daysLeft: perDay === 0 ? null : account.balanceMicros / perDay,
  }
}

/** What is left of the free credit: it is spent before paid money is. */
export function freeLeftMicros(accounts: Accounts, account: AccountView): number {
  const free = accounts.freeCreditMicros(account.id)
  return Math.min(account.balanceMicros, Math.max(0, free - account.spentMicros))
}

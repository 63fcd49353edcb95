/** Usage of one account, gathered for charts, tables and figures. */
import type { Accounts } from '../../accounts/accounts.ts'
import { USAGE_CLASSES } from '../../accounts/types.ts'
import type { AccountView, KeyView, QueriesByClass, UsageRow } from '../../accounts/views.ts'

export type Bucket = 'hour' | 'day'
export type Split = 'key' | 'class'

export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000

/** What the ledger keeps at the least: two days by hour, ninety by day. */
const SPANS = { hour: { stepMs: HOUR_MS, steps: 48 }, day: { stepMs: DAY_MS, steps: 90 } } as const

/** Keys with a series of their own; the rest share one more. */
const KEYS_DRAWN_MAX = 6

export interface UsageSeries {
  by: Bucket
  /** Start of each bucket, milliseconds, without gaps, the present one last. */
  starts: number[]
  series: { label: string; queries: number[] }[]
}

/** Queries of the last 48 hours or 90 days, one series per key or per kind of request, the largest first. */
export function usageSeries(
  accounts: Accounts,
  account: string,
  by: Bucket,
  split: Split,
  nowMs: number,
): UsageSeries {
  const { stepMs, steps } = SPANS[by]
  const firstMs = Math.floor(nowMs / stepMs) * stepMs - (steps - 1) * stepMs
  const starts = Array.from({ length: steps }, (_, index) => firstMs + index * stepMs)
  const rows = accounts.usage(account, { by, fromMs: firstMs })
  const names = split === 'key' ? keyNames(accounts.listKeys(account)) : undefined
  const sums = new Map<string, number[]>()
  const add = (label: string, row: UsageRow, queries: number) => {
    if (queries === 0) return
    const sum = sums.get(label) ?? starts.map(() => 0)
    const index = (row.startMs - firstMs) / stepMs
    sum[index] = (sum[index] ?? 0) + queries
    sums.set(label, sum)
  }
  for (const row of rows) {
    if (names !== undefined) add(names.get(row.key) ?? row.key, row, total(row.queries))
    else for (const name of USAGE_CLASSES) add(name, row, row.queries[name])
  }
  return { by, starts, series: largest([...sums].map(([label, queries]) => ({ label, queries }))) }
}

function largest(series: UsageSeries['series']): UsageSeries['series'] {
  const weight = (queries: number[]) => queries.reduce((sum, each) => sum + each, 0)
  const sorted = series.toSorted((a, b) => weight(b.queries) - weight(a.queries))
  if (sorted.length <= KEYS_DRAWN_MAX) return sorted
  const rest = sorted.splice(KEYS_DRAWN_MAX - 1)
  const queries = rest[0]?.queries.map((_, index) =>
    rest.reduce((sum, each) => sum + (each.queries[index] ?? 0), 0),
  )
  return [...sorted, { label: 'other', queries: queries ?? [] }]
}

/** Two keys may share a label, so their first characters are shown as well. */
function keyNames(keys: readonly KeyView[]): Map<string, string> {
  return new Map(keys.map(key => [key.id, `${key.label || 'unnamed'} (${key.start}…)`]))
}

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
  const free = accounts
    .statement(account.id)
    .reduce((sum, row) => sum + (row.kind === 'free' ? row.micros : 0), 0)
  return Math.min(account.balanceMicros, Math.max(0, free - account.spentMicros))
}

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

/** Series of a chart, and colours in the style sheet; the smallest keys share the last one. */
const SERIES_MAX = 6

export interface UsageSeries {
  by: Bucket
  /** Start of each bucket, milliseconds, without gaps, the present one last. */
  starts: number[]
  /** `colour` counts from 0. */
  series: { label: string; colour: number; queries: number[] }[]
}

/**
 * Queries of the last 48 hours or 90 days, one series per key or per kind of request. Order and colours are those of the
 * 90 days, largest first, so that they mean the same in both charts.
 */
export function usageSeries(
  accounts: Accounts,
  account: string,
  by: Bucket,
  split: Split,
  nowMs: number,
): UsageSeries {
  const names = split === 'key' ? keyNames(accounts.listKeys(account)) : undefined
  const days = sumsByLabel(accounts, account, 'day', names, nowMs)
  const { starts, sums } = by === 'day' ? days : sumsByLabel(accounts, account, by, names, nowMs)
  const ranked = [...days.sums].sort(([, a], [, b]) => totalOf(b) - totalOf(a)).map(([label]) => label)
  // A query of this very moment may be counted by hour and not yet have been by day.
  for (const label of sums.keys()) if (!ranked.includes(label)) ranked.push(label)
  const drawn = ranked.slice(0, ranked.length > SERIES_MAX ? SERIES_MAX - 1 : SERIES_MAX)
  const rest = ranked.slice(drawn.length)
  const none = starts.map(() => 0)
  const series = drawn.map((label, colour) => ({ label, colour, queries: sums.get(label) ?? none }))
  if (rest.length > 0) {
    const queries = none.map((_, index) =>
      rest.reduce((sum, label) => sum + (sums.get(label)?.[index] ?? 0), 0),
    )
    series.push({ label: 'other', colour: drawn.length, queries })
  }
  return { by, starts, series: series.filter(({ queries }) => totalOf(queries) > 0) }
}

/** Queries by label and bucket. With `names` the label is a key's, else a kind of request. */
function sumsByLabel(
  accounts: Accounts,
  account: string,
  by: Bucket,
  names: ReadonlyMap<string, string> | undefined,
  nowMs: number,
): { starts: number[]; sums: Map<string, number[]> } {
  const { stepMs, steps } = SPANS[by]
  const firstMs = Math.floor(nowMs / stepMs) * stepMs - (steps - 1) * stepMs
  const starts = Array.from({ length: steps }, (_, index) => firstMs + index * stepMs)
  const sums = new Map<string, number[]>()
  const add = (label: string, row: UsageRow, queries: number) => {
    const index = (row.startMs - firstMs) / stepMs
    // A clock that was set back has left usage in the future.
    if (queries === 0 || index >= steps) return
    const sum = sums.get(label) ?? starts.map(() => 0)
    sum[index] += queries
    sums.set(label, sum)
  }
  for (const row of accounts.usage(account, { by, fromMs: firstMs })) {
    if (names !== undefined) add(names.get(row.key) ?? row.key, row, total(row.queries))
    else for (const name of USAGE_CLASSES) add(name, row, row.queries[name])
  }
  return { starts, sums }
}

function totalOf(queries: readonly number[]): number {
  return queries.reduce((sum, each) => sum + each, 0)
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

/** Usage of an account as series of numbers by key or endpoint, for charts, tables and files. */
import type { Accounts } from '../../billing/accounts/accounts.ts'
import type { UsageRow } from '../../billing/accounts/views.ts'
import { QUERY_PRICE_MICROS } from '../../billing/money.ts'
import { DAY_MS, HOUR_MS } from '../../platform/time.ts'
import { USAGE_NAMES } from '../../service/endpoints/table.ts'
import { fullKeyName, iso, namesOf, sixDecimals } from '../words.ts'
import type { FileColumns } from './csv.ts'

/** Ranges of time. The ledger keeps at least two days by hour and ninety by day. */
export const RANGES = {
  '24h': '24 hours',
  '48h': '48 hours',
  '7d': '7 days',
  '30d': '30 days',
  '90d': '90 days',
} as const

export const UNITS = { queries: 'Queries', dollars: 'Dollars' } as const
export const SPLITS = { endpoint: 'By endpoint', key: 'By key' } as const

export type Range = keyof typeof RANGES
type Unit = keyof typeof UNITS

export interface UsageWish {
  range: Range
  split: keyof typeof SPLITS
  unit: Unit
  key: string
  endpoint: string
}

export const WEEK: UsageWish = { range: '7d', split: 'endpoint', unit: 'queries', key: '', endpoint: '' }

function stepsOf(range: Range): { by: 'hour' | 'day'; steps: number } {
  return { by: range.endsWith('h') ? 'hour' : 'day', steps: Number.parseInt(range, 10) }
}

export interface UsageSeries {
  by: 'hour' | 'day'
  unit: Unit
  /** Starts of the hours or days in milliseconds, without gaps, the present one last. */
  starts: readonly number[]
  /** `colour` is the position in the palette, whose last is that of `other`. `values` are queries, or micro-dollars if the unit is dollars. */
  series: readonly { label: string; colour: number; values: readonly number[]; total: number }[]
  total: number
}

/** Number of series in a chart, before `other`. */
const SERIES_MAX = 5

/** Returns the series. Ninety days decide their order and colours, so that a series has one colour in every range. @param most number of series before `other` */
export function usageSeries(
  accounts: Accounts,
  account: string,
  wish: UsageWish,
  nowMs: number,
  most = SERIES_MAX,
): UsageSeries {
  const { range, split, unit } = wish
  const { by, steps } = stepsOf(range)
  const labelOf = split === 'key' ? namesOf(accounts.listKeys(account), fullKeyName) : undefined
  const days = sumsByLabel(accounts, account, wish, labelOf, '90d', nowMs)
  const { starts, sums } =
    by === 'day' ? lastOf(days, steps) : sumsByLabel(accounts, account, wish, labelOf, range, nowMs)
  const ranked = [...days.sums].sort(([, a], [, b]) => sumOf(b) - sumOf(a)).map(([label]) => label)
  // The days were read first, so a new query may be only in the hours.
  for (const label of sums.keys()) if (!ranked.includes(label)) ranked.push(label)
  const each = unit === 'dollars' ? QUERY_PRICE_MICROS : 1
  const all = ranked.map(label => ({
    label,
    values: starts.map((_, index) => (sums.get(label)?.[index] ?? 0) * each),
  }))
  const series = largest(all, most)
  return { by, unit, starts, series, total: sumOf(series.map(({ total }) => total)) }
}

/** Returns the first series and the sum of all others, without those that are zero. @param ranked largest first */
export function largest(
  ranked: readonly { label: string; values: readonly number[] }[],
  most = SERIES_MAX,
): UsageSeries['series'] {
  const rest = ranked.slice(most).map(({ values }) => values)
  const other = rest[0]?.map((_, index) => sumOf(rest.map(values => values[index] ?? 0)))
  return [...ranked.slice(0, most), ...(other ? [{ label: 'other', values: other }] : [])]
    .map((each, colour) => ({ ...each, colour, total: sumOf(each.values) }))
    .filter(({ total }) => total > 0)
}

interface Sums {
  starts: number[]
  sums: Map<string, number[]>
}

/** Returns sums by label. @param labelOf labels of keys by their ids; undefined to use names of endpoints */
function sumsByLabel(
  accounts: Accounts,
  account: string,
  { key, endpoint }: UsageWish,
  labelOf: ReadonlyMap<string, string> | undefined,
  range: Range,
  nowMs: number,
): Sums {
  const { by, steps } = stepsOf(range)
  const stepMs = by === 'hour' ? HOUR_MS : DAY_MS
  const firstMs = Math.floor(nowMs / stepMs) * stepMs - (steps - 1) * stepMs
  const starts = Array.from({ length: steps }, (_, index) => firstMs + index * stepMs)
  const sums = new Map<string, number[]>()
  const endpoints = USAGE_NAMES.filter(name => endpoint === '' || name === endpoint)
  const add = (label: string, { startMs }: UsageRow, queries: number) => {
    const index = (startMs - firstMs) / stepMs
    // A clock that was set back may have left usage in the future.
    if (queries === 0 || index >= steps) return
    const sum = sums.get(label) ?? starts.map(() => 0)
    sum[index] += queries
    sums.set(label, sum)
  }
  for (const row of accounts.usage(account, { by, fromMs: firstMs, key: key || undefined })) {
    for (const name of endpoints) add(labelOf?.get(row.key) ?? name, row, row.queries[name])
  }
  return { starts, sums }
}

function lastOf({ starts, sums }: Sums, steps: number): Sums {
  return {
    starts: starts.slice(-steps),
    sums: new Map([...sums].map(([label, values]) => [label, values.slice(-steps)])),
  }
}

export function sumOf(values: readonly number[]): number {
  return values.reduce((sum, each) => sum + each, 0)
}

/** Returns the file: a line for each hour or day, even without usage, and one for the totals. Dollars have six decimals. */
export function usageFile({ by, unit, starts, series, total }: UsageSeries) {
  const text = unit === 'dollars' ? sixDecimals : String
  const rows = starts.map((start, index) => {
    const values = series.map(({ values }) => values[index] ?? 0)
    return { name: iso(start), values: [...values, sumOf(values)] }
  })
  rows.push({ name: 'total', values: [...series.map(({ total }) => total), total] })
  const heads = [...series.map(({ label }) => label), unit === 'dollars' ? 'total_usd' : 'total_queries']
  const columns: FileColumns<(typeof rows)[number]> = {
    [`${by}_utc`]: ({ name }) => name,
    ...Object.fromEntries(
      heads.map((head, index) => [head, (row: (typeof rows)[number]) => text(row.values[index] ?? 0)]),
    ),
  }
  return { columns, rows }
}

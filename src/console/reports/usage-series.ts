/** Queries of an account over time: series of its charts, comparison with the time before, tables. */
import type { Accounts } from '../../billing/accounts/accounts.ts'
import type { UsageRow } from '../../billing/accounts/reports/usage-report.ts'
import { QUERY_PRICE_MICROS } from '../../billing/money.ts'
import { DAY_MS, HOUR_MS } from '../../platform/time.ts'
import { USAGE_NAMES } from '../../service/endpoints/table.ts'
import { medianOf, sumOf } from '../sums.ts'
import { count, fullKeyName, iso, namesOf, plural, sixDecimals, utcDay } from '../words.ts'
import type { FileColumns } from './csv.ts'

/** Ranges of time, all within KEPT. */
export const RANGES = {
  '24h': '24 hours',
  '48h': '48 hours',
  '7d': '7 days',
  '30d': '30 days',
  '90d': '90 days',
  month: 'This month',
  before: 'Last month',
  dates: 'From … to …',
} as const

/** Number of latest hours and days of which the ledger keeps all usage. */
const KEPT = { hour: 48, day: 90 }
type Step = keyof typeof KEPT
export const STEP_MS = { hour: HOUR_MS, day: DAY_MS }
/** A day is a spike from this many times a usual one on. */
export const SPIKE_TIMES = 5

export const SPLITS = { endpoint: 'By endpoint', key: 'By key' } as const

export interface UsageWish {
  range: keyof typeof RANGES
  /** First and last day of the range `dates`, which are kept. */
  from?: string
  to?: string
  split: keyof typeof SPLITS
  key: string
  endpoint: string
}

export const WEEK: UsageWish = { range: '7d', split: 'endpoint', key: '', endpoint: '' }

export function keptDays(nowMs: number): string[] {
  return Array.from({ length: KEPT.day }, (_, at) => utcDay(nowMs - (KEPT.day - 1 - at) * DAY_MS))
}

/** Returns the steps of a range, of which the last one is `ago` steps before the present one. */
function stepsOf({ range, from = '', to = '' }: UsageWish, nowMs: number) {
  const now = new Date(nowMs)
  const day = now.getUTCDate()
  if (range === 'month') return { by: 'day', steps: day, ago: 0 } as const
  if (range === 'before') {
    const ended = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 0))
    return { by: 'day', steps: ended.getUTCDate(), ago: day } as const
  }
  if (range !== 'dates')
    return { by: range.endsWith('h') ? 'hour' : 'day', steps: Number.parseInt(range, 10), ago: 0 } as const
  const days = keptDays(nowMs)
  const last = days.indexOf(to)
  return { by: 'day', steps: last - days.indexOf(from) + 1, ago: days.length - 1 - last } as const
}

export interface UsageSeries {
  by: Step
  /** Starts of the hours or days in milliseconds, without gaps. */
  starts: readonly number[]
  /** `colour` is the number in the palette. */
  series: readonly { label: string; colour: number; values: readonly number[]; total: number }[]
  sums: readonly number[]
  total: number
  /** Sums of as many hours or days before, null before the account existed. Null if they are not kept. */
  before: readonly (number | null)[] | null
}

/** Number of series in a chart, before `other`. */
const SERIES_MAX = 5

/** Colour of `other`, after those of series. */
const OTHER = 6

/** Ninety days decide which series are shown: they are the same in every range. @param most before `other` */
export function usageSeries(
  accounts: Accounts,
  account: string,
  wish: UsageWish,
  nowMs: number,
  most = SERIES_MAX,
): UsageSeries {
  const { by, steps, ago } = stepsOf(wish, nowMs)
  const days = sumsByLabel(accounts, account, wish, 'day', nowMs)
  const { starts, sums, names } = by === 'day' ? days : sumsByLabel(accounts, account, wish, by, nowMs)
  const ranked = [...days.sums].sort(([, a], [, b]) => sumOf(b) - sumOf(a)).map(([label]) => label)
  // The days were read first, so a new query may be only in the hours.
  for (const label of sums.keys()) if (!ranked.includes(label)) ranked.push(label)
  const first = KEPT[by] - ago - steps
  const amountOf = (label: string, index: number) => sums.get(label)?.[index] ?? 0
  const shown = Array.from({ length: steps }, (_, step) => first + step)
  const all = ranked.map(label => ({ label, values: shown.map(index => amountOf(label, index)) }))
  const series = largest(all, most, names)
  const createdMs = accounts.account(account)?.createdMs ?? 0
  const sumAt = (index: number) => sumOf(ranked.map(label => amountOf(label, index)))
  const before = shown.map(index =>
    (starts[index - steps] ?? 0) + STEP_MS[by] > createdMs ? sumAt(index - steps) : null,
  )
  return {
    ...{ by, series, starts: starts.slice(first, first + steps), sums: shown.map(sumAt) },
    total: sumOf(series.map(({ total }) => total)),
    before: first < steps ? null : before,
  }
}

/** Returns the largest series and the sum of the others, without zeros. The order of all names gives colours. */
export function largest(
  ranked: readonly { label: string; values: readonly number[] }[],
  most = SERIES_MAX,
  names: readonly string[] = [],
): UsageSeries['series'] {
  // A single rest is shown by its name: `other` would take as much room.
  const shownMax = ranked.length === most + 1 ? ranked.length : most
  const rest = ranked.slice(shownMax).map(({ values }) => values)
  const other = rest[0]?.map((_, index) => sumOf(rest.map(values => values[index] ?? 0)))
  const shown = ranked.slice(0, shownMax)
  const free = [...Array(OTHER + 1).keys()]
  const colours = new Map<string, number>()
  // No two have one colour: where it is taken, the first free one.
  for (const [number, name] of names.entries()) {
    if (!shown.some(({ label }) => label === name)) continue
    const [colour] = free.splice(Math.max(0, free.indexOf(number % OTHER)), 1)
    colours.set(name, colour)
  }
  return [...shown, ...(other ? [{ label: 'other', values: other }] : [])]
    .map(each => ({ ...each, colour: colours.get(each.label) ?? OTHER, total: sumOf(each.values) }))
    .filter(({ total }) => total > 0)
}

/** Returns sums of all kept hours or days. */
function sumsByLabel(accounts: Accounts, account: string, wish: UsageWish, by: Step, nowMs: number) {
  const { key, endpoint, split } = wish
  const labelOf = split === 'key' ? namesOf(accounts.listKeys(account), fullKeyName) : undefined
  const steps = KEPT[by]
  const stepMs = STEP_MS[by]
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
  return { starts, sums, names: labelOf ? [...labelOf.values()] : USAGE_NAMES }
}

type Steps = Pick<UsageSeries, 'by' | 'starts' | 'sums'>

/** Returns how many times a usual hour or day this one is: the median of the others that are over, or their average if that is 0. */
export function timesUsual({ by, starts, sums }: Steps, at: number, nowMs: number): number {
  const others = sums.filter((_, other) => other !== at && starts[other] + STEP_MS[by] <= nowMs)
  return sums[at] / (medianOf(others) || sumOf(others) / others.length)
}

/** Finds the present hour or day if it is far above the others, or else an earlier day. */
export function spikeOf(usage: Steps, nowMs: number): { at: number; text: string } | undefined {
  const { by, starts, sums } = usage
  const last = sums.length - 1
  const isNow = starts[last] + STEP_MS[by] > nowMs && timesUsual(usage, last, nowMs) >= 2
  const at = isNow ? last : sums.indexOf(Math.max(...sums))
  const times = timesUsual(usage, at, nowMs)
  // Some hours of each day are far above the others.
  if (times === Infinity || !(isNow || (by === 'day' && times >= SPIKE_TIMES))) return undefined
  const name = isNow ? (by === 'day' ? 'today is' : 'this hour is') : `${utcDay(starts[at])} was`
  return { at, text: `${name} ${count(Math.round(times))} times a usual ${by}` }
}

/**
 * Compares the average day of a time with that of the time before, as far as the account existed then. The
 * present hour or day is not over, so it is left out: Monday to Saturday, 60 queries, against 7 days with 140
 * are `50% fewer per full day`. `''` if there is nothing to compare.
 */
export function changeText(usage: Steps & Pick<UsageSeries, 'before'>, createdMs: number, nowMs: number) {
  const { by, starts, sums, before } = usage
  const stepMs = STEP_MS[by]
  const whole = sums.filter((_, at) => starts[at] + stepMs <= nowMs)
  const stepsBefore = Math.min(before?.length ?? 0, (starts[0] - createdMs) / stepMs)
  if (whole.length === 0 || stepsBefore < 1) return ''
  const [average, averageBefore] = [sumOf(whole) / whole.length, sumOf(before ?? []) / stepsBefore]
  if (average === 0 && sumOf(sums) > 0) return ''
  // Beside such a day, the days without it say nothing.
  const spike = spikeOf(usage, nowMs)
  if (spike !== undefined) return spike.text
  const span = `in the ${plural(Math.ceil(stepsBefore), by)} before`
  if (averageBefore === 0) return average === 0 ? '' : `none ${span}`
  const percent = Math.round((average / averageBefore - 1) * 100)
  if (percent === 0) return `as many per full ${by} as ${span}`
  return `${count(Math.abs(percent))}% ${percent > 0 ? 'more' : 'fewer'} per full ${by} than ${span}`
}

export interface UsageTableRow {
  /** Start of an hour or day; null for the totals. */
  startMs: number | null
  values: readonly (number | null)[]
}

/** Returns a row for each hour or day, even without usage, and one for the totals. */
export function usageTable({ starts, series, sums, total, before }: UsageSeries, isCompared: boolean) {
  const all = [
    { label: 'Total', values: sums, total },
    ...(isCompared && before ? [{ label: 'Before', values: before, total: sumOf(before) }] : []),
    ...series,
  ]
  const rows = starts.map((startMs, at) => ({ startMs, values: all.map(({ values }) => values[at]) }))
  const totals: UsageTableRow = { startMs: null, values: all.map(({ total }) => total) }
  return { labels: all.map(({ label }) => label), rows: [...rows, totals] }
}

export function usageFile(usage: UsageSeries, isCompared: boolean) {
  const { labels, rows } = usageTable(usage, isCompared)
  const columns: FileColumns<UsageTableRow> = {
    [`${usage.by}_utc`]: ({ startMs }) => iso(startMs) ?? 'total',
    ...Object.fromEntries(labels.map((label, at) => [label, ({ values }: UsageTableRow) => values[at]])),
    dollars: ({ values: [queries] }) => sixDecimals((queries ?? 0) * QUERY_PRICE_MICROS),
  }
  return { columns, rows }
}

/** What the usage page shows as a file for a spreadsheet: a line for each hour or day, a column for each series. */
import { csv } from '../shell/csv.ts'
import type { UsageSeries } from './usage-series.ts'

/** Dollars have six decimals, so that none is rounded. Hours and days without usage are lines of zeros. */
export function usageCsv({ by, unit, starts, series, total }: UsageSeries): string {
  const value = unit === 'dollars' ? (micros: number) => (micros / 1_000_000).toFixed(6) : String
  const rows = starts.map((start, index) => {
    const values = series.map(({ values }) => values[index] ?? 0)
    const sum = values.reduce((sum, each) => sum + each, 0)
    return [new Date(start).toISOString(), ...[...values, sum].map(value)]
  })
  const totals = ['total', ...[...series.map(({ total }) => total), total].map(value)]
  const name = unit === 'dollars' ? 'total_usd' : 'total_queries'
  return csv([`${by}_utc`, ...series.map(({ label }) => label), name], [...rows, totals])
}

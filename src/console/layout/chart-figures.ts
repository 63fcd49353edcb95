/** Figures of a chart: its bars with their texts, and the lines of its axis. */
import { DAY_MS, HOUR_MS } from '../../platform/time.ts'
import type { UsageSeries } from '../reports/usage-series.ts'
import { count, utcDay, utcMinute } from '../words.ts'

/** Maximum number of gaps between the lines of the vertical axis. */
const GAPS_MAX = 5
/** Number of times below many bars. */
const TIMES = 4
/** Maximum number of bars that each have their time below. */
const NAMED_BARS_MAX = 8

export type ChartUsage = Pick<UsageSeries, 'by' | 'starts' | 'series'>

/** Returns the bars. The present hour or day is not over, so it is not compared. @param before earlier sums */
export function barsOf({ by, starts, series }: ChartUsage, before: readonly (number | null)[]) {
  return starts.map((startMs, at) => {
    const parts = stack(series, at)
    const sum = parts.at(-1)?.top ?? 0
    const isGoingOn = startMs + (by === 'hour' ? HOUR_MS : DAY_MS) > Date.now()
    const sumBefore = isGoingOn ? null : (before[at] ?? null)
    const lines = [
      `${timeText(startMs, by)} UTC`,
      parts.length !== 1 && `total: ${count(sum)}`,
      ...parts.map(({ label, value }) => `${label}: ${count(value)}`),
      sumBefore !== null && `before: ${count(sumBefore)}`,
    ]
    return { at, startMs, parts, isGoingOn, sumBefore, text: lines.filter(line => line !== false).join('\n') }
  })
}

function stack(series: ChartUsage['series'], at: number) {
  let top = 0
  return series.flatMap(({ colour, label, values }) => {
    const value = values[at] ?? 0
    top += value
    return value === 0 ? [] : [{ colour, label, value, top }]
  })
}

/** Returns the values of the lines of the axis, from 0 to at least `most`: at most six, with round gaps. */
export function axisOf(most: number): number[] {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most / GAPS_MAX)))
  const round = [1, 2, 2.5, 5, 10].map(step => step * power)
  const gap = round.find(gap => Number.isInteger(gap) && gap * GAPS_MAX >= most) ?? most
  return Array.from({ length: Math.ceil(most / gap) + 1 }, (_, line) => line * gap)
}

/** Returns the numbers of the bars that have their time below. */
export function namedBars(bars: number): number[] {
  const names = bars <= NAMED_BARS_MAX ? bars : TIMES
  return Array.from({ length: names }, (_, name) => Math.round((name * (bars - 1)) / Math.max(1, names - 1)))
}

/** Returns `2026-02-28 13:00` or `2026-02-28`, in UTC. */
export function timeText(startMs: number, by: 'hour' | 'day'): string {
  return by === 'hour' ? utcMinute(startMs) : utcDay(startMs)
}

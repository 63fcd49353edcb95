/** Charts of stacked bars. They need no scripts. Tables next to them have the numbers. */
import { MICROS_PER_CENT, QUERY_PRICE_MICROS } from '../../billing/money.ts'
import { DAY_MS, HOUR_MS } from '../../platform/time.ts'
import { STEP_MS, type UsageSeries } from '../reports/usage-series.ts'
import { sumOf } from '../sums.ts'
import { cents, count, plural, utcDay, utcMinute } from '../words.ts'
import { shownMoment } from './form.tsx'

/** Height of the drawing. Queries are too many: browsers clamp coordinates beyond 33 million. */
const HEIGHT = 1000

/** Maximum number of gaps between the lines of the vertical axis. */
const GAPS_MAX = 5
/** Number of times below many bars. */
const TIMES = 4
/** Maximum number of bars that each have their time below. */
const NAMED_BARS_MAX = 8

type ChartUsage = Pick<UsageSeries, 'by' | 'starts' | 'series'>

interface ChartProps {
  title: string
  empty?: string
  usage: ChartUsage
  /** True if the values are queries, which have a price. */
  isPriced?: boolean
  /** Sums of the time before, drawn as lines over the bars. */
  before?: UsageSeries['before']
  /** Path of the requests behind the bars. Each bar links to those of its hour or day. */
  requests?: string
}

export function Chart({ title, empty, usage, isPriced = false, before = null, requests }: ChartProps) {
  const { by, starts, series } = usage
  if (series.every(({ total }) => total === 0)) return <p class="empty">{empty}</p>
  const link = requests && `${requests}${requests.includes('?') ? '&' : '?'}`
  const within = (ms: number) => `range=dates&from=${shownMoment(ms)}&to=${shownMoment(ms + STEP_MS[by] - 1)}`
  const textOf = (value: number) => {
    const micros = isPriced ? value * QUERY_PRICE_MICROS : 0
    return micros < MICROS_PER_CENT ? count(value) : `${count(value)}, ${cents(micros)}`
  }
  const bars = barsOf(usage, before, textOf)
  const sums = [...bars.map(({ sum }) => sum), ...(before ?? []).map(sum => sum ?? 0)]
  const axis = axisOf(Math.max(...sums), Math.min(0, ...sums))
  const range = axis[axis.length - 1] - axis[0]
  const yOf = (value: number) => Math.round(HEIGHT * (1 - (value - axis[0]) / range))
  const line = (from: number, to: number, value: number, kind?: string) => (
    <line class={kind} x1={from} x2={to} y1={yOf(value)} y2={yOf(value)} />
  )
  return (
    <>
      <div class="chart">
        <div class="scale">
          {axis.toReversed().map(value => (
            <span>{count(value)}</span>
          ))}
        </div>
        <svg viewBox={`0 0 ${starts.length} ${HEIGHT}`} preserveAspectRatio="none">
          <title>{title}</title>
          {axis.map(value => line(0, starts.length, value))}
          {bars.map(({ at, startMs, text, parts, isGoingOn, sumBefore }) => (
            // Arrow keys move from bar to bar. The present hour or day is not over.
            <a
              href={link && link + within(startMs)}
              role={requests === undefined ? 'img' : undefined}
              tabindex={at === starts.length - 1 ? 0 : -1}
              aria-label={text}
              opacity={isGoingOn ? 0.6 : undefined}
            >
              <title>{text}</title>
              <rect class="column" fill="transparent" x={at} width={1} height={HEIGHT} />
              {parts.map(({ colour, value, top }) => (
                <rect
                  fill={`var(--c${colour})`}
                  x={at + 0.15}
                  width={0.7}
                  y={yOf(Math.max(top, top - value))}
                  height={yOf(0) - yOf(Math.abs(value))}
                />
              ))}
              {sumBefore !== null && line(at, at + 1, sumBefore, 'before')}
            </a>
          ))}
        </svg>
        <svg class="times" aria-hidden="true">
          {namedBars(usage).map(at => (
            <text x={`${((at + 0.5) / starts.length) * 100}%`}>{tickText(starts[at] ?? 0)}</text>
          ))}
        </svg>
        <output class="readout" />
      </div>
      <p class="actions small">
        {series.map(({ label, colour, total }) => (
          <span class="legend" title={label}>
            <svg viewBox="0 0 1 1" aria-hidden="true">
              <rect fill={`var(--c${colour})`} width={1} height={1} />
            </svg>
            <span>{label}</span> <span class="muted">{textOf(total)}</span>
          </span>
        ))}
        {before && (
          <span>
            — before ({plural(before.filter(sum => sum !== null).length, by)}){' '}
            <span class="muted">{textOf(sumOf(before))}</span>
          </span>
        )}
      </p>
    </>
  )
}

/** The present hour or day is not over, so it is not compared. @param before earlier sums */
function barsOf(usage: ChartUsage, before: UsageSeries['before'], textOf: (value: number) => string) {
  const { by, starts, series } = usage
  return starts.map((startMs, at) => {
    let sum = 0
    const parts = series.flatMap(({ colour, label, values }) => {
      const value = values[at] ?? 0
      sum += value
      return value === 0 ? [] : [{ colour, label, value, top: sum }]
    })
    const isGoingOn = startMs + STEP_MS[by] > Date.now()
    const sumBefore = isGoingOn ? null : (before?.[at] ?? null)
    const lines = [
      `${timeText(startMs, by)} UTC`,
      ...(parts.length === 1 ? [] : [`total: ${textOf(sum)}`]),
      ...parts.map(({ label, value }) => `${label}: ${textOf(value)}`),
      ...(sumBefore === null ? [] : [`before: ${textOf(sumBefore)}`]),
    ]
    return { at, startMs, parts, sum, isGoingOn, sumBefore, text: lines.join('\n') }
  })
}

/** Returns the values of the lines of the axis, from `least` or less to `most` or more, with round gaps: at most seven. */
export function axisOf(most: number, least = 0): number[] {
  const range = most - least
  const power = 10 ** Math.floor(Math.log10(Math.max(1, range / GAPS_MAX)))
  const round = [1, 2, 2.5, 5, 10].map(step => step * power)
  const gap = round.find(gap => Number.isInteger(gap) && gap * GAPS_MAX >= range) ?? range
  const first = Math.floor(least / gap)
  return Array.from({ length: Math.ceil(most / gap) - first + 1 }, (_, line) => (first + line) * gap)
}

/** Returns the numbers of the bars that have their time below: of many hours, midnights and noons. */
function namedBars({ by, starts }: ChartUsage): number[] {
  const bars = starts.length
  if (by === 'hour' && bars > NAMED_BARS_MAX)
    return [...starts.keys()].filter(at => ((starts[at] ?? 0) / HOUR_MS) % 12 === 0)
  const names = bars <= NAMED_BARS_MAX ? bars : TIMES
  return Array.from({ length: names }, (_, name) => Math.round((name * (bars - 1)) / Math.max(1, names - 1)))
}

/** Returns `02-28` for a day and its midnight, `13:00` for any other hour. */
const tickText = (ms: number) => (ms % DAY_MS > 0 ? utcMinute(ms).slice(11) : utcDay(ms).slice(5))

/** Returns `2026-02-28 13:00` or `2026-02-28`, in UTC. */
export function timeText(startMs: number, by: 'hour' | 'day'): string {
  return by === 'hour' ? utcMinute(startMs) : utcDay(startMs)
}

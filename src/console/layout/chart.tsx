/** Charts of stacked bars. They need no scripts. Tables next to them have the numbers. */
import type { UsageSeries } from '../reports/usage-series.ts'
import { count, money, spent, utcDay, utcMinute } from '../words.ts'

/** Number of gaps between the lines of the vertical axis. */
const GAPS = 3
/** Number of times below many bars. */
const TIMES = 4
/** Height of the drawing. Micro-dollars are too large: browsers clamp coordinates beyond 33 million. */
const HEIGHT = 1000
/** Maximum number of bars that each have their time below. */
const NAMED_BARS_MAX = 8

interface ChartProps {
  label: string
  empty?: string
  usage: Pick<UsageSeries, 'by' | 'unit' | 'starts' | 'series'>
}

export function Chart({ label, empty, usage: { by, unit, starts, series } }: ChartProps) {
  if (series.every(({ total }) => total === 0)) return <p class="empty">{empty}</p>
  const text = unit === 'dollars' ? money : count
  const sumText = unit === 'dollars' ? spent : count
  const tooltip = (parts: ReturnType<typeof stack>) => {
    const lines = parts.map(({ label, value }) => `${label}: ${text(value)}`)
    return parts.length === 1 ? lines : [`Total: ${text(parts.at(-1)?.top ?? 0)}`, ...lines]
  }
  const bars = starts.map((start, at) => ({
    at,
    title: `${timeText(start, by)} UTC`,
    parts: stack(series, at),
  }))
  const gap = roundUp(Math.max(GAPS, ...bars.map(({ parts }) => parts.at(-1)?.top ?? 0)) / GAPS)
  const yOf = (value: number) => Math.round(HEIGHT * (1 - value / (GAPS * gap)))
  const lines = Array.from({ length: GAPS + 1 }, (_, line) => line * gap)
  const isNamed = starts.length <= NAMED_BARS_MAX
  const times = isNamed
    ? [...starts.keys()]
    : Array.from({ length: TIMES }, (_, time) => Math.round((time * (starts.length - 1)) / (TIMES - 1)))
  return (
    <>
      <div class="chart" role="img" aria-label={label}>
        <div class="scale">
          {lines.toReversed().map(value => (
            <span>{text(value)}</span>
          ))}
        </div>
        <svg viewBox={`0 0 ${starts.length} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          {lines.map(value => (
            <line x2={starts.length} y1={yOf(value)} y2={yOf(value)} vector-effect="non-scaling-stroke" />
          ))}
          {bars.map(({ at, title, parts }) => (
            // The last hour or day is not over.
            <g opacity={at === starts.length - 1 ? 0.6 : undefined}>
              <title>{[title, ...tooltip(parts)].join('\n')}</title>
              <rect class="column" x={at} width={1} height={HEIGHT} />
              {parts.map(({ fill, value, top }) => (
                <rect x={at + 0.15} width={0.7} y={yOf(top)} height={yOf(0) - yOf(value)} fill={fill} />
              ))}
            </g>
          ))}
        </svg>
        <div class={isNamed ? 'times named' : 'times'}>
          {times.map(at => (
            <span>{timeText(starts[at] ?? 0, by).slice(5)}</span>
          ))}
        </div>
      </div>
      <p class="actions small">
        {series.map(({ label, colour, total }) => (
          <span class="legend">
            <svg viewBox="0 0 1 1" aria-hidden="true">
              <rect width={1} height={1} fill={colourOf(colour)} />
            </svg>
            <span>{label}</span> <span class="muted">{sumText(total)}</span>
          </span>
        ))}
      </p>
    </>
  )
}

function stack(series: UsageSeries['series'], at: number) {
  let top = 0
  return series.flatMap(({ label, colour, values }) => {
    const value = values[at] ?? 0
    top += value
    return value === 0 ? [] : [{ label, fill: colourOf(colour), value, top }]
  })
}

/** Returns the colour of a series, for light and dark themes. Hues differ by the golden angle. */
function colourOf(colour: number): string {
  return `oklch(${colour < 5 ? 0.63 : 0.5} 0.13 ${(272 + 137.5 * colour) % 360})`
}

function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  return power * ([1, 2, 3, 4, 5, 6, 8].find(step => step * power >= value) ?? 10)
}

/** Returns `2026-02-28 13:00` or `2026-02-28`, in UTC. */
export function timeText(startMs: number, by: 'hour' | 'day'): string {
  return by === 'hour' ? utcMinute(startMs) : utcDay(startMs)
}

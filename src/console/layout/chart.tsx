/** Charts of stacked bars. They need no scripts. Tables next to them have the numbers. */
import { DAY_MS, HOUR_MS } from '../../platform/time.ts'
import { sumOf, type UsageSeries } from '../reports/usage-series.ts'
import { count, iso, utcDay, utcMinute } from '../words.ts'

/** Maximum number of gaps between the lines of the vertical axis. */
const GAPS_MAX = 5
/** Number of times below many bars. */
const TIMES = 4
/** Height of the drawing. Queries are too many: browsers clamp coordinates beyond 33 million. */
const HEIGHT = 1000
/** Maximum number of bars that each have their time below. */
const NAMED_BARS_MAX = 8

/** Lines are as thick in every width. */
const UNSCALED = { 'vector-effect': 'non-scaling-stroke' }

interface ChartProps {
  label: string
  empty?: string
  usage: Pick<UsageSeries, 'by' | 'starts' | 'series'>
  /** Sums of the time before, drawn as lines over the bars. */
  before?: readonly (number | null)[] | null
  /** Path of the requests behind the bars. Each bar links to those of its hour or day. */
  requests?: string
}

export function Chart({ label, empty, usage, before = null, requests }: ChartProps) {
  const { by, starts, series } = usage
  if (series.every(({ total }) => total === 0)) return <p class="empty">{empty}</p>
  const link = requests && `${requests}${requests.includes('?') ? '&' : '?'}within=`
  const isGoingOn = (start: number) => start + (by === 'hour' ? HOUR_MS : DAY_MS) > Date.now()
  const bars = starts.map((start, at) => {
    const parts = stack(series, at)
    const lines = parts.map(({ label, value }) => `${label}: ${count(value)}`)
    const top = parts.at(-1)?.top ?? 0
    if (parts.length !== 1) lines.unshift(`total: ${count(top)}`)
    const earlier = isGoingOn(start) ? null : (before?.[at] ?? null)
    if (earlier !== null) lines.push(`before: ${count(earlier)}`)
    return { at, start, parts, top, earlier, title: [`${timeText(start, by)} UTC`, ...lines].join('\n') }
  })
  const [gap, gaps] = axisOf(
    Math.max(...bars.map(({ top }) => top), ...(before ?? []).map(each => each ?? 0)),
  )
  const yOf = (value: number) => Math.round(HEIGHT * (1 - value / (gaps * gap)))
  const lines = Array.from({ length: gaps + 1 }, (_, line) => line * gap)
  const isNamed = starts.length <= NAMED_BARS_MAX
  const times = isNamed
    ? [...starts.keys()]
    : Array.from({ length: TIMES }, (_, time) => Math.round((time * (starts.length - 1)) / (TIMES - 1)))
  return (
    <>
      <div class="chart">
        <div class="scale">
          {lines.toReversed().map(value => (
            <span>{count(value)}</span>
          ))}
        </div>
        <svg viewBox={`0 0 ${starts.length} ${HEIGHT}`} preserveAspectRatio="none">
          <title>{label}</title>
          {lines.map(value => (
            <line x2={starts.length} y1={yOf(value)} y2={yOf(value)} {...UNSCALED} />
          ))}
          {bars.map(({ at, start, title, parts, earlier }) => (
            // Arrow keys move from bar to bar. The present hour or day is not over.
            <a
              href={link && link + iso(start).slice(0, by === 'hour' ? 13 : 10)}
              role={requests === undefined ? 'img' : undefined}
              tabindex={at === starts.length - 1 ? 0 : -1}
              aria-label={title}
              opacity={isGoingOn(start) ? 0.6 : undefined}
            >
              <title>{title}</title>
              <rect class="column" fill="transparent" x={at} width={1} height={HEIGHT} />
              {parts.map(({ colour, value, top }) => (
                <rect
                  fill={`var(--c${colour})`}
                  x={at + 0.15}
                  width={0.7}
                  y={yOf(top)}
                  height={yOf(0) - yOf(value)}
                />
              ))}
              {earlier !== null && (
                <line class="before" x1={at} x2={at + 1} y1={yOf(earlier)} y2={yOf(earlier)} {...UNSCALED} />
              )}
            </a>
          ))}
        </svg>
        <div class={isNamed ? 'times named' : 'times'}>
          {times.map(at => (
            <span>{timeText(starts[at] ?? 0, by).slice(5)}</span>
          ))}
        </div>
        <output class="readout">
          {series.length === 1 ? (
            series.map(({ label, total }) => `${label}: ${count(total)} in total`)
          ) : (
            <span class="scripted">Point at a bar, tap it, or use the arrow keys for its numbers.</span>
          )}
        </output>
      </div>
      {(series.length > 1 || before !== null) && (
        <p class="actions small">
          {series.map(({ label, colour, total }) => (
            <span class="legend" title={label}>
              <svg viewBox="0 0 1 1" aria-hidden="true">
                <rect fill={`var(--c${colour})`} width={1} height={1} />
              </svg>
              <span>{label}</span> <span class="muted">{count(total)}</span>
            </span>
          ))}
          {before && (
            <span>
              — before <span class="muted">{count(sumOf(before))}</span>
            </span>
          )}
        </p>
      )}
    </>
  )
}

function stack(series: UsageSeries['series'], at: number) {
  let top = 0
  return series.flatMap(({ label, colour, values }) => {
    const value = values[at] ?? 0
    top += value
    return value === 0 ? [] : [{ label, colour, value, top }]
  })
}

/** Returns the gap between two lines, a round number, and the number of gaps up to `most`. */
function axisOf(most: number): [gap: number, gaps: number] {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most / GAPS_MAX)))
  const round = [1, 2, 2.5, 5, 10].map(step => step * power)
  const gap = round.find(gap => Number.isInteger(gap) && gap * GAPS_MAX >= most) ?? most
  return [gap, Math.ceil(most / gap)]
}

/** Returns `2026-02-28 13:00` or `2026-02-28`, in UTC. */
export function timeText(startMs: number, by: 'hour' | 'day'): string {
  return by === 'hour' ? utcMinute(startMs) : utcDay(startMs)
}

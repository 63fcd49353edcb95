/** Draws measures as horizontal bars, in groups. */
import type { ChartPlan, Measure } from './benchmark.ts'

// Lengths are pixels.
const WIDTH = 760
const NAME_WIDTH = 250
const VALUE_WIDTH = 96
const BAR_HEIGHT = 18
const ROW_HEIGHT = 28
const GROUP_HEIGHT = 30
const HEAD_HEIGHT = 58
const FOOT_HEIGHT = 34

// The colours are visible on light and dark pages, and differ in brightness for colour-blind readers.
const OURS = '#0e8a6d'
const THEIRS = '#8b95a5'
const INK = '#707a8a'

const FONT = 'font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif"'

/** Returns an SVG. The thin line spans minimum to maximum. */
export function barChart(plan: ChartPlan, all: readonly Measure[], machine: string): string {
  const shown = all.filter(({ unit, group }) => unit === plan.unit && (plan.groups?.includes(group) ?? true))
  const groups = [...new Set(shown.map(({ group }) => group))]
  const greatest = Math.max(...shown.map(({ max }) => max))
  const scale = (WIDTH - NAME_WIDTH - VALUE_WIDTH) / greatest
  const parts: string[] = []
  let y = HEAD_HEIGHT
  for (const group of groups) {
    if (groups.length > 1) {
      parts.push(text(0, y + 18, group, `fill="${INK}" font-weight="600"`))
      y += GROUP_HEIGHT
    }
    for (const each of shown.filter(measure => measure.group === group)) {
      parts.push(bar(each, y, scale))
      y += ROW_HEIGHT
    }
  }
  const height = y + FOOT_HEIGHT
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title description" ${FONT} font-size="13">
<title id="title">${escaped(plan.title)}</title>
<desc id="description">${escaped(`${plan.description} ${describe(shown)}`)}</desc>
${text(0, 20, plan.title, `fill="${INK}" font-size="17" font-weight="600"`)}
${text(0, 40, `${plan.unit}, more is better`, `fill="${INK}"`)}
${parts.join('\n')}
${text(0, height - 10, machine, `fill="${INK}" font-size="11"`)}
</svg>
`
}

function bar({ name, median, min, max }: Measure, y: number, scale: number): string {
  const length = Math.max(2, median * scale)
  const middle = y + BAR_HEIGHT / 2
  const isOurs = name.startsWith('postrie')
  const colour = isOurs ? OURS : THEIRS
  const weight = isOurs ? ' font-weight="600"' : ''
  const end = NAME_WIDTH + Math.max(length, max * scale)
  return [
    text(NAME_WIDTH - 12, middle + 5, name, `fill="${INK}" text-anchor="end"${weight}`),
    `<rect x="${NAME_WIDTH}" y="${y}" width="${round(length)}" height="${BAR_HEIGHT}" rx="3" fill="${colour}"/>`,
    `<path d="M${round(NAME_WIDTH + min * scale)} ${middle}H${round(NAME_WIDTH + max * scale)}" stroke="${INK}" stroke-width="1.5"/>`,
    text(end + 8, middle + 5, formatNumber(median), `fill="${INK}"${weight}`),
  ].join('\n')
}

function text(x: number, y: number, content: string, attributes: string): string {
  return `<text x="${round(x)}" y="${round(y)}" ${attributes}>${escaped(content)}</text>`
}

/** Describes the chart for screen readers. */
function describe(shown: readonly Measure[]): string {
  return shown.map(({ group, name, median }) => `${group}: ${name} ${formatNumber(median)}.`).join(' ')
}

/** Returns a number with three significant digits: `3,500,000`, `0.0123`. */
export function formatNumber(value: number): string {
  return value.toLocaleString('en-US', { maximumSignificantDigits: 3 })
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function escaped(content: string): string {
  return content
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

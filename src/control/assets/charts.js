// Stacked bars of usage, drawn by uPlot in the colours that the style sheet names.
const CHART_EVERY_MS = 5000
const CHART_HEIGHT = 220
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
/** Distances of the lines of the vertical axis: 1, 2, 5, 10 … queries, or micro-dollars. */
const STEPS = Array.from({ length: 12 }, (_, power) => [1, 2, 5].map(step => step * 10 ** power)).flat()

const isoMinute = seconds => new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ')

const FORMATS = {
  queries: value => value.toLocaleString('en-US'),
  dollars: micros =>
    `$${(micros / 1e6).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 6 })}`,
}

/** Cumulative values, so that bars drawn from the last series to the first form a stack. */
function stacked(usage) {
  const sums = usage.starts.map(() => 0)
  const layers = usage.series.map(({ values }) =>
    values.map((value, index) => {
      sums[index] += value
      return sums[index]
    }),
  )
  return [usage.starts.map(ms => ms / 1000), ...layers.reverse()]
}

function seriesOptions(usage, colour) {
  const paths = uPlot.paths.bars({ size: [0.7, 24], radius: 0.15 })
  return usage.series.map(({ label, colour: place, values, total }) => ({
    label,
    fill: colour(`--series-${place + 1}`),
    width: 0,
    paths,
    points: { show: false },
    // The layer holds sums; the legend shows the number of the series itself, or its total while no bar is under the cursor.
    value: (_chart, _sum, _series, at) => FORMATS[usage.unit](at == null ? total : values[at]),
  }))
}

/** Hours or days; below the first, and below each that begins another day or month, that day or month. */
function ticks(marks, hours) {
  let before = ''
  return marks.map(mark => {
    const date = new Date(mark * 1000)
    const month = MONTHS[date.getUTCMonth()]
    const [fine, coarse] = hours
      ? [date.toISOString().slice(11, 16), `${month} ${date.getUTCDate()}`]
      : [String(date.getUTCDate()), month]
    const text = coarse === before ? fine : `${fine}\n${coarse}`
    before = coarse
    return text
  })
}

/** The legend in the order of the series, the largest first; the bars are drawn the other way round. */
function sortLegend(chart) {
  const legend = chart.root.querySelector('.u-legend')
  const [, ...rows] = legend.querySelectorAll('.u-series')
  const [first] = rows
  if (first !== undefined) first.parentElement.append(...rows.reverse())
}

function options(usage, width) {
  const style = getComputedStyle(document.documentElement)
  const colour = name => style.getPropertyValue(name).trim()
  const hours = usage.by === 'hour'
  const half = (hours ? 3600 : 86400) / 2
  const axis = { font: `12px ${colour('--sans')}`, stroke: colour('--muted'), ticks: { show: false } }
  const when = seconds => (hours ? isoMinute(seconds) : isoMinute(seconds).slice(0, 10))
  const span = usage.starts.length
  return {
    width,
    height: CHART_HEIGHT,
    // Room on the right for half of the last label.
    padding: [8, 32, 0, 0],
    tzDate: seconds => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    legend: { markers: { width: 0, fill: (chart, index) => chart.series[index].fill() } },
    hooks: { ready: [sortLegend] },
    scales: {
      x: { range: (_chart, from, to) => [from - half, to + half] },
      y: { range: (_chart, _least, most) => [0, Math.max(4, most * 1.08)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 60,
        size: 42,
        values: (_chart, marks) => ticks(marks, hours),
      },
      {
        ...axis,
        size: widthOf,
        grid: { stroke: colour('--line'), width: 1 },
        incrs: STEPS,
        values: (_chart, marks) => marks.map(FORMATS[usage.unit]),
      },
    ],
    series: [
      { label: '', value: (_chart, at) => (at == null ? `${span} ${usage.by}s` : when(at)) },
      ...seriesOptions(usage, colour).reverse(),
    ],
  }
}

/** Pixels for the numbers of the vertical axis, the longest of which decides. */
const widthOf = (_chart, marks) => 16 + 7 * Math.max(4, ...(marks ?? []).map(mark => mark.length))

/** Fills `box` and keeps it fresh; draws again when its width, the colours or the numbers change. */
function keepDrawn(box) {
  let chart
  let usage
  const draw = () => {
    if (usage === undefined) return
    chart?.destroy()
    box.replaceChildren()
    chart = new uPlot(options(usage, box.clientWidth), stacked(usage), box)
  }
  const load = async () => {
    if (document.hidden) return
    // A browser that has switched to another account gets no figures for a page of this one.
    const { account } = document.querySelector('main').dataset
    const source = new URL(box.dataset.chart, location.href)
    source.searchParams.set('account', account)
    const response = await fetch(source, { redirect: 'manual' })
    if (!response.ok) return
    const next = await response.json()
    const same = JSON.stringify(usage) === JSON.stringify(next)
    usage = next
    if (!same) draw()
  }
  const loadQuietly = () => load().catch(() => {})
  loadQuietly()
  setInterval(loadQuietly, CHART_EVERY_MS)
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw)
  new ResizeObserver(() => chart?.setSize({ width: box.clientWidth, height: CHART_HEIGHT })).observe(box)
}

for (const box of document.querySelectorAll('[data-chart]')) keepDrawn(box)

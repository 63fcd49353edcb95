// Stacked bars of usage, drawn by uPlot, in the colours that the style sheet names.
const CHART_EVERY_MS = 5000
const CHART_HEIGHT = 220

/** Cumulative values, so that bars drawn from the last series to the first stand on each other. */
function stacked(usage) {
  const sums = usage.starts.map(() => 0)
  const layers = usage.series.map(({ queries }) => queries.map((count, index) => (sums[index] += count)))
  return [usage.starts.map(ms => ms / 1000), ...layers.reverse()]
}

function options(usage, width) {
  const style = getComputedStyle(document.documentElement)
  const colour = name => style.getPropertyValue(name).trim()
  const font = `12px ${style.getPropertyValue('--sans')}`
  const axis = { font, stroke: colour('--muted'), ticks: { show: false } }
  const bars = uPlot.paths.bars({ size: [0.7, 24], radius: 0.15 })
  const series = usage.series.map(({ label, queries }, index) => ({
    label,
    fill: colour(`--series-${(index % 6) + 1}`),
    width: 0,
    paths: bars,
    points: { show: false },
    // The layer holds sums; the legend shows what the series itself had.
    value: (_chart, _sum, _series, at) => (at === null ? '' : queries[at].toLocaleString('en-US')),
  }))
  const step = usage.by === 'hour' ? 3600 : 86400
  return {
    width,
    height: CHART_HEIGHT,
    tzDate: seconds => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    legend: { markers: { width: 0, fill: (chart, index) => chart.series[index].fill() } },
    scales: {
      x: { range: (_chart, from, to) => [from - step / 2, to + step / 2] },
      y: { range: (_chart, _least, most) => [0, Math.max(4, most * 1.1)] },
    },
    axes: [
      { ...axis, grid: { show: false }, space: 70 },
      {
        ...axis,
        size: 56,
        grid: { stroke: colour('--line'), width: 1 },
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 1e6, 1e7],
      },
    ],
    series: [
      { value: usage.by === 'hour' ? '{YYYY}-{MM}-{DD} {HH}:00' : '{YYYY}-{MM}-{DD}' },
      ...series.reverse(),
    ],
  }
}

/** Fills `box` and keeps it fresh; draws anew when its width, the colours or the set of series change. */
function keepDrawn(box) {
  let chart
  let usage
  const draw = () => {
    if (usage === undefined) return
    chart?.destroy()
    chart = new uPlot(options(usage, box.clientWidth), stacked(usage), box)
  }
  const load = async () => {
    if (document.hidden) return
    const response = await fetch(box.dataset.chart, { redirect: 'manual' })
    if (!response.ok) return
    const next = await response.json()
    const same = JSON.stringify(usage) === JSON.stringify(next)
    usage = next
    if (!same) draw()
  }
  load()
  setInterval(() => load().catch(() => {}), CHART_EVERY_MS)
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw)
  new ResizeObserver(() => chart?.setSize({ width: box.clientWidth, height: CHART_HEIGHT })).observe(box)
}

for (const box of document.querySelectorAll('[data-chart]')) keepDrawn(box)

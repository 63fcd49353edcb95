/** Usage: one panel with a span of time, a unit, two filters, a chart, a table, and the file of what is shown. */
import type { KeyView } from '../../accounts/views.ts'
import { Page } from '../layout/page.tsx'
import { Chart, Table } from '../layout/parts.tsx'
import { cents, count, fixedMoney, money } from '../layout/words.ts'
import { usageCsv } from '../reports/usage-csv.ts'
import {
  RANGES,
  SPLITS,
  UNITS,
  type UsageSeries,
  type UsageWish,
  usageSeries,
} from '../reports/usage-series.ts'
import type { Dashboard, PageApp, PageContext } from '../shell/dashboard.ts'
import { UsageFilter } from './usage-filter.tsx'
import { usagePath, usageWish } from './usage-query.ts'

/** The overview has a span of its own, which the others would only repeat. */
const RANGES_OFFERED = {
  '24h': RANGES['24h'],
  '7d': RANGES['7d'],
  '30d': RANGES['30d'],
  '90d': RANGES['90d'],
}

export function addUsagePages(app: PageApp, dashboard: Dashboard): void {
  const wishOf = (c: PageContext) => usageWish(new URL(c.req.url).searchParams, c.var.keys())
  const usageOf = (c: PageContext, wish: UsageWish) =>
    usageSeries(dashboard.accounts, c.var.account.id, wish, Date.now())

  app.get('/usage', c => {
    const wish = wishOf(c)
    return c.html(<UsagePage {...{ c, dashboard, wish }} usage={usageOf(c, wish)} keys={c.var.keys()} />)
  })

  app.get('/usage.json', c => c.json(usageOf(c, wishOf(c))))

  app.get('/usage.csv', c => {
    const wish = wishOf(c)
    const name = `postrie-usage-${wish.range}-${new Date().toISOString().slice(0, 10)}.csv`
    return c.body(usageCsv(usageOf(c, wish)), 200, {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': `attachment; filename="${name}"`,
    })
  })
}

interface UsageProps {
  c: PageContext
  dashboard: Dashboard
  wish: UsageWish
  usage: UsageSeries
  keys: readonly KeyView[]
}

function UsagePage({ c, dashboard, wish, usage, keys }: UsageProps) {
  const latency = dashboard.dataPlane.latency?.() ?? null
  return (
    <Page
      c={c}
      title="Usage"
      lead="Charged queries, as the ledger has them."
      scripts={['live.js', 'uplot.js', 'charts.js']}
    >
      <section class="card panel" aria-label="Usage">
        <div class="tools">
          <Switch label="Time" name="range" options={texts(RANGES_OFFERED)} wish={wish} />
          <Switch label="Unit" name="unit" options={UNITS} wish={wish} />
          <Switch label="Split by" name="split" options={SPLITS} wish={wish} />
        </div>
        <UsageFilter wish={wish} keys={keys} />
        <div class="heading">
          <p class="total">
            <strong title={usage.unit === 'dollars' ? money(usage.total) : undefined}>
              {totalText(usage)}
            </strong>{' '}
            <span class="muted">in the last {RANGES[wish.range].text}</span>
          </p>
          {usage.total > 0 && (
            <a class="button" href={usagePath('/usage.csv', wish)}>
              Export CSV
            </a>
          )}
        </div>
        {usage.total === 0 ? (
          <p class="empty">
            No charged queries in this time. <Remedy wish={wish} keys={keys} />
          </p>
        ) : (
          <Shown wish={wish} usage={usage} />
        )}
      </section>
      {latency !== null && (
        <p class="muted">
          The service answers half of all requests within {milliseconds(latency.p50Micros)} and 99 percent
          within {milliseconds(latency.p99Micros)}, measured inside the server since it started.
        </p>
      )}
    </Page>
  )
}

interface SwitchProps<N extends 'range' | 'unit' | 'split'> {
  label: string
  name: N
  options: Readonly<Partial<Record<UsageWish[N], string>>>
  wish: UsageWish
}

/** Links that look like a switch: each leads to the same page with one thing changed. */
function Switch<N extends 'range' | 'unit' | 'split'>({ label, name, options, wish }: SwitchProps<N>) {
  return (
    <nav class="switch" aria-label={label}>
      {Object.entries<string | undefined>(options).map(([value, text]) => (
        <a
          href={usagePath('/usage', { ...wish, [name]: value })}
          aria-current={wish[name] === value ? 'true' : undefined}
        >
          {text}
        </a>
      ))}
    </nav>
  )
}

function Shown({ wish, usage }: { wish: UsageWish; usage: UsageSeries }) {
  const { by, starts, series, unit } = usage
  const text = unit === 'dollars' ? fixedMoney : count
  const rows = starts.map((start, index) => ({
    start,
    values: series.map(({ values }) => values[index] ?? 0),
  }))
  const used = rows.filter(({ values }) => values.some(value => value > 0)).toReversed()
  const title = `${UNITS[unit]} of the last ${RANGES[wish.range].text}`
  const withSum = series.length > 1
  return (
    <>
      <Chart source={usagePath('/usage.json', wish)} label={`${title}; the table has the numbers`} />
      <details>
        <summary>As a table</summary>
        <Table
          caption={title}
          heads={[
            by === 'hour' ? 'Hour' : 'Day',
            ...series.map(({ label }) => `>${label}`),
            ...(withSum ? ['>Total'] : []),
          ]}
        >
          {used.map(({ start, values }) => (
            <tr>
              <th scope="row">{bucketText(start, by)}</th>
              {values.map(value => (
                <td class="number">{text(value)}</td>
              ))}
              {withSum && <td class="number">{text(values.reduce((sum, value) => sum + value, 0))}</td>}
            </tr>
          ))}
          <tr class="sum">
            <th scope="row">Total</th>
            {series.map(({ total }) => (
              <td class="number">{text(total)}</td>
            ))}
            {withSum && <td class="number">{text(usage.total)}</td>}
          </tr>
        </Table>
      </details>
    </>
  )
}

/** What to do about an empty page. */
function Remedy({ wish, keys }: { wish: UsageWish; keys: readonly KeyView[] }) {
  if (wish.key !== null || wish.endpoint !== null) {
    return (
      <a href={usagePath('/usage', { ...wish, key: null, endpoint: null })}>Show all keys and endpoints</a>
    )
  }
  if (keys.length === 0) return <a href="/">Make the first request</a>
  if (wish.range !== '90d') return <a href={usagePath('/usage', { ...wish, range: '90d' })}>Show 90 days</a>
  return <a href="/">See the first steps</a>
}

function totalText({ unit, total }: UsageSeries): string {
  if (unit === 'dollars') return cents(total)
  return `${count(total)} ${total === 1 ? 'query' : 'queries'}`
}

/** `2026-02-28 13:00` or `2026-02-28`, in UTC. */
function bucketText(startMs: number, by: 'hour' | 'day'): string {
  return new Date(startMs)
    .toISOString()
    .slice(0, by === 'hour' ? 16 : 10)
    .replace('T', ' ')
}

function texts<K extends string>(ranges: Readonly<Record<K, { text: string }>>): Record<K, string> {
  return Object.fromEntries(
    Object.entries<{ text: string }>(ranges).map(([name, { text }]) => [name, text]),
  ) as Record<K, string>
}

function milliseconds(micros: number): string {
  return `${(micros / 1000).toFixed(2)} ms`
}

/** Queries by hour and by day, as charts and as tables. */

import { Page } from '../layout/page.tsx'
import { Chart, Section, Table } from '../layout/parts.tsx'
import { count } from '../layout/words.ts'
import { type Bucket, type Split, type UsageSeries, usageSeries } from '../reports/usage.ts'
import type { Dashboard, PageApp, PageContext } from '../shell/dashboard.ts'

export function addUsagePages(app: PageApp, dashboard: Dashboard): void {
  app.get('/usage', c => c.html(<UsagePage c={c} dashboard={dashboard} split={splitOf(c)} />))

  app.get('/usage.json', c => {
    const by: Bucket = c.req.query('by') === 'day' ? 'day' : 'hour'
    return c.json(usageSeries(dashboard.accounts, c.var.account.id, by, splitOf(c), Date.now()))
  })
}

const splitOf = (c: PageContext): Split => (c.req.query('split') === 'key' ? 'key' : 'class')

function UsagePage({ c, dashboard, split }: { c: PageContext; dashboard: Dashboard; split: Split }) {
  const { accounts, dataPlane } = dashboard
  const nowMs = Date.now()
  const hours = usageSeries(accounts, c.var.account.id, 'hour', split, nowMs)
  const days = usageSeries(accounts, c.var.account.id, 'day', split, nowMs)
  const latency = dataPlane.latency?.() ?? null
  return (
    <Page
      c={c}
      title="Usage"
      lead="Charged queries, as the ledger has them. Times are UTC."
      scripts={['live.js', 'uplot.js', 'charts.js']}
    >
      <nav class="switch" aria-label="Split by">
        <a href="/usage?split=class" aria-current={split === 'class' ? 'true' : undefined}>
          By kind of request
        </a>
        <a href="/usage?split=key" aria-current={split === 'key' ? 'true' : undefined}>
          By key
        </a>
      </nav>
      <Part title="Last 48 hours" usage={hours} split={split} />
      <Part title="Last 90 days" usage={days} split={split} />
      {latency !== null && (
        <p class="muted">
          The service answers half of all requests within {milliseconds(latency.p50Micros)} and 99 percent
          within {milliseconds(latency.p99Micros)}, measured inside the server since it started.
        </p>
      )}
    </Page>
  )
}

function Part({ title, usage, split }: { title: string; usage: UsageSeries; split: Split }) {
  const { by, starts, series } = usage
  const rows = starts.map((start, index) => ({
    start,
    values: series.map(({ queries }) => queries[index] ?? 0),
  }))
  const used = rows.filter(({ values }) => values.some(value => value > 0)).toReversed()
  if (used.length === 0) {
    return (
      <Section title={title}>
        <p class="empty">No charged queries in this time.</p>
      </Section>
    )
  }
  return (
    <Section title={title}>
      <Chart source={`/usage.json?by=${by}&split=${split}`} label={`${title}; the table has the numbers`} />
      <details>
        <summary>As a table</summary>
        <Table
          caption={title}
          heads={[by === 'hour' ? 'Hour' : 'Day', ...series.map(({ label }) => `>${label}`)]}
        >
          {used.map(({ start, values }) => (
            <tr>
              <th scope="row">
                {new Date(start)
                  .toISOString()
                  .slice(0, by === 'hour' ? 16 : 10)
                  .replace('T', ' ')}
              </th>
              {values.map(value => (
                <td class="number">{count(value)}</td>
              ))}
            </tr>
          ))}
        </Table>
      </details>
    </Section>
  )
}

function milliseconds(micros: number): string {
  return `${(micros / 1000).toFixed(2)} ms`
}

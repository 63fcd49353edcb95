/** The page of usage: filters, a chart, a table and a file. */

import { QUERY_PRICE_MICROS } from '../../billing/money.ts'
import { DAY_MS } from '../../platform/time.ts'
import { USAGE_NAMES } from '../../service/endpoints/table.ts'
import type { Dashboard, PageApp, PageContext } from '../dashboard.ts'
import { Chart, timeText } from '../layout/chart.tsx'
import { addressOf, queryOf, Search } from '../layout/list.tsx'
import { Page } from '../layout/page.tsx'
import { Dollars, Link, Table } from '../layout/parts.tsx'
import { csvFile } from '../reports/csv.ts'
import { changeText } from '../reports/figures.ts'
import {
  RANGES,
  SPLITS,
  sumOf,
  UNITS,
  type UsageSeries,
  usageFile,
  usageSeries,
} from '../reports/usage-series.ts'
import { count, fixedMoney, fullKeyName, iso, namesOf, plural } from '../words.ts'
import { Ranks } from './overview.tsx'

/** Maximum number of keys in the filter. */
const KEYS_OFFERED_MAX = 100

function filtersOf(c: PageContext) {
  const wanted = c.req.query('key')
  const offered = c.var
    .keys()
    .filter(({ lastUsedMs }) => lastUsedMs !== null)
    .sort((a, b) => (b.lastUsedMs ?? 0) - (a.lastUsedMs ?? 0))
    .filter(({ id }, index) => index < KEYS_OFFERED_MAX || id === wanted)
  const endpoints = USAGE_NAMES.map(name => [name, name])
  return {
    range: { label: 'Time', options: RANGES, usual: '7d' },
    split: { label: 'Split', options: SPLITS },
    unit: { label: 'Unit', options: UNITS },
    key: { label: 'Key', options: { '': 'All keys', ...Object.fromEntries(namesOf(offered, fullKeyName)) } },
    endpoint: { label: 'Endpoint', options: { '': 'All endpoints', ...Object.fromEntries(endpoints) } },
  }
}

/** Returns the totals by label. */
type TotalsBy = (split: keyof typeof SPLITS) => ReadonlyMap<string, number>

export function addUsagePages(app: PageApp, { accounts }: Dashboard): void {
  const usageOf = (c: PageContext, changed: { split?: keyof typeof SPLITS } = {}, most?: number) =>
    usageSeries(accounts, c.var.account.id, { ...queryOf(c, filtersOf(c)), ...changed }, Date.now(), most)

  app.get('/usage', c => {
    const usage = usageOf(c)
    const wish = queryOf(c, filtersOf(c))
    // Two days by hour and ninety by day are kept, so the longest ranges have nothing before them.
    const spanMs = { '24h': DAY_MS, '48h': 0, '7d': 7 * DAY_MS, '30d': 30 * DAY_MS, '90d': 0 }[wish.range]
    const nowMs = Date.now()
    const before = usageSeries(accounts, c.var.account.id, wish, nowMs - spanMs).total
    const elapsedMs = nowMs - (usage.starts[0] ?? nowMs)
    const text = changeText(usage.total / elapsedMs, before / spanMs, RANGES[wish.range])
    const totalsBy: TotalsBy = split =>
      new Map(
        usageOf(c, { split }, Number.POSITIVE_INFINITY).series.map(({ label, total }) => [label, total]),
      )
    return c.html(usagePage(c, usage, spanMs > 0 && usage.total > 0 ? text : '', totalsBy))
  })

  app.get('/usage.csv', c => {
    const { columns, rows } = usageFile(usageOf(c, {}, Number.POSITIVE_INFINITY))
    return csvFile(c, `usage-${queryOf(c, filtersOf(c)).range}`, columns, [rows])
  })
}

function usagePage(c: PageContext, usage: UsageSeries, change: string, totalsBy: TotalsBy) {
  const filters = filtersOf(c)
  const { unit, total } = usage
  const span = RANGES[queryOf(c, filters).range]
  const [queries, micros] =
    unit === 'dollars' ? [total / QUERY_PRICE_MICROS, total] : [total, total * QUERY_PRICE_MICROS]
  const narrow = (changed: object) => addressOf(c, '/usage', filters, changed)
  const ids = new Map(Array.from(namesOf(c.var.keys(), fullKeyName), ([id, name]) => [name, id]))
  return (
    <Page c={c} title="Usage" lead="Only charged queries. Refused requests are free and are not counted.">
      <section class="card" aria-label="Usage">
        <div class="heading">
          <p class="total">
            <strong>
              {plural(queries, 'query', 'queries')}, <Dollars micros={micros} round={Math.ceil} />
            </strong>{' '}
            <span class="muted">
              in the last {span}
              {change && `, ${change}`}
            </span>
          </p>
          {total > 0 && <Link href={addressOf(c, '/usage.csv', filters)} text="Export CSV" />}
        </div>
        <Search c={c} filters={filters} />
        {total === 0 ? (
          <p class="empty">
            No charged queries in this time.{' '}
            {c.var.keys().length === 0 ? (
              <a href="/">Make the first request</a>
            ) : (
              <a href="/usage?range=90d">Show all of 90 days</a>
            )}
          </p>
        ) : (
          <UsageFigures c={c} title={`${UNITS[unit]} of the last ${span}`} usage={usage} />
        )}
      </section>
      {total > 0 && (
        <div class="grid">
          <Ranks
            title="Endpoints"
            values={totalsBy('endpoint')}
            linkOf={endpoint => <a href={narrow({ endpoint })}>{endpoint}</a>}
            {...{ total, unit }}
          />
          <Ranks
            title="Keys"
            values={totalsBy('key')}
            linkOf={name => <a href={narrow({ key: ids.get(name) })}>{name}</a>}
            {...{ total, unit }}
          />
        </div>
      )}
    </Page>
  )
}

function UsageFigures({ c, title, usage }: { c: PageContext; title: string; usage: UsageSeries }) {
  const { by, starts, series, unit, total } = usage
  const { key, endpoint } = filtersOf(c)
  const text = unit === 'dollars' ? fixedMoney : count
  const sum = { name: <>Total</>, values: series.map(({ total }) => total), total }
  const rows = starts
    .map((start, index) => {
      const values = series.map(({ values }) => values[index] ?? 0)
      const name = <time datetime={iso(start)}>{timeText(start, by)}</time>
      return { name, values, total: sumOf(values) }
    })
    .filter(({ total }) => total > 0)
    .reverse()
  return (
    <>
      <Chart
        label={`${title}; the table has the numbers`}
        usage={usage}
        requests={addressOf(c, '/requests', { key, endpoint })}
      />
      <details>
        <summary>As a table</summary>
        <Table
          caption={title}
          rows={[sum, ...rows]}
          rowClass={row => (row === sum ? 'sum' : undefined)}
          columns={[
            { head: by === 'hour' ? 'Hour' : 'Day', kind: 'name', cell: ({ name }) => name },
            { head: 'Total', kind: 'number', cell: ({ total }) => text(total) },
            ...series.map(({ label }, index) => ({
              head: label,
              kind: 'number' as const,
              cell: ({ values }: typeof sum) => text(values[index] ?? 0),
            })),
          ]}
        />
      </details>
    </>
  )
}

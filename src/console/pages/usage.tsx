import type { Child } from 'hono/jsx'
import { QUERY_PRICE_MICROS } from '../../billing/money.ts'
import { DAY_MS } from '../../platform/time.ts'
import { USAGE_NAMES } from '../../service/endpoints/table.ts'
import { Chart, timeText } from '../layout/chart.tsx'
import { DATES, List, listAddress, onePage, readQuery, Search } from '../layout/list.tsx'
import { Page } from '../layout/page.tsx'
import { Link, Named, Table, unbroken } from '../layout/parts.tsx'
import { csvFile } from '../reports/csv.ts'
import {
  changeText,
  keptDays,
  RANGES,
  SPLITS,
  spikeOf,
  timesUsual,
  type UsageSeries,
  type UsageTableRow,
  usageFile,
  usageSeries,
  usageTable,
} from '../reports/usage-series.ts'
import { type Dashboard, type PageApp, type PageContext, pageContext } from '../session/page-context.ts'
import { sumOf } from '../sums.ts'
import { cents, count, fullKeyName, headline, iso, namesOf, plural, utcDay } from '../words.ts'

const KEYS_SHOWN_MAX = 100

function filtersOf() {
  const c = pageContext()
  const wanted = c.req.query('key')
  const offered = c.var
    .keys()
    .filter(({ lastUsedMs }) => lastUsedMs !== null)
    .sort((a, b) => (b.lastUsedMs ?? 0) - (a.lastUsedMs ?? 0))
    .filter(({ id }, index) => index < KEYS_SHOWN_MAX || id === wanted)
  const endpoints = USAGE_NAMES.map(name => [name, name])
  const days = keptDays(Date.now())
  const [min = '', max = ''] = [days[0], days.at(-1)]
  const isDates = c.req.query('range') === 'dates'
  const dayOf = (name: keyof typeof DATES, usual: string, from = '') => {
    const { label, type } = DATES[name]
    const day = c.req.query(name)?.trim() || usual
    const problem = days.includes(day)
      ? day < from && 'The last day is before the first.'
      : `Usage is kept from ${min} to ${max}. Older days are in the statement.`
    return { ...(isDates && { label, problem }), type, min, max, usual, day }
  }
  const from = dayOf('from', utcDay(Date.now() - 6 * DAY_MS))
  return {
    range: { label: 'Time', options: RANGES, usual: '7d' },
    from,
    to: dayOf('to', max, from.day),
    compare: { label: 'Compare', options: { '': 'Off', before: 'With before' } },
    split: { label: 'Split', options: SPLITS },
    key: { label: 'Key', options: { '': 'All keys', ...Object.fromEntries(namesOf(offered, fullKeyName)) } },
    endpoint: { label: 'Endpoint', options: { '': 'All endpoints', ...Object.fromEntries(endpoints) } },
  }
}

export function addUsagePages(app: PageApp, dashboard: Dashboard): void {
  const { accounts } = dashboard
  const usageOf = (c: PageContext, changed: { split?: keyof typeof SPLITS } = {}, most?: number) =>
    usageSeries(accounts, c.var.account.id, { ...readQuery(filtersOf()), ...changed }, Date.now(), most)

  const isWrong = () => Object.values(filtersOf()).some(filter => 'problem' in filter && filter.problem)

  app.get('/usage', c => {
    if (isWrong()) {
      const search = <Search filters={filtersOf()} />
      return c.html(<Page {...{ title: 'Usage', children: search }} />)
    }
    const seriesBy = (split: keyof typeof SPLITS) => usageOf(c, { split }, Infinity).series
    return c.html(usagePage(usageOf(c), seriesBy('endpoint'), seriesBy('key')))
  })

  app.get('/usage.csv', c => {
    if (isWrong()) return c.redirect(listAddress('/usage', filtersOf()))
    const { range, compare } = readQuery(filtersOf())
    const { columns, rows } = usageFile(usageOf(c, {}, Infinity), compare === 'before')
    return csvFile(c, `usage-${range}`, columns, [rows])
  })
}

type Series = UsageSeries['series']

function usagePage(usage: UsageSeries, byEndpoint: Series, byKey: Series) {
  const c = pageContext()
  const filters = filtersOf()
  const { total, starts } = usage
  const { range, compare } = readQuery(filters)
  const isCompared = compare === 'before'
  const series = usage.series.map(each => ({ ...each, label: nameIn(usage.series, each.label) }))
  const { labels, rows } = usageTable({ ...usage, series }, isCompared)
  const span = /^\d/.test(range)
    ? `in the last ${RANGES[range]}`
    : `from ${utcDay(starts[0])} to ${utcDay(starts[starts.length - 1])}`
  const lost = usage.before === null && isCompared && 'the time before is not kept'
  const change = lost || changeText(usage, c.var.account.createdMs, Date.now())
  const { key, endpoint } = filters
  const errors = listAddress('/requests', { key, endpoint }, { only: 'errors' })
  const narrow = (changed: object) => listAddress('/usage', filters, changed)
  const ids = new Map(Array.from(namesOf(c.var.keys(), fullKeyName), ([id, name]) => [name, id]))
  return (
    <Page title="Usage" lead={['Charged queries. Errors are free: ', <a href={errors}>see them</a>]}>
      <section class="card" aria-label="Usage">
        <div class="heading">
          <p class="total">
            <strong>{plural(total, 'query', 'queries')},</strong>{' '}
            <strong>{headline(total * QUERY_PRICE_MICROS)}</strong>
          </p>
          {total > 0 && <Link href={listAddress('/usage.csv', filters)} text="Export CSV" />}
        </div>
        <p class="muted">
          {unbroken(span)}
          {total > 0 && change && [`: ${change}`, causeOf(usage, byKey, ids, change)]}
        </p>
        <Search filters={filters} />
        {total === 0 ? (
          <p class="empty">
            No charged queries in this time.{' '}
            {c.var.keys().length > 0 ? (
              <a href="/usage?range=90d">Show all of 90 days</a>
            ) : (
              <a href="/">Make the first request</a>
            )}
          </p>
        ) : (
          <>
            <Chart
              title={`Queries ${span}; the table has the numbers`}
              usage={{ ...usage, series }}
              isPriced
              before={isCompared ? usage.before : null}
              requests={listAddress('/requests', { key, endpoint })}
            />
            <details>
              <summary>As a table</summary>
              <Table
                caption={`Queries ${span}`}
                rows={rows.filter(({ values }) => values.some(value => value)).reverse()}
                rowClass={({ startMs }) => (startMs === null ? 'sum' : undefined)}
                columns={[
                  {
                    head: usage.by === 'hour' ? 'Hour' : 'Day',
                    kind: 'name',
                    cell: ({ startMs }) =>
                      startMs === null ? (
                        'Total'
                      ) : (
                        <time datetime={iso(startMs)}>{timeText(startMs, usage.by)}</time>
                      ),
                  },
                  ...labels.map((head, at) => ({
                    head,
                    kind: 'number' as const,
                    cell: ({ values }: UsageTableRow) => (values[at] === null ? '' : count(values[at])),
                  })),
                ]}
              />
            </details>
          </>
        )}
      </section>
      {total > 0 && (
        <>
          <Ranks title="Endpoints" series={byEndpoint} linkOf={endpoint => narrow({ endpoint })} />
          <Ranks title="Keys" series={byKey} linkOf={name => narrow({ key: ids.get(name) })} />
        </>
      )}
    </Page>
  )
}

/** Names the key of most of a spike. The page of that key has the addresses of its use. */
function causeOf(usage: UsageSeries, byKey: Series, ids: ReadonlyMap<string, string>, change: string): Child {
  const spike = spikeOf(usage, Date.now())
  const most = byKey.find(({ values }) => spike && values[spike.at] > usage.sums[spike.at] / 2)
  const id = ids.get(most?.label ?? '')
  if (spike?.text !== change || most === undefined || id === undefined) return null
  const uses = ['. ', <a href={`/keys/${id}#uses`}>See who uses the key</a>]
  if (readQuery(filtersOf()).key !== '') return uses
  const times = timesUsual({ ...usage, sums: most.values }, spike.at, Date.now())
  return [
    ', mostly the key ',
    <a href={listAddress('/usage', filtersOf(), { key: id })}>{nameIn(byKey, most.label)}</a>,
    times < Infinity && `, ${count(Math.round(times))} times its usual ${usage.by}`,
    uses,
  ]
}

/** Leaves out the start of a key whose label no other one has. */
function nameIn(series: Series, label: string): string {
  const name = label.replace(/ \(\S+…\)$/, '')
  return series.filter(each => each.label.startsWith(`${name} (`)).length > 1 ? label : name
}

type RanksProps = { title: string; series: Series; linkOf: (name: string) => string }

/** Series with their shares. The smallest are folded. */
function Ranks({ title, series, linkOf }: RanksProps) {
  const ranked = series.toSorted((a, b) => b.total - a.total)
  const sum = sumOf(ranked.map(({ total }) => total))
  return (
    <List
      title={title}
      found={onePage(ranked.slice(0, KEYS_SHOWN_MAX), ranked.length)}
      noun={[title.slice(0, -1).toLowerCase()]}
      top={USAGE_NAMES.length}
      columns={[
        {
          head: title.slice(0, -1),
          kind: 'name',
          cell: ({ label }) => <Named name={nameIn(series, label)} href={linkOf(label)} />,
        },
        { head: 'Queries', kind: 'number', cell: ({ total }) => count(total) },
        { head: 'Price', kind: 'number', cell: ({ total }) => cents(total * QUERY_PRICE_MICROS) },
        {
          head: 'Share',
          kind: 'number',
          cell: ({ total }) => {
            const percent = (total / sum) * 100
            return percent < 0.05 ? '<0.1%' : `${percent.toFixed(1)}%`
          },
        },
      ]}
    />
  )
}

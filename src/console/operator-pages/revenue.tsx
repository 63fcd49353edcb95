/** The page of the revenue, and its file. */
import type { ServiceUsage } from '../../billing/accounts/reports/service-usage.ts'
import { dollars } from '../../billing/money.ts'
import { List, onePage } from '../layout/list.tsx'
import { Page } from '../layout/page.tsx'
import { type Column, Facts, Named, Pairs, Section, Table } from '../layout/parts.tsx'
import { csvFile, type FileColumns } from '../reports/csv.ts'
import { sumOf } from '../reports/usage-series.ts'
import type { Dashboard, PageApp } from '../session/page-context.ts'
import { aligned, headline, money, utcDay, utcMonth } from '../words.ts'

export function addRevenue(app: PageApp, dashboard: Dashboard): void {
  app.get('/operator/revenue', c => c.html(<Revenue dashboard={dashboard} />))
  app.get('/operator/revenue.csv', async c =>
    csvFile(c, 'revenue', REVENUE_FILE, [monthsOf(await dashboard.accounts.serviceUsage())]),
  )
}

type Span = ReturnType<typeof spanOf>
type Sum = Exclude<keyof ServiceUsage['days'][number], 'startMs'>

function difference(head: string, under: string, from: Sum, less: Sum): Column<Span> {
  return {
    ...{ head, under, kind: 'number' },
    cell: ({ sum }) => aligned(sum(from) - sum(less)),
    below: ({ sum }) => [money(sum(from)), '\u00a0−\u00a0', aligned(sum(less))],
  }
}

const AMOUNTS: Column<Span>[] = [
  { head: 'Time', kind: 'name', cell: ({ name }) => name },
  difference('Received', 'paid − refunded', 'paidMicros', 'returnedMicros'),
  difference('Credited', 'by operators, less refunds', 'creditedMicros', 'recordedMicros'),
  { head: 'Free credit', kind: 'number', cell: ({ sum }) => aligned(sum('freeMicros')) },
  {
    ...{ head: 'Earned', under: 'used, with free queries', kind: 'number' },
    cell: ({ isKnown, sum }) => (isKnown ? aligned(sum('earnedMicros')) : '—'),
    below: ({ isKnown, sum }) => isKnown && aligned(sum('micros')),
  },
  {
    ...{ head: 'Forfeited', under: 'by closing', kind: 'number' },
    cell: ({ sum }) => aligned(sum('forfeitedMicros')),
  },
]

const fileColumn = (of: Sum, isUsage?: true) => (span: Span) =>
  isUsage && !span.isKnown ? '' : dollars(span.sum(of)).toFixed(6)

const REVENUE_FILE: FileColumns<Span> = {
  month: ({ name }) => name,
  paid_usd: fileColumn('paidMicros'),
  refunded_usd: fileColumn('returnedMicros'),
  credited_usd: fileColumn('creditedMicros'),
  credits_refunded_usd: fileColumn('recordedMicros'),
  free_usd: fileColumn('freeMicros'),
  earned_usd: fileColumn('earnedMicros', true),
  used_usd: fileColumn('micros', true),
  forfeited_usd: fileColumn('forfeitedMicros'),
}

async function Revenue({ dashboard }: { dashboard: Dashboard }) {
  const usage = await dashboard.accounts.serviceUsage()
  const { largest, total, present } = usage
  const { balanceMicros, debtMicros, closedDebtMicros } = present
  const months = monthsOf(usage)
  const { sum } = months[months.length - 1]
  const owing = (state: string, micros: number, who: string) =>
    micros > 0 && <a href={`/operator/accounts?state=${state}`}>{`${money(micros)} by ${who} accounts`}</a>
  return (
    <Page
      title="Revenue"
      lead="Payments, credits by operators and the free credit of new accounts become balances. A balance is earned when queries use it, except the free credit, and forfeited when its account is closed."
    >
      <Facts
        facts={[
          ['Received this month', headline(sum('paidMicros') - sum('returnedMicros'))],
          ['Credited this month', headline(sum('creditedMicros') - sum('recordedMicros')), 'by operators'],
          ['Free credit this month', headline(sum('freeMicros')), 'to new accounts'],
          ['Earned this month', headline(sum('earnedMicros')), 'used, without free queries'],
          [
            'Owed to us now',
            headline(debtMicros),
            owing('owing', debtMicros - closedDebtMicros, 'open'),
            owing('closed', closedDebtMicros, 'closed'),
          ],
          ['Balances now', headline(balanceMicros), 'prepaid or free'],
        ]}
      />
      <List
        caption="Revenue by time"
        found={onePage(spansOf(usage))}
        columns={AMOUNTS}
        file="/operator/revenue.csv"
      />
      <Section
        title="Since the start"
        hint="What came in, less what was used and forfeited, is in the balances now."
      >
        <Pairs
          rows={[
            ['Received', money(total.paidMicros - total.returnedMicros)],
            ['Credited', money(total.creditedMicros - total.recordedMicros)],
            ['Free credit', money(total.freeMicros)],
            ['Used, with free queries', money(-total.micros)],
            ['Forfeited', money(-total.forfeitedMicros)],
            ['Balances less debts', <strong>{money(balanceMicros - debtMicros)}</strong>],
          ]}
        />
      </Section>
      {largest.length > 0 && (
        <Table
          caption="Largest accounts of 30 days"
          rows={largest}
          columns={[
            {
              head: 'Largest accounts',
              kind: 'name',
              cell: ({ id, email }) => <Named name={email} href={`/operator/accounts/${id}`} />,
            },
            { head: 'Used in 30 days', kind: 'number', cell: row => aligned(row.micros) },
          ]}
        />
      )}
    </Page>
  )
}

function spansOf(usage: ServiceUsage) {
  const { days, months } = usage
  const [thisMonth, ...earlier] = monthsOf(usage).reverse()
  const today = days[days.length - 1]
  const lastMonth = utcMonth(months[months.length - 2].startMs)
  const end = lastMonth + utcDay(today.startMs).slice(7)
  const sameDays = days.filter(({ startMs }) => utcDay(startMs) >= lastMonth && utcDay(startMs) <= end)
  return [
    spanOf('Today', [today]),
    { ...thisMonth, name: 'This month so far' },
    spanOf('Last month to the same day', sameDays),
    spanOf(`${days.length} days`, days),
    ...earlier,
  ]
}

/** Returns the months from the first one with money. The usage of early ones is not kept by the day. */
function monthsOf({ days, months }: ServiceUsage) {
  const first = months.findIndex(({ startMs: _, ...sums }) => Object.values(sums).some(sum => sum !== 0))
  const shown = first === -1 ? months.slice(-1) : months.slice(first)
  return shown.map(month => spanOf(utcMonth(month.startMs), [month], month.startMs >= days[0].startMs))
}

/** @param isKnown true if all usage of this time is kept */
function spanOf(name: string, some: ServiceUsage['days'], isKnown = true) {
  return { name, isKnown, sum: (of: Sum) => sumOf(some.map(day => day[of])) }
}

/** The page of the revenue, and its file. */
import type { ServiceUsage } from '../../billing/accounts/reports/service-usage.ts'
import { dollars, MICROS_PER_CENT } from '../../billing/money.ts'
import { Chart } from '../layout/chart.tsx'
import { List, onePage } from '../layout/list.tsx'
import { Page } from '../layout/page.tsx'
import { type Column, Facts, Pairs, Section } from '../layout/parts.tsx'
import { csvFile, type FileColumns } from '../reports/csv.ts'
import type { Dashboard, PageApp } from '../session/page-context.ts'
import { sumOf } from '../sums.ts'
import { count, headline, money, utcDay, utcMonth } from '../words.ts'
import { Amount } from './accounts.tsx'

export function addRevenue(app: PageApp, dashboard: Dashboard): void {
  app.get('/operator/revenue', c => c.html(<Revenue dashboard={dashboard} />))
  app.get('/operator/revenue.csv', async c =>
    csvFile(c, 'revenue', REVENUE_FILE, [monthsOf(await dashboard.accounts.serviceUsage())]),
  )
}

type Span = ReturnType<typeof spanOf>
type Sum = Exclude<keyof ServiceUsage['days'][number], 'startMs'>

/** Amounts at a glance. The file has them exactly, each sum with what is subtracted. */
const AMOUNTS: readonly [head: string, under: string, micros: (span: Span) => number | null][] = [
  ['Received', 'less refunds', ({ sum }) => sum('paidMicros') - sum('returnedMicros')],
  ['Earned', 'used, without free queries', ({ isKnown, sum }) => (isKnown ? sum('earnedMicros') : null)],
  [
    'Credited',
    'by operators, less their refunds',
    ({ sum }) => sum('creditedMicros') - sum('recordedMicros'),
  ],
  ['Free credit', 'to new accounts', ({ sum }) => sum('freeMicros')],
  ['Returned', 'card refunds and disputes', ({ sum }) => sum('returnedMicros')],
  ['Forfeited', 'by closing', ({ sum }) => sum('forfeitedMicros')],
]
/** Number of the amounts that have a chart, and of those that have a figure of this month. */
const [CHARTS, FIGURES] = [2, 4]

const shown = (micros: number | null) => (micros === null ? '—' : <Amount micros={micros} />)
const COLUMNS: Column<Span>[] = [
  { head: 'Time', kind: 'name', cell: ({ name }) => name },
  ...AMOUNTS.map(([head, under, micros]): Column<Span> => {
    return { head, under, kind: 'number', cell: span => shown(micros(span)) }
  }),
  { head: 'Sign-ups', under: 'new accounts', kind: 'number', cell: ({ sum }) => count(sum('accounts')) },
]

const fileColumn = (of: Sum, isUsage?: true) => (span: Span) =>
  isUsage && !span.isKnown ? '' : dollars(span.sum(of)).toFixed(6)

const REVENUE_FILE: FileColumns<Span> = {
  month: ({ name }) => name,
  new_accounts: ({ sum }) => sum('accounts'),
  paid_usd: fileColumn('paidMicros'),
  test_usd: fileColumn('testMicros'),
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
  const { total, present, days } = usage
  const { balanceMicros, debtMicros, closedDebtMicros } = present
  const [month, ...earlier] = monthsOf(usage).reverse()
  const spans = [
    spanOf('Today', days.slice(-1)),
    { ...month, name: 'This month so far' },
    spanOf(`${days.length} days`, days),
    ...earlier,
  ]
  const byDay = (head: string, label: string, numberOf: (span: Span) => number) => (
    <Section title={`${head} by day`}>
      <Chart title={`${head} by day`} empty="None so far." usage={seriesOf(usage, label, numberOf)} />
    </Section>
  )
  return (
    <Page
      title="Revenue"
      lead="Payments, credits by operators and the free credit of new accounts become balances. A balance is earned when queries use it, except the free credit, and forfeited when its account is closed."
    >
      <Facts
        facts={[
          ...AMOUNTS.slice(0, FIGURES).map(([head, under, micros]) => {
            const before = earlier.length > 0 && [shown(micros(earlier[0])), ` in ${earlier[0].name}`]
            return [`${head} this month`, shown(micros(month)), under, before] as const
          }),
          [
            'Owed to us now',
            headline(debtMicros),
            debtMicros > closedDebtMicros && (
              <a href="/operator/accounts?state=owing">{`${money(debtMicros - closedDebtMicros)} by open accounts`}</a>
            ),
            closedDebtMicros > 0 && `${money(closedDebtMicros)} by closed accounts`,
          ],
          ['Balances now', headline(balanceMicros), 'prepaid or free'],
        ]}
      />
      {AMOUNTS.slice(0, CHARTS).map(([head, , micros]) =>
        byDay(head, `${head}, US dollars`, span => inDollars(micros(span))),
      )}
      {byDay('Sign-ups', 'New accounts', ({ sum }) => sum('accounts'))}
      <List caption="Revenue by time" found={onePage(spans)} columns={COLUMNS} file="/operator/revenue.csv">
        <p class="hint">
          {`What was earned is known since ${utcDay(days[0].startMs)}: months that began before have “—”. Test payments are not received.`}
        </p>
      </List>
      <Section
        title="Since the start"
        hint="What came in, less what was used and forfeited, is in the balances now."
      >
        <Pairs
          rows={[
            ['Received', money(total.paidMicros - total.returnedMicros)],
            ['Test payments', total.testMicros !== 0 && money(total.testMicros)],
            ['Credited', money(total.creditedMicros - total.recordedMicros)],
            ['Free credit', money(total.freeMicros)],
            ['Used, with free queries', money(-total.micros)],
            ['Forfeited', money(-total.forfeitedMicros)],
            ['Balances less debts', <strong>{money(balanceMicros - debtMicros)}</strong>],
          ]}
        />
      </Section>
    </Page>
  )
}

const inDollars = (micros: number | null) => Math.round((micros ?? 0) / MICROS_PER_CENT) / 100

/** Returns bars by day, and their sum. */
function seriesOf({ days }: ServiceUsage, label: string, numberOf: (span: Span) => number) {
  const starts = days.map(({ startMs }) => startMs)
  const values = days.map(day => numberOf(spanOf('', [day])))
  const total = numberOf(spanOf('', days))
  return { by: 'day', starts, series: [{ label, colour: 0, values, total }] } as const
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

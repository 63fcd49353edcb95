/** The page of the balance: recharge, low-balance warning, and the statement of credits and usage. */
import type { Child } from 'hono/jsx'
import { amountMicros, isPayment } from '../../billing/accounts/reports/refundable.ts'
import type { StatementRow } from '../../billing/accounts/reports/statement.ts'
import type { KeyView } from '../../billing/accounts/views.ts'
import { ExpiringMap } from '../../platform/expiring-map.ts'
import { HOUR_MS } from '../../platform/time.ts'
import { addForm, FieldsForm } from '../layout/form.tsx'
import { DATES, type Filters, List, pageOf, queryOf } from '../layout/list.tsx'
import { Banner, Page } from '../layout/page.tsx'
import { Facts, Pairs, Section, Time } from '../layout/parts.tsx'
import { THRESHOLD } from '../operator/operator-account-commands.ts'
import { AutoSection } from '../payments/auto-pages.tsx'
import { PAYMENT_RETURN_MS_MAX, payingSinceMs } from '../payments/checkout.ts'
import { type Recharge, RechargeSection } from '../payments/recharge.tsx'
import { csvFile } from '../reports/csv.ts'
import { figuresOf } from '../reports/figures.ts'
import { spendOf } from '../reports/spend.ts'
import {
  entryText,
  monthLine,
  STATEMENT_FILE,
  type StatementLine,
  statementEntry,
  statementLines,
  statementSums,
} from '../reports/statement.ts'
import { sumOf } from '../reports/usage-series.ts'
import type { Dashboard, PageApp, PageContext } from '../session/page-context.ts'
import { aligned, money, namesOf, plural, quotedName, utcDay, utcMinute } from '../words.ts'
import { Ending, figure } from './overview.tsx'

const FIELDS = { usd: THRESHOLD }

/** Time from the start of a payment in which its page is loaded again until the payment is confirmed. */
const CONFIRMING_MS_MAX = HOUR_MS
/** Maximum number of remembered thanks. */
const THANKED_MAX = 10_000

/** Names of entries, and details of those without a reference or a note of their own. */
const ENTRY_TEXTS: Record<StatementLine['kind'], readonly [name: string, detail?: string]> = {
  free: ['Free credit', 'for a new account'],
  operator: ['Credit'],
  payment: ['Payment'],
  test: ['Test payment'],
  refund: ['Refund', 'to the card or account that paid'],
  dispute: ['Dispute', 'the payment was charged back'],
  closed: ['Account closed', 'the rest is forfeited'],
  usage: ['Usage'],
  'earlier usage': ['Earlier usage'],
  month: ['Month'],
}

export function addBalancePages(app: PageApp, dashboard: Dashboard, recharge: Recharge): void {
  const { accounts } = dashboard
  /** Returns of payers that were thanked: a browser may open its address again. */
  const thanked = new ExpiringMap<true>(THANKED_MAX)

  app.get('/balance', c => {
    const { account, session } = c.var
    const { paid: back = '' } = c.req.query()
    const sinceMs = payingSinceMs(dashboard, account, back)
    const paid = accounts.statement(account.id).findLast(isPayment)
    if (sinceMs !== null && paid !== undefined && paid.timeMs >= sinceMs) {
      const notice = `Thank you. ${money(amountMicros(paid))} was credited at ${utcMinute(paid.timeMs)} UTC.`
      if (!thanked.get(back)) session.keep({ notice })
      thanked.set(back, true, PAYMENT_RETURN_MS_MAX)
      return c.redirect('/balance', 303)
    }
    const { attempt } = recharge.auto?.planOf(account.id) ?? {}
    const beganMs = Math.max(sinceMs ?? 0, attempt?.startedMs ?? 0)
    if (Date.now() < beganMs + CONFIRMING_MS_MAX) c.header('Refresh', '3')
    c.set('isPaying', sinceMs !== null)
    return c.html(balancePage(c, dashboard, recharge, paid))
  })

  addForm(app, '/balance/threshold', '/balance', FIELDS, async (c, { usd }) => {
    await accounts.setLowBalance(c.var.account.id, usd)
    return usd === null ? 'Low-balance warnings are off.' : `You will be warned below ${money(usd)}.`
  })

  recharge.addRoutes(app)
}

type Rows = readonly StatementRow[]

const WHAT = { all: 'All', money: 'Without usage' }

function balancePage(c: PageContext, dashboard: Dashboard, recharge: Recharge, paid?: StatementRow) {
  const { accounts, alerts } = dashboard
  const { account } = c.var
  const { returned } = c.req.query()
  const spend = spendOf(accounts, account, Date.now())
  const figures = figuresOf(dashboard, account, Date.now(), spend)
  return (
    <Page title="Balance">
      <Ending figures={figures} />
      {returned === 'no' && <p class="empty">Nothing was paid or saved.</p>}
      {returned === 'saved' && <Banner kind="notice" text="The card is saved, usually within seconds." />}
      <Facts
        facts={[
          figure(figures, 'Balance', 'balance', 'exactBalance', 'lasts'),
          figure(figures, 'Spent today', 'todaySpent', 'exactTodaySpent'),
          figure(figures, 'Spent this month', 'monthSpent', 'exactMonthSpent', 'forecast'),
        ]}
      />
      <div class="grid">
        <RechargeSection spend={spend} kind={recharge.kind} paid={paid} />
        <Section
          title="Low balance"
          id="threshold"
          hint={
            <>
              Below this amount, every page shows a warning. To get it by {alerts.canEmail && 'email or '}
              webhook, see <a href="/alerts">Alerts</a>.
            </>
          }
        >
          <FieldsForm
            action="/balance/threshold"
            fields={FIELDS}
            values={{ usd: account.lowBalanceMicros }}
            button="Save"
          />
        </Section>
      </div>
      {recharge.auto !== undefined && <AutoSection plan={recharge.auto.planOf(account.id)} />}
    </Page>
  )
}

export function isWithin(day: string): boolean {
  const { from, to } = queryOf(DATES)
  return day >= from && (to === '' || day <= to)
}

export function statementFile(c: PageContext, rows: Rows) {
  const found = rows.filter(({ timeMs }) => isWithin(utcDay(timeMs))).map(statementEntry)
  return csvFile(c, 'statement', STATEMENT_FILE, [found])
}

interface StatementProps {
  rows: Rows
  keys: readonly KeyView[]
  file: string
  /** Returns a link to the receipt of an entry or of the payment that it returns, or to its refund. */
  link: (row: StatementRow) => Child
  what?: 'all' | 'money'
}

export function Statement({ rows, keys, file, link, what: usual = 'all' }: StatementProps) {
  const names = namesOf(keys, quotedName)
  const filters = { what: { label: 'What', options: WHAT, usual }, ...DATES } satisfies Filters
  const { what, page, from, to } = queryOf(filters)
  const lines = statementLines(rows)
  const within = lines.filter(({ day }) => isWithin(day))
  const wanted = within.filter(({ rows: [row] }) => what === 'all' || row?.key === null)
  const found = pageOf(wanted.reverse(), page)
  const monthOf = (line?: StatementLine) => line?.day.slice(0, 7) ?? ''
  const shown = found.rows.flatMap((line, at) => {
    const isSameMonth = monthOf(line) === monthOf(found.rows[at - 1])
    return isSameMonth ? line : [monthLine(within, monthOf(line)), line]
  })
  const sums = statementSums(lines, from, to)
  return (
    <>
      {from + to !== '' && (
        <Facts facts={Object.entries(sums).map(([name, micros]) => [name, money(micros)])} />
      )}
      <List
        title={usual === 'money' ? 'Statement' : undefined}
        caption="Statement"
        class="entries"
        found={{ ...found, rows: shown }}
        rowClass={({ kind }) => (kind === 'month' ? 'sum' : undefined)}
        noun={['line']}
        filters={rows.length === 0 ? undefined : filters}
        file={file}
        empty="Nothing has been credited or spent yet."
        columns={[
          // Usage is only known by the day.
          {
            head: 'Date',
            cell: ({ day, rows: [row] }) => (row?.key === null ? <Time ms={row.timeMs} /> : day),
          },
          { head: 'What', cell: ({ kind }) => ENTRY_TEXTS[kind][0] },
          { head: 'Detail', kind: 'detail', cell: line => detailOf(line, names, link) },
          {
            head: 'Amount',
            kind: 'number',
            cell: ({ micros }) => [micros > 0 && '+', aligned(micros)],
          },
          {
            ...{ head: 'Balance', under: 'end of day', kind: 'number' },
            cell: ({ balanceMicros, isClosing }) => isClosing && aligned(balanceMicros),
          },
        ]}
      ></List>
    </>
  )
}

function detailOf(line: StatementLine, names: ReadonlyMap<string, string>, link: StatementProps['link']) {
  const { kind, rows, sums } = line
  const [first] = rows
  if (first === undefined)
    return sums?.map(([name, micros], at) => [
      at > 0 && ' · ',
      <span class="number">{`${name} ${money(micros)}`}</span>,
    ])
  const linked = link(first)
  if (first.key === null) return [entryText(first) || (linked ? '' : ENTRY_TEXTS[kind][1]), ' ', linked]
  const nameOf = ({ key }: StatementRow) => names.get(key ?? '') ?? key
  const queriesOf = (queries: number) => plural(queries, 'query', 'queries')
  const soFar = line.day === utcDay(Date.now()) ? ' so far' : ''
  const queries = queriesOf(sumOf(rows.map(({ queries }) => queries))) + soFar
  if (rows.length === 1) return `${queries} with ${nameOf(first)}`
  const largest = rows.toSorted((a, b) => b.queries - a.queries)
  return (
    <details>
      <summary>
        {queries} with {plural(rows.length, 'key')}
      </summary>
      <Pairs rows={largest.map(row => [nameOf(row), `${queriesOf(row.queries)}, ${money(-row.micros)}`])} />
    </details>
  )
}

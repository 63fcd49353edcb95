/** The page of the balance: recharge, low-balance warning, and the statement of credits and usage. */
import type { KeyView, StatementRow } from '../../billing/accounts/views.ts'
import type { Dashboard, PageApp, PageContext } from '../dashboard.ts'
import { addForm, FieldsForm } from '../layout/form.tsx'
import { List, pageOf, queryOf } from '../layout/list.tsx'
import { Page } from '../layout/page.tsx'
import { Pairs, Section } from '../layout/parts.tsx'
import { THRESHOLD } from '../operator/operator-account-commands.ts'
import { AutoSection } from '../payments/auto-pages.tsx'
import { isOwnPayment } from '../payments/checkout.ts'
import { type Recharge, RechargeSection } from '../payments/recharge.tsx'
import { csvFile } from '../reports/csv.ts'
import { type Figures, figuresOf, spendOf } from '../reports/figures.ts'
import {
  entryText,
  STATEMENT_FILE,
  type StatementLine,
  statementEntry,
  statementLines,
} from '../reports/statement.ts'
import { sumOf } from '../reports/usage-series.ts'
import { fixedMoney, money, namesOf, plural, utcMonth } from '../words.ts'
import { Figure } from './overview.tsx'
import { isReceipt } from './receipts.tsx'

const FIELDS = { usd: THRESHOLD }

const ENTRY_TEXTS: Record<StatementRow['kind'], string> = {
  free: 'Free credit',
  operator: 'Credit',
  payment: 'Payment',
  test: 'Test payment',
  refund: 'Refund',
  dispute: 'Dispute',
  closed: 'Account closed',
  usage: 'Usage',
  'earlier usage': 'Earlier usage',
}

export function addBalancePages(app: PageApp, dashboard: Dashboard, recharge: Recharge): void {
  const { accounts } = dashboard

  app.get('/balance', c => {
    const { id } = c.var.account
    if (isOwnPayment(dashboard, c.var.account, c.req.query('paid'))) {
      c.var.session.keep({
        notice: 'Thank you. The payment appears here when it is confirmed, usually within seconds.',
      })
    }
    return c.html(balancePage(c, dashboard, figuresOf(dashboard, id, Date.now()), recharge))
  })

  app.get('/statement.csv', c => statementFile(c, accounts.statement(c.var.account.id)))

  addForm(app, '/balance/threshold', '/balance', FIELDS, async (c, { usd }) => {
    await accounts.setLowBalance(c.var.account.id, usd)
    return usd === null ? 'Low-balance warnings are off.' : `You will be warned below ${money(usd)}.`
  })

  recharge.addRoutes(app)
}

type Rows = readonly StatementRow[]

function balancePage(c: PageContext, { accounts }: Dashboard, figures: Figures, recharge: Recharge) {
  const { account } = c.var
  const statement = accounts.statement(account.id)
  const { perDayMicros } = spendOf(accounts, account, Date.now())
  return (
    <Page c={c} title="Balance">
      <dl class="facts">
        <Figure figures={figures} name="Balance" of="balance" hint="freeLeft" />
        <Figure figures={figures} name="Spent today" of="todaySpent" />
        <Figure figures={figures} name="Spent this month" of="monthSpent" />
      </dl>
      <RechargeSection c={c} kind={recharge.kind} perDayMicros={perDayMicros} />
      {recharge.auto !== undefined && <AutoSection c={c} plan={recharge.auto.planOf(account.id)} />}
      <Section
        title="Low balance"
        id="threshold"
        hint={
          <>
            Below this amount, every page shows a warning. To get it by email or webhook, see{' '}
            <a href="/alerts">Alerts</a>.
          </>
        }
      >
        <FieldsForm
          c={c}
          action="/balance/threshold"
          fields={FIELDS}
          values={{ usd: account.lowBalanceMicros }}
          button="Save"
        />
      </Section>
      <Statement c={c} rows={statement} keys={c.var.keys()} file="/statement.csv" isOwn />
    </Page>
  )
}

function monthsOf(rows: readonly StatementRow[]) {
  const months = new Set(rows.map(({ timeMs }) => utcMonth(timeMs)).reverse())
  const options = Object.fromEntries([...months].map(month => [month, month]))
  return { month: { label: 'Month', options: { '': 'All', ...options } } }
}

export function statementFile(c: PageContext, rows: Rows) {
  const { month } = queryOf(c, monthsOf(rows))
  const found = rows.map(statementEntry).filter(({ time }) => time.startsWith(month))
  return csvFile(c, `statement${month && `-${month}`}`, STATEMENT_FILE, [found])
}

interface StatementProps {
  c: PageContext
  rows: Rows
  keys: readonly KeyView[]
  file: string
  /** True on the customer's page, which has links to receipts. */
  isOwn?: boolean
}

export function Statement({ c, rows, keys, file, isOwn = false }: StatementProps) {
  const names = namesOf(keys)
  const filters = monthsOf(rows)
  const { month, page } = queryOf(c, filters)
  const lines = statementLines(rows).filter(({ day }) => day.startsWith(month))
  return (
    <List
      c={c}
      title="Statement"
      found={pageOf(lines.reverse(), page, 100)}
      noun={['line']}
      filters={rows.length === 0 ? undefined : filters}
      file={file}
      empty="Nothing has been credited or spent yet."
      columns={[
        { head: 'Date', cell: ({ day }) => day },
        { head: 'What', cell: ({ kind }) => ENTRY_TEXTS[kind] },
        { head: 'Detail', kind: 'detail', cell: line => detailOf(line, names, isOwn) },
        { head: 'Amount', kind: 'number', cell: ({ micros }) => [micros > 0 && '+', fixedMoney(micros)] },
        { head: 'Balance', kind: 'number', cell: ({ balanceMicros }) => fixedMoney(balanceMicros) },
      ]}
    />
  )
}

function detailOf({ kind, rows }: StatementLine, names: ReadonlyMap<string, string>, isOwn: boolean) {
  const [first] = rows
  if (kind === 'free') return 'for a new account'
  if (first === undefined) return null
  const receipt = isOwn && isReceipt(first) && <a href={`/receipts/${first.sequence}`}>Receipt</a>
  if (first.key === null) return [entryText(first), ' ', receipt]
  const nameOf = ({ key }: StatementRow) => names.get(key ?? '') ?? key
  const queriesOf = (queries: number) => plural(queries, 'query', 'queries')
  const queries = queriesOf(sumOf(rows.map(({ queries }) => queries)))
  if (rows.length === 1) return `${queries} with ${nameOf(first)}`
  const largest = rows.toSorted((a, b) => b.queries - a.queries)
  return (
    <details>
      <summary>
        {queries} with {plural(rows.length, 'key')}
      </summary>
      <Pairs
        class="pairs small"
        rows={largest.map(row => [nameOf(row), `${queriesOf(row.queries)}, ${money(-row.micros)}`])}
      />
    </details>
  )
}

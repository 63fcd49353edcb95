import { Chart } from '../layout/chart.tsx'
import { Banner, Page } from '../layout/page.tsx'
import { Copyable, Facts, Form, Link, Section } from '../layout/parts.tsx'
import type { Recharge } from '../payments/recharge.tsx'
import { countedText, refusalRows } from '../reports/activity.ts'
import { type Figures, figuresOf } from '../reports/figures.ts'
import { isOfMoney } from '../reports/refundable.ts'
import { spendOf } from '../reports/spend.ts'
import { usageSeries, WEEK } from '../reports/usage-series.ts'
import { apiAddress, CopyKey, curlLine } from '../sections/fresh-key.tsx'
import { ReasonList } from '../sections/request-lists.tsx'
import { takeFreshKey } from '../session/fresh-key.ts'
import { type Dashboard, type PageApp, type PageContext, pageContext } from '../session/page-context.ts'
import { FREE_QUERIES } from '../words.ts'

const FIRST = { from: 'overview', label: 'first' }

export function addOverview(app: PageApp, dashboard: Dashboard, recharge: Recharge): void {
  app.get('/', c => {
    // The role `billing` may not open this page.
    if (c.var.role === 'billing') return c.redirect('/balance')
    const isNew = c.var.account.spentMicros === 0 && c.var.account.standing === null
    if (isNew || c.req.query('steps') !== undefined) return c.html(<FirstSteps dashboard={dashboard} />)
    return c.html(overviewPage(c, dashboard, recharge))
  })

  // The page updates figures from here. `data-live` in the page names the fields.
  // Compressing this small answer would cost most of its time.
  app.get('/live.json', c =>
    c.json(figuresOf(dashboard, c.var.account, Date.now()), 200, {
      'Cache-Control': 'no-store, no-transform',
    }),
  )
}

type Figure = keyof Figures

/** Returns a figure and its hints, which a script keeps up to date. A hint that repeats it is left out. */
export function figure(figures: Figures, name: string, of: Figure, ...hints: Figure[]) {
  const live = (of: Figure) => <span data-live={of}>{figures[of]}</span>
  return [name, live(of), ...hints.filter(hint => figures[hint] !== figures[of]).map(live)] as const
}

function overviewPage(c: PageContext, dashboard: Dashboard, { auto }: Recharge) {
  const { accounts, alerts, dataPlane } = dashboard
  const { account } = c.var
  const nowMs = Date.now()
  const usage = usageSeries(accounts, account.id, { ...WEEK, range: '48h' }, nowMs)
  const spend = spendOf(accounts, account, nowMs)
  const figures = figuresOf(dashboard, account, nowMs, spend)
  const counts = refusalRows(dashboard, account.id)
  // A threshold is a warning of the customer's choice, and an automatic recharge needs none.
  const isEnding = spend.isEnding && account.lowBalanceMicros === null && !auto?.planOf(account.id).isOn
  const lasts = spend.daysLeft === null ? `pays for ${figures.queriesLeft}` : figures.lasts
  const ending = isEnding && figures.emptyConcern === '' ? `Your balance ${lasts}.` : ''
  return (
    <Page title="Overview">
      <Banner text={ending} kind="caution" remedy={['/balance', 'Recharge or set a warning']} />
      <Banner text={alerts.failure(account.id)} kind="caution" remedy={['/alerts', 'Send a test']} />
      <Facts
        facts={[
          figure(figures, 'Balance', 'balance', ...(isEnding ? [] : (['lasts'] as const))),
          figure(figures, 'Queries today', 'todayQueries', 'todaySpent'),
          figure(figures, 'Queries in seven days', 'weekQueries', 'weekChange'),
          figure(figures, 'Spent this month', 'monthSpent', 'forecast'),
        ]}
      />
      {counts.length > 0 && <ReasonList {...{ account, counts }} period={countedText(dataPlane, nowMs)} />}
      <Section title="Queries of the last two days">
        <Chart
          title="Queries by hour"
          empty="No charged queries in the last two days."
          usage={usage}
          isPriced
          requests="/requests"
        />
        <p class="actions">
          <a href="/usage">All usage, with tables</a>
          <a href="/?steps">First steps again</a>
        </p>
      </Section>
    </Page>
  )
}

function FirstSteps({ dashboard }: { dashboard: Dashboard }) {
  const c = pageContext()
  const { account } = c.var
  const figures = figuresOf(dashboard, account, Date.now())
  const tick = (of: Figure) => (
    <span class="tick tag good" data-live={of}>
      {figures[of]}
    </span>
  )
  const api = apiAddress(dashboard)
  const counts = refusalRows(dashboard, account.id)
  const fresh = takeFreshKey(c)
  const hasKey = c.var.account.activeKeys > 0
  const hasPaid = dashboard.accounts.statement(account.id).some(isOfMoney)
  return (
    <Page
      title="Overview"
      lead={`Three steps to your first answer.${hasPaid ? '' : ` The first ${FREE_QUERIES} queries are free.`}`}
    >
      <Section title="First steps">
        <ol class="steps">
          <li>
            <h3>Create an API key {tick('stepKey')}</h3>
            {fresh !== undefined && <CopyKey secret={fresh.key} />}
            {!hasKey && <Form action="/keys" hidden={FIRST} button="Create New Key" kind="primary" />}
            {hasKey && fresh === undefined && (
              <p class="muted">
                The key was shown when it was created. Lost it? <a href="/keys">Create another</a>
              </p>
            )}
          </li>
          <li>
            <h3>Ask for a postal code {tick('stepAnswer')}</h3>
            <p>
              In a terminal{fresh === undefined ? ', with your key instead of <API_KEY>' : ''}, or in the{' '}
              <a href="/docs#lookup">API reference</a>:
            </p>
            <Copyable label="Copy the command" text={curlLine(api, fresh?.key ?? '<API_KEY>')} />
          </li>
          <li>
            <h3>See the first answer {tick('stepAnswer')}</h3>
            <p class="muted" data-live="firstAnswer">
              {figures.firstAnswer}
            </p>
          </li>
        </ol>
        <Link kind="primary onward" href="/" text="Go to your figures" />
      </Section>
      {counts.length > 0 && <ReasonList {...{ account, counts }} />}
      <Facts facts={[figure(figures, 'Balance', 'queriesLeft', 'exactBalance')]} />
    </Page>
  )
}

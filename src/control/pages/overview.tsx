/** The first page: what a new account does first; later its balance, its use, and how long the balance lasts. */
import { address } from '../../platform/address.ts'
import { Page } from '../layout/page.tsx'
import { Chart, Fact, Section } from '../layout/parts.tsx'
import { type Figures, figuresOf } from '../reports/figures.ts'
import { mayOpen } from '../shell/access.ts'
import type { Dashboard, PageApp, PageContext } from '../shell/dashboard.ts'
import { FirstSteps } from './first-steps.tsx'

export function addOverview(app: PageApp, dashboard: Dashboard): void {
  const { accounts } = dashboard
  const figures = (c: PageContext) => figuresOf(accounts, c.var.account.id, Date.now())

  app.get('/', c => {
    // What they may not open would be all of this page.
    if (c.var.role === 'billing') return c.redirect('/balance')
    const isNew = c.var.account.spentMicros === 0
    const curlOf = (key: string) => curlLine(apiAddress(dashboard), key)
    return c.html(
      isNew ? (
        <FirstSteps c={c} figures={figures(c)} curlOf={curlOf} />
      ) : (
        <Overview c={c} figures={figures(c)} />
      ),
    )
  })

  /** The figures that the page updates by itself; `data-live` in the page names the fields. */
  app.get('/live.json', c => c.json(figures(c)))
}

function Overview({ c, figures }: { c: PageContext; figures: Figures }) {
  return (
    <Page c={c} title="Overview" scripts={['live.js', 'uplot.js', 'charts.js']}>
      <dl class="facts">
        <Fact
          name="Balance"
          live="balance"
          exact={['balanceExact', figures.balanceExact]}
          hint={
            <>
              <span data-live="queriesLeft">{figures.queriesLeft}</span>{' '}
              {mayOpen(c, '/balance') && <a href="/balance#recharge">Recharge</a>}
            </>
          }
        >
          {figures.balance}
        </Fact>
        <Fact
          name="Queries today"
          live="todayQueries"
          hint={
            <span title={figures.todaySpentExact} data-live-title="todaySpentExact" data-live="todaySpent">
              {figures.todaySpent}
            </span>
          }
        >
          {figures.todayQueries}
        </Fact>
        <Fact
          name="Spent this month"
          live="monthSpent"
          exact={['monthSpentExact', figures.monthSpentExact]}
          hint={<span data-live="freeLeft">{figures.freeLeft}</span>}
        >
          {figures.monthSpent}
        </Fact>
        <Fact name="Lasts for" live="daysLeft" hint="at the pace of the last seven days">
          {figures.daysLeft}
        </Fact>
      </dl>
      <Section title="Queries of the last two days">
        <Chart source="/usage.json?range=48h" label="Queries by hour" />
        <p class="aside">
          <a href="/usage">All usage, with tables</a>
        </p>
      </Section>
    </Page>
  )
}

/** The address of the API for programs, as far as this process knows. */
export function apiAddress({ config, dataPlane }: Dashboard): string {
  return config.apiUrl ?? address(config.host, dataPlane.port)
}

/** A request that can be pasted into a shell. */
export function curlLine(api: string, key: string): string {
  const body = JSON.stringify({ zipcode: '90210', apiKey: key })
  return `curl ${api}/api/lookup -H 'Content-Type: application/json' -d '${body}'`
}

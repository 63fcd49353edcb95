/** The first page: balance, use, how long the balance lasts, what to do next. */
import { address } from '../../platform/address.ts'
import { Page } from '../layout/page.tsx'
import { Copyable, Fact, Section } from '../layout/parts.tsx'
import { plural } from '../layout/words.ts'
import { figuresOf } from '../reports/figures.ts'
import type { Dashboard, PageApp, PageContext } from '../shell/dashboard.ts'

export function addOverview(app: PageApp, dashboard: Dashboard): void {
  app.get('/', c => c.html(<Overview c={c} dashboard={dashboard} />))

  /** The figures that the page updates by itself; `data-live` in the page names the fields. */
  app.get('/live.json', c => {
    return c.json(figuresOf(dashboard.accounts, c.var.account.id, Date.now()))
  })
}

function Overview({ c, dashboard }: { c: PageContext; dashboard: Dashboard }) {
  const { account } = c.var
  const figures = figuresOf(dashboard.accounts, account.id, Date.now())
  return (
    <Page c={c} title="Overview" scripts={['live.js', 'copy.js', 'uplot.js', 'charts.js']}>
      <dl class="facts">
        <Fact name="Balance" live="balance" hint={<span data-live="queriesLeft">{figures.queriesLeft}</span>}>
          {figures.balance}
        </Fact>
        <Fact
          name="Queries today"
          live="todayQueries"
          hint={<span data-live="todaySpent">{figures.todaySpent}</span>}
        >
          {figures.todayQueries}
        </Fact>
        <Fact
          name="Spent this month"
          live="monthSpent"
          hint={<span data-live="freeLeft">{figures.freeLeft}</span>}
        >
          {figures.monthSpent}
        </Fact>
        <Fact name="Lasts for" live="daysLeft" hint="at the pace of the last seven days">
          {figures.daysLeft}
        </Fact>
      </dl>
      <Section title="Queries of the last two days">
        <div
          class="chart"
          data-chart="/usage.json?by=hour&split=class"
          role="img"
          aria-label="Queries by hour"
        />
        <noscript>
          <p class="empty">Charts need scripts. The page of all usage has the same numbers as tables.</p>
        </noscript>
        <p class="aside">
          <a href="/usage">All usage, with tables</a>
        </p>
      </Section>
      <Section title="First steps" hint={`You have ${plural(account.activeKeys, 'active key')}.`}>
        {account.activeKeys === 0 ? (
          <a class="button primary" href="/keys">
            Create an API key
          </a>
        ) : (
          <Copyable wide label="Copy the example" text={curlLine(apiAddress(dashboard), '<your key>')} />
        )}
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

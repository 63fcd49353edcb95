/** The first page: balance, use, how long the balance lasts, what to do next. */
import { QUERY_PRICE_MICROS } from '../../limits.ts'
import { address } from '../../platform/address.ts'
import { Page } from '../layout/page.tsx'
import { Copyable, Fact, Section } from '../layout/parts.tsx'
import { count, money, plural } from '../layout/words.ts'
import { freeLeftMicros, spendOf } from '../reports/usage.ts'
import type { Dashboard, PageApp, PageContext } from '../shell/dashboard.ts'

export function addOverview(app: PageApp, dashboard: Dashboard): void {
  app.get('/', c => c.html(<Overview c={c} dashboard={dashboard} />))

  /** The figures that the page updates by itself; `data-live` in the page names the fields. */
  app.get('/live.json', c => {
    const { accounts } = dashboard
    const { account } = c.var
    const spend = spendOf(accounts, account, Date.now())
    const use = accounts.presentUse(account.id)
    return c.json({
      balance: money(account.availableMicros),
      todayQueries: count(spend.todayQueries),
      todaySpent: money(spend.todayMicros),
      monthSpent: money(spend.monthMicros),
      perMinute: count(use.minute),
      perHour: count(use.hour),
      perDay: count(use.day),
    })
  })
}

function Overview({ c, dashboard }: { c: PageContext; dashboard: Dashboard }) {
  const { accounts } = dashboard
  const { account } = c.var
  const spend = spendOf(accounts, account, Date.now())
  const free = freeLeftMicros(accounts, account)
  const low = account.lowBalanceMicros !== null && account.balanceMicros < account.lowBalanceMicros
  return (
    <Page c={c} title="Overview" scripts={['live.js', 'copy.js', 'uplot.js', 'charts.js']}>
      {low && (
        <p class="problem" role="status">
          Your balance is below {money(account.lowBalanceMicros ?? 0)}. <a href="/balance">Add money</a>
        </p>
      )}
      <dl class="facts">
        <Fact
          name="Balance"
          live="balance"
          hint={`${count(Math.floor(account.balanceMicros / QUERY_PRICE_MICROS))} queries`}
        >
          {money(account.availableMicros)}
        </Fact>
        <Fact
          name="Queries today"
          live="todayQueries"
          hint={<span data-live="todaySpent">{money(spend.todayMicros)}</span>}
        >
          {count(spend.todayQueries)}
        </Fact>
        <Fact
          name="Spent this month"
          live="monthSpent"
          hint={free > 0 ? `${money(free)} of free credit left` : 'free credit used up'}
        >
          {money(spend.monthMicros)}
        </Fact>
        <Fact name="Lasts for" hint="at the pace of the last seven days">
          {daysLeft(spend.daysLeft)}
        </Fact>
      </dl>
      <Section title="Queries of the last two days">
        <div
          class="chart"
          data-chart="/usage.json?by=hour&split=class"
          role="img"
          aria-label="Queries by hour"
        />
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

function daysLeft(days: number | null): string {
  if (days === null) return '—'
  if (days < 1) return 'less than a day'
  return days > 730 ? 'over two years' : plural(Math.floor(days), 'day')
}

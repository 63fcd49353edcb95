/** The first page: first steps for a new account; later its balance, its use, and how long the balance lasts. */
import type { Endpoint } from '../../endpoints/endpoint.ts'
import { CHARGED, ENDPOINTS } from '../../endpoints/table.ts'
import { address } from '../../platform/address.ts'
import { Chart } from '../layout/chart.tsx'
import { Page } from '../layout/page.tsx'
import { Button, Copyable, Fact, Form, Link, Section } from '../layout/parts.tsx'
import { type Figures, figuresOf } from '../reports/figures.ts'
import { type UsageSeries, usageSeries, WEEK } from '../reports/usage-series.ts'
import { mayOpen } from '../session/access.ts'
import type { Dashboard, PageApp, PageContext } from '../dashboard.ts'
import { takeFreshKey } from '../session/once-only.ts'
import { FREE_QUERIES } from '../words.ts'

export function addOverview(app: PageApp, dashboard: Dashboard): void {
  const { accounts } = dashboard
  const figures = (c: PageContext) => figuresOf(dashboard, c.var.account.id, Date.now())

  app.get('/', c => {
    // They may open nothing of this page.
    if (c.var.role === 'billing') return c.redirect('/balance')
    const isNew = c.var.account.spentMicros === 0
    const page = { c, figures: figures(c) }
    if (isNew) return c.html(<FirstSteps {...page} api={apiAddress(dashboard)} />)
    const usage = usageSeries(accounts, c.var.account.id, { ...WEEK, range: '48h' }, Date.now())
    return c.html(<Overview {...page} usage={usage} />)
  })

  // The figures that the page updates by itself; `data-live` in the page names the fields.
  app.get('/live.json', c => c.json(figures(c)))
}

export function BalanceFact({ figures, hint }: { figures: Figures; hint: 'queriesLeft' | 'freeLeft' }) {
  return (
    <Fact
      name="Balance"
      live="balance"
      exact={['balanceExact', figures.balanceExact]}
      hint={<span data-live={hint}>{figures[hint]}</span>}
    >
      {figures.balance}
    </Fact>
  )
}

function Overview({ c, figures, usage }: { c: PageContext; figures: Figures; usage: UsageSeries }) {
  return (
    <Page c={c} title="Overview" scripts={['live.js']}>
      <dl class="facts">
        <BalanceFact figures={figures} hint="queriesLeft" />
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
        <Fact name="Refused" live="refused" hint={<a href="/requests?only=errors">in the last two days</a>}>
          {figures.refused}
        </Fact>
      </dl>
      <Section title="Queries of the last two days">
        <Chart label="Queries by hour" usage={usage} />
        <p class="actions">
          <a href="/usage">All usage, with tables</a>
          {mayOpen(c, '/balance') && <a href="/balance#recharge">Recharge</a>}
        </p>
      </Section>
    </Page>
  )
}

/** Three steps, each ticked while the page is open as soon as it is done. */
function FirstSteps({ c, figures, api }: { c: PageContext; figures: Figures; api: string }) {
  const fresh = takeFreshKey(c)
  const hasKey = c.var.account.activeKeys > 0
  return (
    <Page
      c={c}
      title="Overview"
      lead={`Three steps to your first answer. The first ${FREE_QUERIES} queries are free.`}
      scripts={['live.js', 'copy.js']}
    >
      <Section title="First steps">
        <ol class="steps">
          <li>
            <h3>
              Create an API key <Tick figures={figures} name="stepKey" />
            </h3>
            {fresh !== undefined && (
              <>
                <p>
                  Copy it now. <strong>It is not shown again.</strong>
                </p>
                <Copyable wide text={fresh.key} label="Copy the key" />
              </>
            )}
            {!hasKey && (
              <Form c={c} action="/keys" hidden={{ from: 'overview', label: 'first' }}>
                <Button kind="primary" text="Create New Key" />
              </Form>
            )}
            {hasKey && fresh === undefined && (
              <p class="muted">
                The key itself was shown when it was made. Lost it? <a href="/keys">Create another</a>
              </p>
            )}
          </li>
          <li>
            <h3>
              Ask for a postal code <Tick figures={figures} name="stepAnswer" />
            </h3>
            <p>
              In a terminal{fresh === undefined ? ', with your key in place of <your key>' : ''}, or in the{' '}
              <a href="/docs#lookup">API reference</a>:
            </p>
            <Copyable wide label="Copy the command" text={curlLine(api, fresh?.key ?? '<your key>')} />
          </li>
          <li>
            <h3>
              See the first answer <Tick figures={figures} name="stepAnswer" />
            </h3>
            <p class="muted" data-live="firstAnswer">
              {figures.firstAnswer}
            </p>
          </li>
        </ol>
        <Link kind="primary onward" href="/" text="Go to your figures" />
      </Section>
      <dl class="facts">
        <BalanceFact figures={figures} hint="queriesLeft" />
      </dl>
    </Page>
  )
}

/** Empty until the step is done: the style sheet shows what it says as a tick. */
function Tick({ figures, name }: { figures: Figures; name: 'stepKey' | 'stepAnswer' }) {
  return (
    <span class="tick tag good" data-live={name}>
      {figures[name]}
    </span>
  )
}

export function apiAddress({ config, dataPlane }: Dashboard): string {
  return config.apiUrl ?? address(config.host, dataPlane.port)
}

/**
 * Returns a request that can be pasted into a shell.
 * @param endpoints that the key may use; null: all
 */
export function curlLine(api: string, key: string, endpoints: readonly string[] | null = null): string {
  const allowed = CHARGED.find(({ usageName }) => endpoints?.includes(usageName) ?? true) ?? ENDPOINTS.lookup
  return curlOf(api, allowed, key)
}

export function curlOf(
  api: string,
  { name, example }: Pick<Endpoint, 'name' | 'example'>,
  key: string,
): string {
  const body = JSON.stringify({ ...example.body, apiKey: key }).replaceAll("'", "'\\''")
  return `curl ${api}/api/${name} -H 'Content-Type: application/json' -d '${body}'`
}

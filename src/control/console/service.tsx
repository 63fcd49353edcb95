/** The whole service: requests, latency, revenue, the ledger, the index. */
import type { Sample } from '../../platform/metric.ts'
import { Fact, Form, Section, Table, Time } from '../layout/parts.tsx'
import { count, plural } from '../layout/words.ts'
import { coverageOf } from '../reports/coverage.ts'
import { ledgerMetrics } from '../reports/ledger-metrics.ts'
import type { Dashboard, PageApp, PageContext } from '../shell/dashboard.ts'
import { FleetSection } from './fleet.tsx'
import { OperatorPage } from './frame.tsx'
import { IndexWork, type WorkState } from './index-work.ts'
import { RevenueSection } from './revenue.tsx'
import { UsageKeeper } from './usage-keeper.ts'

export function addServicePage(app: PageApp, dashboard: Dashboard): void {
  const { accounts } = dashboard
  const usage = new UsageKeeper(() => accounts.serviceUsage())
  const work = new IndexWork(dashboard)

  app.get('/operator/service', async c => {
    const sums = await usage.get()
    // A database that is away is what the section then says.
    const fleet = await dashboard.fleetStatus?.().catch(() => null)
    return c.html(
      <OperatorPage c={c} title="Service">
        <Health dashboard={dashboard} />
        {fleet !== undefined && <FleetSection status={fleet} />}
        <Requests dashboard={dashboard} />
        <RevenueSection usage={sums} />
        <IndexSection
          c={c}
          dashboard={dashboard}
          state={work.state}
          canRebuild={dashboard.rebuild !== null}
        />
      </OperatorPage>,
    )
  })

  for (const action of ['reload', 'rebuild'] as const) {
    app.get(`/operator/index/${action}`, c => c.redirect('/operator/service', 303))
    app.post(`/operator/index/${action}`, async c => {
      const notice = action === 'reload' ? await work.reload() : work.rebuild()
      c.var.session.keep({ notice })
      return c.redirect('/operator/service', 303)
    })
  }
}

function Health({ dashboard: { accounts, dataPlane, config } }: { dashboard: Dashboard }) {
  const { unsyncedMs, syncs, syncMsTotal, syncMsMax, isStalled } = accounts.syncState()
  const latency = dataPlane.latency?.() ?? null
  const ms = (value: number) => `${value.toFixed(1)} ms`
  return (
    <dl class="facts">
      <Fact
        name="Ledger"
        hint={
          syncs === 0 ? 'no sync yet' : `sync ${ms(syncMsTotal / syncs)} on average, ${ms(syncMsMax)} at most`
        }
      >
        {isStalled ? 'stalled' : accounts.healthy ? 'healthy' : 'not writable'}
      </Fact>
      <Fact name="Oldest unsynced entry">{ms(unsyncedMs)}</Fact>
      <Fact name="Latency" hint="inside the server, half of answers and 99 percent, since the start">
        {latency === null ? '—' : `${latency.p50Micros} / ${latency.p99Micros} µs`}
      </Fact>
      <Fact name="Server threads" hint={plural(config.bulkWorkers, 'bulk worker')}>
        {count(config.httpThreads)}
      </Fact>
    </dl>
  )
}

/** What `/metrics` says, as tables. */
function Requests({ dashboard: { accounts, dataPlane } }: { dashboard: Dashboard }) {
  const metrics = [...ledgerMetrics(accounts), ...dataPlane.metrics()]
  const samplesOf = (name: string) =>
    (metrics.find(metric => metric.name === name)?.samples ?? []).filter(({ value }) => value > 0)
  const answers = samplesOf('postrie_answers_total')
  const charged = samplesOf('postrie_charged_queries_total')
  return (
    <Section title="Requests since the start" hint="The same figures as /metrics.">
      {answers.length + charged.length === 0 ? (
        <p class="empty">Nothing has been asked for yet.</p>
      ) : (
        <>
          {answers.length > 0 && <Answers answers={answers} />}
          <Table caption="Charged queries by class" heads={['Class', '>Queries']}>
            {charged.map(({ labels, value }) => (
              <tr>
                <td>{labels?.usage}</td>
                <td class="number">{count(value)}</td>
              </tr>
            ))}
          </Table>
        </>
      )}
    </Section>
  )
}

/** A line for each endpoint, a column for each status that was answered with. */
function Answers({ answers }: { answers: readonly Sample[] }) {
  const statuses = [...new Set(answers.map(({ labels }) => labels?.status ?? ''))].sort()
  const endpoints = [...new Set(answers.map(({ labels }) => labels?.endpoint ?? ''))]
  const sumOf = (wanted: (labels: Record<string, string>) => boolean) =>
    answers.reduce((sum, { labels, value }) => sum + (wanted(labels ?? {}) ? value : 0), 0)
  const figure = (value: number) => (value === 0 ? '' : count(value))
  return (
    <Table
      caption="Answers by endpoint and status"
      heads={['Endpoint', ...statuses.map(status => `>${status}`)]}
    >
      <tr class="sum">
        <th scope="row">All</th>
        {statuses.map(status => (
          <td class="number">{figure(sumOf(labels => labels.status === status))}</td>
        ))}
      </tr>
      {endpoints.map(endpoint => (
        <tr>
          <th scope="row">{endpoint}</th>
          {statuses.map(status => (
            <td class="number">
              {figure(sumOf(labels => labels.status === status && labels.endpoint === endpoint))}
            </td>
          ))}
        </tr>
      ))}
    </Table>
  )
}

/** The day of the newest data, and how long ago that was: after some months it is time for a rebuild. */
function age(dayMs: number): string {
  if (dayMs <= 0) return 'of a day that its sources do not say'
  const days = Math.max(0, Math.floor((Date.now() - dayMs) / 86_400_000))
  return `of ${new Date(dayMs).toISOString().slice(0, 10)}, ${plural(days, 'day')} old`
}

interface IndexProps {
  c: PageContext
  dashboard: Dashboard
  state: WorkState
  canRebuild: boolean
}

function IndexSection({ c, dashboard: { dataPlane }, state, canRebuild }: IndexProps) {
  const index = dataPlane.index()
  const coverage = coverageOf(index)
  return (
    <Section title="Index">
      {index === null ? (
        <p class="empty">No index is served.</p>
      ) : (
        <dl class="pairs">
          <dt>Build</dt>
          <dd>
            <code>{index.file.buildId}</code>
          </dd>
          <dt>Codes</dt>
          <dd>
            {count(index.file.codeCount)} in {plural(coverage.countries.length, 'country', 'countries')},{' '}
            <a href="/coverage">coverage</a>
          </dd>
          <dt>Data</dt>
          <dd>{age(index.file.dataDayMs)}</dd>
          <dt>Builder</dt>
          <dd>{state.text}</dd>
          {state.sinceMs !== null && (
            <>
              <dt>Since</dt>
              <dd>
                <Time ms={state.sinceMs} />
              </dd>
            </>
          )}
        </dl>
      )}
      <div class="actions">
        <Form c={c} action="/operator/index/reload">
          <button type="submit">Reload the file</button>
        </Form>
        {canRebuild && (
          <Form c={c} action="/operator/index/rebuild">
            <button type="submit" disabled={state.isRunning}>
              Rebuild
            </button>
          </Form>
        )}
      </div>
      <p class="hint">
        A rebuild takes about a minute and 512 MB of memory, from the sources in the packages. It refuses an
        index that has much less than the present one.
      </p>
    </Section>
  )
}

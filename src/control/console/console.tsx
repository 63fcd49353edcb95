/** The operator's pages, all under `/operator`: for everybody else there is nothing there. Here are those of the service and its settings. */
import type { ServiceUsage } from '../../accounts/views.ts'
import { OLD_PARSER } from '../../data-plane.ts'
import { type FleetStatus, nodeState } from '../../fleet/store.ts'
import type { Sample } from '../../platform/metric.ts'
import { DAY_MS, SECOND_MS } from '../../platform/time.ts'
import type { Dashboard, PageApp, PageContext } from '../dashboard.ts'
import { Chart, timeText } from '../layout/chart.tsx'
import { addForm, addStep } from '../layout/form.tsx'
import { List, whole } from '../layout/list.tsx'
import { Page } from '../layout/page.tsx'
import { Button, Dollars, Fact, Form, Link, Pairs, Section, Table, Time } from '../layout/parts.tsx'
import { coverageOf } from '../reports/coverage.ts'
import { sumOf } from '../reports/usage-series.ts'
import { operatorsOnly } from '../session/access.ts'
import { count, fixedMoney, money, plural } from '../words.ts'
import { addOneAccount } from './account.tsx'
import { AccountLink, addAccountList } from './accounts.tsx'
import { addOperatorLog } from './log-page.tsx'

const DAYS_SHOWN = 30
const SPANS = [
  ['Today', 1],
  ['7 days', 7],
  ['30 days', 30],
  ['90 days', 90],
] as const

interface Work {
  isRunning: boolean
  text: string
  sinceMs: number | null
}

export function addConsole(app: PageApp, dashboard: Dashboard): void {
  app.use('/operator', operatorsOnly())
  app.use('/operator/*', operatorsOnly())
  app.get('/operator', c => c.redirect('/operator/service', 303))
  addAccountList(app, dashboard)
  addOneAccount(app, dashboard)
  addOperatorLog(app, dashboard)

  const { accounts, dataPlane, rebuild, log } = dashboard
  const usage = keptUsage(() => accounts.serviceUsage())
  let work: Work = { isRunning: false, text: 'has not run since the start', sinceMs: null }
  const note = (isRunning: boolean, text: string) => {
    work = { isRunning, text, sinceMs: Date.now() }
  }

  app.get('/operator/service', async c => {
    const sums = await usage()
    // A database that is away is what the section then says.
    const fleet = await dashboard.fleetStatus?.().catch(() => null)
    return c.html(
      <Page c={c} title="Service">
        <Health dashboard={dashboard} />
        {fleet !== undefined && <FleetSection status={fleet} />}
        <Requests dashboard={dashboard} />
        <Revenue {...sums} />
        {indexSection(c, dashboard, work)}
      </Page>,
    )
  })

  app.get('/operator/settings', c =>
    c.html(
      <Page c={c} title="Settings" lead="As they are in force, without secrets. A change needs a restart.">
        <List
          c={c}
          caption="Environment; secrets are hidden"
          found={whole(dashboard.config.inForce)}
          noun={['setting']}
          empty=""
          columns={[
            { head: 'Variable', cell: ([name]) => <code>{name}</code> },
            { head: 'Value', cell: ([, value]) => value || <span class="muted">not set</span> },
          ]}
        />
      </Page>,
    ),
  )

  addForm(app, '/operator/index/reload', '/operator/service', {}, async () => {
    const reload = await dataPlane.reload?.()
    if (reload === undefined) return 'Nothing was changed: no index is served.'
    switch (reload.outcome) {
      case 'replaced':
        return `The index ${reload.buildId} is served now.`
      case 'same':
        return 'Nothing was changed: this build is served already.'
      default:
        return `Nothing was changed, the file cannot be used: ${reload.problem ?? 'see the log'}`
    }
  })

  addStep(
    app,
    '/operator/index/rebuild',
    '/operator/service',
    () => ({
      title: 'Build the index again?',
      text: 'It takes about a minute and 512 MB of memory, from the sources in the packages. An index that has much less than the present one is refused.',
      button: 'Rebuild',
    }),
    async () => {
      if (rebuild === undefined) return 'Nothing was changed: there is no builder here.'
      if (work.isRunning) return 'Nothing was changed: a rebuild is running.'
      note(true, 'running')
      const failed = (code: number) =>
        `failed with exit code ${code}, the old index is still served: the log has the reason`
      // The server takes the new file over by itself.
      rebuild().then(
        code => note(false, code === 0 ? 'finished' : failed(code)),
        (err: unknown) => {
          log.error({ err }, 'the index builder could not be started')
          note(false, 'could not be started: the log has the reason')
        },
      )
      return 'The rebuild has begun. Reload this page in a minute.'
    },
  )
}

/** Returns a function that adds up the usage of all accounts. On a large service it takes a second, so its sums are kept. */
function keptUsage(addUp: () => Promise<ServiceUsage>): () => Promise<ServiceUsage> {
  let kept: Promise<ServiceUsage> | undefined
  const forget = () => {
    kept = undefined
  }
  return () => {
    if (kept !== undefined) return kept
    const startedMs = performance.now()
    kept = addUp()
    // For a hundred times as long as they took.
    kept.then(() => setTimeout(forget, 100 * (performance.now() - startedMs)).unref(), forget)
    return kept
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
      <Fact name="Latency" hint="inside this server, half of answers and 99 percent, since the start">
        {latency === null ? '—' : `${latency.p50Micros} / ${latency.p99Micros} µs`}
      </Fact>
      <Fact name="Server threads" hint={plural(config.bulkWorkers, 'bulk worker')}>
        {count(config.httpThreads)}
      </Fact>
      {OLD_PARSER !== null && (
        <Fact name="HTTP parser" hint={OLD_PARSER}>
          old
        </Fact>
      )}
    </dl>
  )
}

function Requests({ dashboard: { dataPlane } }: { dashboard: Dashboard }) {
  const metric = dataPlane.metrics().find(({ name }) => name === 'postrie_answers_total')
  const answers = (metric?.samples ?? []).filter(({ value }) => value > 0)
  return (
    <Section title="Requests since the start" hint="Of this node alone, as in /metrics.">
      {answers.length === 0 ? (
        <p class="empty">Nothing has been asked for yet.</p>
      ) : (
        <Answers answers={answers} />
      )}
    </Section>
  )
}

function Answers({ answers }: { answers: readonly Sample[] }) {
  const statuses = [...new Set(answers.map(({ labels }) => labels?.status ?? ''))].sort()
  const endpoints = [...new Set(answers.map(({ labels }) => labels?.endpoint ?? ''))]
  const answered = (status: string, endpoint: string) =>
    sumOf(
      answers
        .filter(({ labels }) => labels?.status === status && ['All', labels.endpoint].includes(endpoint))
        .map(({ value }) => value),
    )
  return (
    <Table
      caption="Answers by endpoint and status"
      rows={['All', ...endpoints]}
      rowClass={endpoint => (endpoint === 'All' ? 'sum' : undefined)}
      columns={[
        { head: 'Endpoint', kind: 'name', cell: endpoint => endpoint },
        ...statuses.map(status => ({
          head: status,
          kind: 'number' as const,
          cell: (endpoint: string) => count(answered(status, endpoint)).replace(/^0$/, ''),
        })),
      ]}
    />
  )
}

/** Returns the day of the newest data, and how long ago that was: after some months it is time for a rebuild. */
function age(dayMs: number): string {
  if (dayMs <= 0) return 'of a day that its sources do not say'
  const days = Math.max(0, Math.floor((Date.now() - dayMs) / DAY_MS))
  return `of ${new Date(dayMs).toISOString().slice(0, 10)}, ${plural(days, 'day')} old`
}

function indexSection(c: PageContext, { dataPlane, followed, rebuild }: Dashboard, work: Work) {
  const published = followed?.()
  const index = dataPlane.index()
  const coverage = coverageOf(index)
  return (
    <Section title="Index">
      {index === null ? (
        <p class="empty">No index is served.</p>
      ) : (
        <Pairs
          rows={[
            ['Build', <code>{index.file.buildId}</code>],
            [
              'Codes',
              <>
                {count(index.file.codeCount)} in {plural(coverage.countries, 'country', 'countries')},{' '}
                <a href="/coverage">coverage</a>
              </>,
            ],
            ['Data', age(index.file.dataDayMs)],
            ['Published at', published && <code>{published.url}</code>],
            ['Not served', published?.problem],
            ['Builder', work.text],
            ['Since', work.sinceMs && <Time ms={work.sinceMs} />],
          ]}
        />
      )}
      <div class="actions">
        <Form c={c} action="/operator/index/reload">
          <Button text="Reload the file" />
        </Form>
        {rebuild !== undefined && !work.isRunning && <Link href="/operator/index/rebuild" text="Rebuild" />}
      </div>
    </Section>
  )
}

function Revenue({ days, largest, timeMs }: ServiceUsage) {
  const used = days.slice(-DAYS_SHOWN).filter(({ queries }) => queries > 0)
  const micros = days.map(({ micros }) => micros)
  return (
    <Section
      title="Revenue"
      hint={
        <>
          What queries have cost their accounts, as of <Time ms={timeMs} />.
        </>
      }
    >
      <dl class="facts">
        {SPANS.map(([name, days]) => (
          <Fact name={name}>
            <Dollars micros={sumOf(micros.slice(-days))} />
          </Fact>
        ))}
      </dl>
      {used.length === 0 ? (
        <p class="empty">Nothing has been charged in the last {DAYS_SHOWN} days.</p>
      ) : (
        <>
          <Table
            caption="Largest accounts of 30 days"
            rows={largest}
            columns={[
              { head: 'Account', kind: 'name', cell: AccountLink },
              { head: 'Revenue', kind: 'number', cell: ({ micros }) => fixedMoney(micros) },
            ]}
          />
          <Chart
            label={`Revenue of each of the last ${DAYS_SHOWN} days`}
            usage={revenueOf(days.slice(-DAYS_SHOWN))}
          />
          <details>
            <summary>By day</summary>
            <Table
              caption="Revenue by day"
              rows={used.toReversed()}
              columns={[
                { head: 'Day', cell: ({ startMs }) => timeText(startMs, 'day') },
                { head: 'Queries', kind: 'number', cell: ({ queries }) => count(queries) },
                { head: 'Revenue', kind: 'number', cell: ({ micros }) => fixedMoney(micros) },
              ]}
            />
          </details>
        </>
      )}
    </Section>
  )
}

function revenueOf(days: ServiceUsage['days']) {
  const values = days.map(({ micros }) => micros)
  const total = sumOf(values)
  const starts = days.map(({ startMs }) => startMs)
  return {
    by: 'day',
    unit: 'dollars',
    starts,
    series: [{ label: 'revenue', colour: 0, values, total }],
  } as const
}

/** Classes of the states that somebody has to look at, and of the usual one. */
const TAGS: Readonly<Record<string, string>> = { serving: 'tag good', silent: 'tag bad', late: 'tag bad' }

function Short({ id }: { id: string }) {
  return <code>{id.slice(0, 8)}</code>
}

/** @param status null: the database does not answer */
export function FleetSection({ status }: { status: FleetStatus | null }) {
  if (status === null)
    return (
      <Section title="Fleet">
        <p class="empty">The database does not answer. This node charges what it holds.</p>
      </Section>
    )
  const { nodes, writeOffs, dashboard, leasedMicros, inDoubtMicros, sequence } = status
  return (
    <Section
      title="Fleet"
      hint="What a node holds of balances is charged there; what a silent node holds is in doubt until it reports."
    >
      <dl class="facts">
        <Fact name="Held by nodes">{money(leasedMicros)}</Fact>
        <Fact name="In doubt" hint="held by nodes that are silent">
          {money(inDoubtMicros)}
        </Fact>
        <Fact name="Changes">{count(sequence)}</Fact>
      </dl>
      <Table
        caption={plural(nodes.length, 'node')}
        rows={nodes}
        columns={[
          { head: 'Node', cell: ({ node }) => <Short id={node} /> },
          {
            head: 'State',
            cell: node => (
              <>
                <span class={TAGS[nodeState(node)] ?? 'tag'}>{nodeState(node)}</span>
                {node.node === dashboard && <span class="under">dashboard</span>}
              </>
            ),
          },
          { head: 'Address', cell: ({ address }) => address },
          { head: 'Epoch', kind: 'number', cell: ({ epoch }) => count(epoch) },
          {
            head: 'Silent',
            kind: 'number',
            cell: node => `${count(Math.round(node.silentMs / SECOND_MS))} s`,
          },
          { head: 'Behind', kind: 'number', cell: ({ lag }) => count(lag) },
          { head: 'Held', kind: 'number', cell: ({ heldMicros }) => fixedMoney(heldMicros) },
          { head: 'Version', cell: ({ version }) => version },
          { head: 'Index', cell: ({ indexBuild }) => <Short id={indexBuild} /> },
        ]}
      />
      {writeOffs.length > 0 && (
        <Table
          caption="Given up, in the customers’ favour"
          rows={writeOffs}
          columns={[
            { head: 'When', cell: ({ timeMs }) => <Time ms={timeMs} /> },
            { head: 'Node', cell: ({ node }) => <Short id={node} /> },
            { head: 'Account', cell: ({ account }) => account },
            { head: 'Amount', kind: 'number', cell: ({ micros }) => fixedMoney(micros) },
          ]}
        />
      )}
    </Section>
  )
}

/** Pages of the operator under `/operator`, and the page of the service. */
import type { ServiceUsage } from '../../billing/accounts/views.ts'
import type { FleetStatus } from '../../billing/fleet/messages.ts'
import { ERROR_HOURS } from '../../platform/limits.ts'
import type { Sample } from '../../platform/metric.ts'
import { DAY_MS, SECOND_MS } from '../../platform/time.ts'
import { type DataPlane, type Latency, OLD_PARSER } from '../../service/data-plane.ts'
import type { Dashboard, PageApp, PageContext } from '../dashboard.ts'
import { Chart } from '../layout/chart.tsx'
import { addForm, addStep } from '../layout/form.tsx'
import { Page } from '../layout/page.tsx'
import { Button, Dollars, Fact, Form, Link, Pairs, Section, Table, Time } from '../layout/parts.tsx'
import { ErrorSection } from '../pages/requests.tsx'
import { COUNTED_ERRORS } from '../reports/activity.ts'
import { coverageOf } from '../reports/coverage-figures.ts'
import { sumOf } from '../reports/usage-series.ts'
import { operatorsOnly } from '../session/access.ts'
import { count, fixedMoney, money, nodeState, plural, utcDay } from '../words.ts'
import { AccountLink, addAccountList } from './accounts.tsx'
import { addOperatorLog } from './log-page.tsx'
import { addOneAccount } from './operator-account.tsx'
import { addSettings } from './settings.tsx'

const DAYS_SHOWN = 30
/** Maximum age of the data before a warning. Postal codes change slowly. */
const DATA_DAYS_MAX = 365
/** Maximum number of accounts with errors. */
const ACCOUNTS_SHOWN = 20
/** Spans of time for the revenue, in days. */
const SPANS = [
  ['Today', 1],
  ['7 days', 7],
  ['30 days', 30],
  ['90 days', 90],
] as const

/** State of the builder that this page runs. */
interface Work {
  state: 'not run' | 'running' | 'finished' | 'failed'
  text: string
  sinceMs: number | null
}

export function addConsole(app: PageApp, dashboard: Dashboard): void {
  app.use('/operator', operatorsOnly)
  app.use('/operator/*', operatorsOnly)
  app.get('/operator', c => c.redirect('/operator/service', 303))
  addAccountList(app, dashboard)
  addOneAccount(app, dashboard)
  addOperatorLog(app, dashboard)
  addSettings(app, dashboard)

  const { accounts, dataPlane, rebuild, log } = dashboard
  let work: Work = { state: 'not run', text: 'has not run since the start', sinceMs: null }
  const setWork = (state: Work['state'], text: string = state) => {
    work = { state, text, sinceMs: Date.now() }
  }

  app.get('/operator/service', async c => {
    const usage = await accounts.serviceUsage()
    // Null if the database does not answer.
    const fleet = await dashboard.fleetStatus?.().catch(() => null)
    const concerns = concernsOf(dashboard, work, fleet)
    return c.html(
      <Page c={c} title="Service">
        {concerns.map(text => (
          <p class="problem">{text}</p>
        ))}
        {concerns.length === 0 && (
          <p class="notice">The ledger is written, the index is served, and no request failed.</p>
        )}
        {OLD_PARSER !== null && (
          <p class="empty">
            The HTTP parser of this Node.js is old and refuses some clients: use Node.js 22, or a proxy.
          </p>
        )}
        <Health dashboard={dashboard} />
        {fleet && <FleetSection status={fleet} />}
        <AccountsWithErrors {...dashboard} />
        <Section title="Queries of the last two days" hint="Charged queries of all accounts, by hour.">
          <Chart
            label="Queries by hour"
            empty="No queries in two days."
            usage={seriesOf('hour', 'queries', usage.hours)}
          />
        </Section>
        <ErrorSection
          hours={dataPlane.activity.errors(null, null, Date.now())}
          unknown={['unknown key', 'counts unknown keys, from any sender. All other errors have a valid key']}
        />
        <Requests dashboard={dashboard} />
        <Revenue {...usage} />
        {indexSection(c, dashboard, work)}
      </Page>,
    )
  })

  addForm(app, '/operator/index/reload', '/operator/service', {}, async () => {
    const reload = await dataPlane.reload()
    switch (reload.outcome) {
      case 'replaced':
        return `The index ${reload.buildId} is now served.`
      case 'same':
        return 'Nothing was changed: this build is already served.'
      default:
        return `Nothing was changed. The file cannot be used: ${reload.problem ?? 'see the log'}`
    }
  })

  addStep(app, '/operator/index/rebuild', '/operator/service', {
    ask: () => ({
      title: 'Rebuild the index?',
      text: 'Building it from the installed packages takes about a minute and 512 MB of memory. An index with much less data than the present one is refused.',
      button: 'Rebuild',
    }),
    run: async () => {
      if (rebuild === undefined) return 'Nothing was changed: there is no builder here.'
      if (work.state === 'running') return 'Nothing was changed: a rebuild is running.'
      setWork('running')
      const failed = (code: number) =>
        `failed with exit code ${code}: the log has the reason. The old index is still served`
      // The server finds the new file by itself.
      rebuild().then(
        code => (code === 0 ? setWork('finished') : setWork('failed', failed(code))),
        (err: unknown) => {
          log.error({ err }, 'the index builder could not be started')
          setWork('failed', 'could not be started: the log has the reason')
        },
      )
      return 'The rebuild has begun. Reload this page in a minute.'
    },
  })
}

/** Returns the problems of the service with their remedies. @param fleet null if its database does not answer */
function concernsOf(dashboard: Dashboard, work: Work, fleet?: FleetStatus | null): string[] {
  const { accounts, dataPlane, followed } = dashboard
  const index = dataPlane.index()
  const problem = followed?.().problem ?? null
  const days = daysSince(index.file.dataDayMs || Date.now())
  const silent = fleet?.nodes.filter(node => ['late', 'silent'].includes(nodeState(node))).length ?? 0
  const failed = sumOf(answersOf(dataPlane, '500').map(({ value }) => value))
  const all: (readonly [isSo: boolean, text: string])[] = [
    [
      !accounts.healthy,
      'The ledger cannot be written: requests get 503. Free space on the disk, then restart.',
    ],
    [accounts.syncState().isStalled, 'A sync of the ledger hangs: nothing is charged. Check the disk.'],
    [problem !== null, `The published index is not served: ${problem}. Publish it again.`],
    [work.state === 'failed', `The last rebuild ${work.text}. Fix the cause, then rebuild.`],
    [days > DATA_DAYS_MAX, `The data are ${count(days)} days old. Install newer packages, then rebuild.`],
    [fleet === null, "The fleet's database does not answer. Start it: nodes charge only their leases."],
    [
      silent > 0,
      `${plural(silent, 'node')} of the fleet missed three heartbeats. Restart nodes that are down, with the same DATA_DIR.`,
    ],
    [failed > 0, `${plural(failed, 'request')} failed with 500. Look for "request failed" in the log.`],
  ]
  return all.filter(([isSo]) => isSo).map(([, text]) => text)
}

function Health({ dashboard: { accounts, dataPlane } }: { dashboard: Dashboard }) {
  const { unsyncedMs, syncs, syncMsTotal, syncMsMax } = accounts.syncState()
  const latency = dataPlane.latency()
  const ms = (value: number) => `${value.toFixed(1)} ms`
  return (
    <dl class="facts">
      <Fact name="Running for" hint={<Time ms={Date.now() - process.uptime() * SECOND_MS} />}>
        {spanText(process.uptime())}
      </Fact>
      <Fact name="Memory" hint="of the whole process">
        {count(Math.round(process.memoryUsage.rss() / 1024 ** 2))} MB
      </Fact>
      <Fact
        name="Median latency"
        hint={latency && `p99 ${micros(latency.p99Micros)}, for answers about one record`}
      >
        {latency === null ? '—' : micros(latency.p50Micros)}
      </Fact>
      <Fact name="Sync of the ledger" hint={`on average; ${ms(syncMsMax)} at most`}>
        {syncs === 0 ? '—' : ms(syncMsTotal / syncs)}
      </Fact>
      <Fact name="Oldest unsynced entry" hint="what a power cut would lose">
        {ms(unsyncedMs)}
      </Fact>
    </dl>
  )
}

/** Returns `3 days`, `5 hours` or `12 minutes`, rounded down. */
function spanText(seconds: number): string {
  const [minutes, hours, days] = [60, 3600, 86_400].map(each => Math.floor(seconds / each))
  return days > 0 ? plural(days, 'day') : hours > 0 ? plural(hours, 'hour') : plural(minutes, 'minute')
}

function micros(value: number): string {
  return value < 1000 ? `${count(value)} µs` : `${(value / 1000).toFixed(1)} ms`
}

function answersOf(dataPlane: DataPlane, status?: string): readonly Sample[] {
  const metric = dataPlane.metrics().find(({ name }) => name === 'postrie_answers_total')
  const isWanted = ({ labels, value }: Sample) =>
    value > 0 && (status === undefined || labels?.status === status)
  return metric?.samples.filter(isWanted) ?? []
}

function Requests({ dashboard: { dataPlane } }: { dashboard: Dashboard }) {
  const answers = answersOf(dataPlane)
  if (answers.length === 0) return null
  const statuses = [...new Set(answers.map(({ labels }) => labels?.status ?? ''))].sort()
  const endpoints = [...new Set(answers.map(({ labels }) => labels?.endpoint ?? ''))]
  const answered = (status: string, endpoint: string) =>
    sumOf(
      answers
        .filter(({ labels }) => labels?.status === status && labels.endpoint === endpoint)
        .map(({ value }) => value),
    )
  const latency = (head: string, of: keyof Latency) => ({
    head,
    kind: 'number' as const,
    cell: (endpoint: string) => micros(dataPlane.latency(endpoint)?.[of] ?? 0),
  })
  return (
    <Section
      title="Requests since the start"
      hint="Only of this node, including requests without a valid key. Half of the answers took at most p50, and 99 percent at most p99."
    >
      <Table
        caption="Answers by endpoint and status"
        rows={endpoints}
        columns={[
          { head: 'Endpoint', kind: 'name', cell: endpoint => endpoint },
          latency('p50', 'p50Micros'),
          latency('p99', 'p99Micros'),
          ...statuses.map(status => ({
            head: status,
            kind: 'number' as const,
            cell: (endpoint: string) => count(answered(status, endpoint)).replace(/^0$/, ''),
          })),
        ]}
      />
    </Section>
  )
}

function daysSince(ms: number): number {
  return Math.max(0, Math.floor((Date.now() - ms) / DAY_MS))
}

function age(dayMs: number): string {
  if (dayMs <= 0) return 'the sources do not give a day'
  return `from ${utcDay(dayMs)}, ${plural(daysSince(dayMs), 'day')} old`
}

function indexSection(c: PageContext, { dataPlane, followed, rebuild }: Dashboard, work: Work) {
  const published = followed?.()
  const index = dataPlane.index()
  const coverage = coverageOf(index)
  return (
    <Section title="Index">
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
      <div class="actions">
        <Form c={c} action="/operator/index/reload">
          <Button text="Reload the file" />
        </Form>
        <span class="hint">Serves the file at INDEX_FILE if it has another build. No request waits.</span>
      </div>
      {rebuild !== undefined && work.state !== 'running' && (
        <div class="actions">
          <Link href="/operator/index/rebuild" text="Rebuild" />
          <span class="hint">
            Builds a new file from the installed packages in about a minute, and serves it.
          </span>
        </div>
      )}
    </Section>
  )
}

function AccountsWithErrors({ accounts, dataPlane }: Dashboard) {
  const all = [...dataPlane.activity.errorsByAccount(Date.now())]
    .map(([slot, counts]) => ({ slot, counts, errors: sumOf([...counts.values()]) }))
    .sort((a, b) => b.errors - a.errors)
  if (all.length === 0) return null
  const textOf = (counts: ReadonlyMap<number, number>) =>
    COUNTED_ERRORS.filter(([status]) => counts.has(status))
      .map(([status, meaning]) => `${count(counts.get(status) ?? 0)} × ${meaning} (${status})`)
      .join('; ')
  return (
    <Section
      title="Accounts with errors"
      id="errors"
      hint={`Accounts with the most errors in the last ${ERROR_HOURS} hours.`}
    >
      <Table
        caption="Accounts with errors"
        rows={all.slice(0, ACCOUNTS_SHOWN)}
        columns={[
          { head: 'Account', kind: 'name', cell: ({ slot }) => AccountLink(accounts.accountAt(slot)) },
          { head: 'Errors', kind: 'number', cell: ({ errors }) => count(errors) },
          { head: 'Why', kind: 'detail', cell: ({ counts }) => textOf(counts) },
        ]}
      />
    </Section>
  )
}

function Revenue({ days, largest }: ServiceUsage) {
  const micros = days.map(({ micros }) => micros)
  return (
    <Section title="Revenue" hint="Amounts charged for queries.">
      <dl class="facts">
        {SPANS.map(([name, days]) => (
          <Fact name={name}>
            <Dollars micros={sumOf(micros.slice(-days))} round={Math.ceil} />
          </Fact>
        ))}
      </dl>
      <div class="grid">
        <div>
          <Chart
            label={`Revenue of each of the last ${DAYS_SHOWN} days`}
            empty={`Nothing has been charged in the last ${DAYS_SHOWN} days.`}
            usage={seriesOf('day', 'dollars', days.slice(-DAYS_SHOWN))}
          />
        </div>
        {largest.length > 0 && (
          <Table
            caption="Largest accounts of 30 days"
            rows={largest}
            columns={[
              { head: 'Largest accounts', kind: 'name', cell: AccountLink },
              { head: '30 days', kind: 'number', cell: row => <Dollars {...row} round={Math.ceil} /> },
            ]}
          />
        )}
      </div>
    </Section>
  )
}

function seriesOf(
  by: 'hour' | 'day',
  unit: 'queries' | 'dollars',
  rows: readonly { startMs: number; queries: number; micros?: number }[],
) {
  const values = rows.map(({ queries, micros }) => micros ?? queries)
  const starts = rows.map(({ startMs }) => startMs)
  return { by, unit, starts, series: [{ label: unit, colour: 0, values, total: sumOf(values) }] }
}

const TAGS: Readonly<Record<string, string>> = { serving: 'tag good', silent: 'tag bad', late: 'tag bad' }

const short = (id: string) => <code>{id.slice(0, 8)}</code>

export function FleetSection({ status }: { status: FleetStatus }) {
  const { nodes, writeOffs, dashboard, leasedMicros, inDoubtMicros, sequence } = status
  return (
    <Section
      title="Fleet"
      hint="Each node charges only the part of a balance that it holds. Nodes send a heartbeat every two seconds. A node is late after three missed heartbeats, and silent after 30 seconds. Money held by a silent node is in doubt until the node reports."
    >
      <dl class="facts">
        <Fact name="Held by nodes">{money(leasedMicros)}</Fact>
        <Fact name="In doubt" hint="held by silent nodes">
          {money(inDoubtMicros)}
        </Fact>
        <Fact name="Changes so far">{count(sequence)}</Fact>
      </dl>
      <Table
        caption={plural(nodes.length, 'node')}
        rows={nodes}
        columns={[
          {
            head: 'Node',
            under: 'version, index',
            cell: ({ node }) => short(node),
            below: ({ version, indexBuild }) => [version, ', ', short(indexBuild)],
          },
          {
            head: 'State',
            under: 'heard of',
            cell: node => <span class={TAGS[nodeState(node)] ?? 'tag'}>{nodeState(node)}</span>,
            below: ({ node, silentMs }) =>
              `${count(Math.round(silentMs / SECOND_MS))} s ago${node === dashboard ? ', dashboard' : ''}`,
          },
          { head: 'Address', cell: ({ address }) => address },
          { head: 'Epoch', under: 'starts so far', kind: 'number', cell: ({ epoch }) => count(epoch) },
          { head: 'Behind', under: 'changes', kind: 'number', cell: ({ lag }) => count(lag) },
          { head: 'Leases', under: 'accounts', kind: 'number', cell: ({ leases }) => count(leases) },
          { head: 'Held', kind: 'number', cell: ({ heldMicros }) => fixedMoney(heldMicros) },
        ]}
      />
      {writeOffs.length > 0 && (
        <Table
          caption="Written off, in the customers’ favour"
          rows={writeOffs}
          columns={[
            { head: 'When', cell: ({ timeMs }) => <Time ms={timeMs} /> },
            { head: 'Node', cell: ({ node }) => short(node) },
            { head: 'Account', cell: ({ account }) => account },
            { head: 'Amount', kind: 'number', cell: ({ micros }) => fixedMoney(micros) },
          ]}
        />
      )}
    </Section>
  )
}

/** Pages of the operator under `/operator`, and the page of the service. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { ServiceUsage } from '../../billing/accounts/reports/usage-report.ts'
import type { FleetStatus } from '../../billing/fleet/messages.ts'
import { ledgerFolder } from '../../billing/ledger/disk/files.ts'
import { freeBytes, megabytes } from '../../platform/disk-space.ts'
import { packageVersion } from '../../platform/package-version.ts'
import { DAY_MS, SECOND_MS } from '../../platform/time.ts'
import { Chart } from '../layout/chart.tsx'
import { Page } from '../layout/page.tsx'
import { Facts, Pairs, Section, Table, Time } from '../layout/parts.tsx'
import { ErrorSection } from '../pages/requests.tsx'
import type { Recharge } from '../payments/recharge.tsx'
import { coverageOf } from '../reports/coverage-figures.ts'
import { sumOf } from '../reports/usage-series.ts'
import { operatorsOnly } from '../session/access.ts'
import type { Dashboard, PageApp } from '../session/dashboard.ts'
import { aligned, count, money, nodeState, plural, utcDay } from '../words.ts'
import { AccountLink, Attention, addAccountList } from './accounts.tsx'
import { addOperatorLog } from './log-page.tsx'
import { addOneAccount } from './operator-account.tsx'
import { addSettings } from './settings.tsx'

/** Maximum age of the data before a warning. Postal codes change slowly. */
const DATA_DAYS_MAX = 365

export function addConsole(app: PageApp, dashboard: Dashboard, recharge: Recharge): void {
  app.use('/operator', operatorsOnly)
  app.use('/operator/*', operatorsOnly)
  app.get('/operator', c => c.redirect('/operator/service', 303))
  addAccountList(app, dashboard)
  addOneAccount(app, dashboard, recharge)
  addOperatorLog(app, dashboard)
  addSettings(app, dashboard)

  const { accounts, dataPlane } = dashboard

  app.get('/operator/service', async c => {
    const usage = await accounts.serviceUsage()
    const queries = usage.hours.map(({ queries }) => queries)
    // Null if the database does not answer.
    const fleet = await dashboard.fleetStatus?.().catch(() => null)
    const concerns = concernsOf(dashboard, fleet)
    const withErrors = <a href="/operator/accounts?state=errors">accounts with errors</a>
    return c.html(
      <Page c={c} title="Service">
        {concerns.map(text => (
          <p class="problem">{text}</p>
        ))}
        {concerns.length === 0 && (
          <p class="notice">
            The ledger is written, the index is served, and no request got 500 since the start.
          </p>
        )}
        <Attention dashboard={dashboard} />
        {fleet && <FleetSection status={fleet} />}
        <Section title="Queries of the last two days" hint="Charged queries of all accounts, by hour.">
          <Chart
            label="Queries by hour"
            empty="No queries in two days."
            usage={{
              by: 'hour',
              starts: usage.hours.map(({ startMs }) => startMs),
              series: [{ label: 'queries', colour: 0, values: queries, total: sumOf(queries) }],
            }}
          />
        </Section>
        <ErrorSection
          dataPlane={dataPlane}
          counts={dataPlane.activity.refusals(null, [], Date.now())}
          unknown={['counts all unknown keys. See ', withErrors]}
        />
        <Revenue {...usage} />
        <ServerSection dashboard={dashboard} />
      </Page>,
    )
  })
}

/** Returns the problems of the service with their remedies. @param fleet null if its database does not answer */
function concernsOf(dashboard: Dashboard, fleet?: FleetStatus | null): string[] {
  const { accounts, dataPlane, followed } = dashboard
  const index = dataPlane.index()
  const problem = followed?.().problem ?? null
  const days = daysSince(index.file.dataDayMs || Date.now())
  const silent = fleet?.nodes.filter(node => ['late', 'silent'].includes(nodeState(node))).length ?? 0
  const answers = dataPlane.metrics().find(({ name }) => name === 'postrie_answers_total')?.samples ?? []
  const failed = sumOf(answers.map(({ labels, value }) => (labels?.status === '500' ? value : 0)))
  const all: (readonly [isSo: boolean, text: string])[] = [
    [
      !accounts.healthy,
      'The ledger cannot be written: requests get 503. Free space on the disk, then restart.',
    ],
    [accounts.syncState().isStalled, 'A sync of the ledger hangs: nothing is charged. Check the disk.'],
    [problem !== null, `The published index is not served: ${problem}. Publish it again.`],
    [
      days > DATA_DAYS_MAX,
      `The data are ${count(days)} days old. Install newer packages, then run postrie build.`,
    ],
    [fleet === null, "The fleet's database does not answer. Start it: nodes charge only their leases."],
    [
      silent > 0,
      `${plural(silent, 'node')} of the fleet missed three heartbeats. Restart nodes that are down, with the same DATA_DIR.`,
    ],
    [failed > 0, `${plural(failed, 'request')} failed with 500. Look for "request failed" in the log.`],
  ]
  return all.filter(([isSo]) => isSo).map(([, text]) => text)
}

/** Returns the time of the newest snapshot of the ledger; null if there is none: before the first full segment, or in a fleet. */
function snapshotMs(folder: string): number | null {
  const names = existsSync(folder) ? readdirSync(folder).filter(name => name.endsWith('.snapshot')) : []
  const newest = names.sort().at(-1)
  return newest === undefined ? null : modifiedMs(join(folder, newest))
}

const modifiedMs = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? null

/** The process, its disk, and the served index. */
async function ServerSection({ dashboard }: { dashboard: Dashboard }) {
  const { dataPlane, config, followed } = dashboard
  const { dataDir, indexFile } = config
  const latency = dataPlane.latency()
  const index = dataPlane.index()
  const { buildId, codeCount, dataDayMs } = index.file
  const { countries } = coverageOf(index)
  const published = followed?.()
  return (
    <Section title="Server and index" hint="A new file at INDEX_FILE is served by itself. No request waits.">
      <Pairs
        rows={[
          ['Version', packageVersion()],
          ['Running since', <Time ms={Date.now() - process.uptime() * SECOND_MS} />],
          ['Memory', megabytes(process.memoryUsage.rss())],
          ['Free for DATA_DIR', megabytes(await freeBytes(dataDir))],
          ['Last snapshot', <Time ms={snapshotMs(ledgerFolder(dataDir))} />],
          [
            'Latency of one record',
            latency && `median ${micros(latency.p50Micros)}, p99 ${micros(latency.p99Micros)}`,
          ],
          ['Index', <code>{buildId}</code>],
          ['Index written', <Time ms={modifiedMs(indexFile)} />],
          [
            'Codes',
            <>
              {count(codeCount)} in {plural(countries, 'country', 'countries')},{' '}
              <a href="/coverage">coverage</a>
            </>,
          ],
          ['Data', age(dataDayMs)],
          ['Published at', published && <code>{published.url}</code>],
          ['Not served', published?.problem],
        ]}
      />
    </Section>
  )
}

function micros(value: number): string {
  return value < 1000 ? `${count(value)} µs` : `${(value / 1000).toFixed(1)} ms`
}

function daysSince(ms: number): number {
  return Math.max(0, Math.floor((Date.now() - ms) / DAY_MS))
}

function age(dayMs: number): string {
  if (dayMs <= 0) return 'the sources do not give a day'
  return `from ${utcDay(dayMs)}, ${plural(daysSince(dayMs), 'day')} old`
}

function Revenue({ days, largest }: ServiceUsage) {
  const spans = spansOf(days)
  return (
    <Section
      title="Revenue"
      hint="Used is charged for queries, free ones included. Paid in is payments by card and test payments, credited is by operators, such as for a bank transfer."
    >
      <Table
        caption="Revenue by time"
        rows={spans}
        columns={[
          { head: 'Time', kind: 'name', cell: ({ name }) => name },
          { head: 'Used', kind: 'number', cell: row => aligned(row.sum('micros')) },
          { head: 'Paid in', kind: 'number', cell: row => aligned(row.sum('paidMicros')) },
          { head: 'Credited', kind: 'number', cell: row => aligned(row.sum('creditedMicros')) },
          { head: 'Refunded or disputed', kind: 'number', cell: row => aligned(row.sum('returnedMicros')) },
        ]}
      />
      {largest.length > 0 && (
        <Table
          caption="Largest accounts of 30 days"
          rows={largest}
          columns={[
            { head: 'Largest accounts', kind: 'name', cell: AccountLink },
            { head: '30 days', kind: 'number', cell: row => aligned(row.micros) },
          ]}
        />
      )}
    </Section>
  )
}

/** Returns parts of the days whose sums are compared. A month has only the shown days. */
function spansOf(days: ServiceUsage['days']) {
  const today = new Date(days.at(-1)?.startMs ?? 0)
  const inMonth = (monthsAgo: number, to: number) =>
    days.filter(({ startMs }) => {
      const date = new Date(startMs)
      const months =
        (today.getUTCFullYear() - date.getUTCFullYear()) * 12 + today.getUTCMonth() - date.getUTCMonth()
      return months === monthsAgo && date.getUTCDate() <= to
    })
  const spans: Record<string, ServiceUsage['days']> = {
    Today: days.slice(-1),
    'This month so far': inMonth(0, 31),
    'Last month to the same day': inMonth(1, today.getUTCDate()),
    'Last month': inMonth(1, 31),
    [`${days.length} days`]: days,
  }
  return Object.entries(spans).map(([name, some]) => ({
    name,
    sum: (of: 'micros' | 'paidMicros' | 'creditedMicros' | 'returnedMicros') =>
      sumOf(some.map(day => day[of])),
  }))
}

const TAGS: Readonly<Record<string, string>> = { serving: 'tag good', silent: 'tag bad', late: 'tag bad' }

const short = (id: string) => <code>{id.slice(0, 8)}</code>

export function FleetSection({ status }: { status: FleetStatus }) {
  const { nodes, writeOffs, dashboard, leasedMicros, inDoubtMicros } = status
  return (
    <Section
      title="Fleet"
      hint="Each node charges only the part of a balance that it holds. Nodes send a heartbeat every two seconds. A node is late after three missed heartbeats, and silent after 30 seconds. Money held by a silent node is in doubt until the node reports."
    >
      <Facts
        facts={[
          ['Held by nodes', money(leasedMicros)],
          ['In doubt', money(inDoubtMicros), 'held by silent nodes'],
        ]}
      />
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
          { head: 'Held', kind: 'number', cell: ({ heldMicros }) => aligned(heldMicros) },
        ]}
      />
      <p class="hint">
        Written off, in the customers’ favour: {money(sumOf(writeOffs.map(({ micros }) => micros)))}.
      </p>
    </Section>
  )
}

/** The page of the service: what an operator has to do, then the fleet, queries, errors, server and index. */
import type { FleetStatus } from '../../billing/fleet/messages.ts'
import { diskOf, megabytes } from '../../platform/free-space.ts'
import { packageVersion } from '../../platform/package-version.ts'
import { DAY_MS, SECOND_MS } from '../../platform/time.ts'
import { Chart } from '../layout/chart.tsx'
import { Banner, Page } from '../layout/page.tsx'
import { Facts, Pairs, Section, Table, Time } from '../layout/parts.tsx'
import type { Recharge } from '../payments/recharge.tsx'
import { ErrorSection } from '../sections/request-lists.tsx'
import type { Dashboard, PageApp } from '../session/page-context.ts'
import { sumOf } from '../sums.ts'
import { aligned, count, money, nodeState, plural, utcDay, utcMinute } from '../words.ts'
import { Attention } from './accounts.tsx'

/** Smallest free share of the disk before a warning. */
const DISK_SHARE_MIN = 0.1

/** Maximum age of the data before a warning. Postal codes change slowly. */
const DATA_DAYS_MAX = 365

const SOUND = 'The ledger is written, the index is served, and no request got 500 since the start.'

export function addServicePage(app: PageApp, dashboard: Dashboard, recharge: Recharge): void {
  const { accounts, dataPlane } = dashboard

  app.get('/operator/service', async c => {
    const usage = await accounts.serviceUsage()
    const queries = usage.hours.map(({ queries }) => queries)
    // Null if the database does not answer.
    const fleet = await dashboard.fleetStatus?.().catch(() => null)
    const undelivered = dashboard.alerts.concern(Date.now())
    const concerns = [...(await concernsOf(dashboard, fleet)), undelivered.operator].filter(text => text)
    const payments = recharge.concern?.()
    const refused = <a href="/operator/accounts?state=errors">accounts that are refused now</a>
    return c.html(
      <Page
        title="Service"
        lead={['As of ', <Time ms={Date.now()} seconds />, '. Reload to see what is new.']}
      >
        {concerns.map(text => text && <Banner text={text} />)}
        <Banner text={payments} remedy={['/operator/log?what=unapplied', 'See the log']} />
        {undelivered.text && (
          <Banner text={undelivered.text}>
            {undelivered.accounts.map(({ id, email }) => [
              <a href={`/operator/accounts/${id}`}>{email}</a>,
              ' ',
            ])}
            {undelivered.more > 0 && `and ${count(undelivered.more)} more`}
          </Banner>
        )}
        {concerns.length === 0 && !undelivered.text && !payments && <Banner kind="notice" text={SOUND} />}
        <Attention dashboard={dashboard} />
        {fleet && <FleetSection status={fleet} />}
        <Section title="Queries of the last two days" hint="Charged queries of all accounts, by hour.">
          <Chart
            title="Queries by hour"
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
          hint={['Errors are free. 401 counts all unknown keys. See ', refused, '.']}
        />
        <ServerSection dashboard={dashboard} />
      </Page>,
    )
  })
}

/** Returns the problems with their remedies. @param fleet null if its database does not answer */
async function concernsOf(dashboard: Dashboard, fleet?: FleetStatus | null) {
  const { accounts, dataPlane, followed, config } = dashboard
  const { indexFile, dataDir } = config
  const index = dataPlane.index()
  const file = dataPlane.servedFile()
  const { freeBytes, totalBytes } = await diskOf(dataDir)
  const problem = followed?.().problem ?? null
  const days = daysSince(index.file.dataDayMs || Date.now())
  const silent = fleet?.nodes.filter(node => ['late', 'silent'].includes(nodeState(node))).length ?? 0
  const answers = dataPlane.metrics().find(({ name }) => name === 'postrie_answers_total')?.samples ?? []
  const failed = sumOf(answers.map(({ labels, value }) => (labels?.status === '500' ? value : 0)))
  return [
    !accounts.charging.healthy &&
      'The ledger cannot be written: requests get 503. Free space on the disk, then restart.',
    accounts.syncState().isStalled && 'A sync of the ledger hangs: nothing is charged. Check the disk.',
    problem && `The published index is not served: ${problem}. Publish it again.`,
    file.state === 'damaged' &&
      `The served index is damaged: some answers may be wrong. ${file.problem}. Put a sound index at ${indexFile}.`,
    file.state !== 'damaged' &&
      file.problem !== problem &&
      file.problem &&
      `The file at INDEX_FILE cannot be used: ${file.problem}. The index of ${utcMinute(file.writtenMs)} UTC is still served. Put a sound index at ${indexFile} before a restart.`,
    freeBytes < DISK_SHARE_MIN * totalBytes &&
      `The disk of DATA_DIR is nearly full: ${diskText(freeBytes, totalBytes)}. Free space before the ledger cannot be written.`,
    days > DATA_DAYS_MAX &&
      `The data are ${count(days)} days old. Install newer packages, then run postrie build.`,
    fleet === null && "The fleet's database does not answer. Start it: nodes charge only their leases.",
    silent > 0 &&
      `${plural(silent, 'node')} of the fleet missed three heartbeats. Restart nodes that are down, with the same DATA_DIR.`,
    failed > 0 && `${plural(failed, 'request')} failed with 500. Look for "request failed" in the log.`,
  ].filter(text => typeof text === 'string' && text !== '')
}

const TAGS: Readonly<Record<string, string>> = { serving: 'tag good', silent: 'tag bad', late: 'tag bad' }

const short = (id: string) => <code>{id.slice(0, 8)}</code>

/** The nodes of a fleet. */
function FleetSection({ status }: { status: FleetStatus }) {
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
          { head: 'Behind', under: 'changes', kind: 'number', cell: ({ lag }) => count(lag) },
          { head: 'Held', kind: 'number', cell: ({ heldMicros }) => aligned(heldMicros) },
        ]}
      />
      <p class="hint">
        Written off, in the customers’ favour: {money(sumOf(writeOffs.map(({ micros }) => micros)))}.
      </p>
    </Section>
  )
}

async function ServerSection({ dashboard }: { dashboard: Dashboard }) {
  const { dataPlane, config, followed } = dashboard
  const { freeBytes, totalBytes } = await diskOf(config.dataDir)
  const latency = dataPlane.latency()
  const { buildId, dataDayMs } = dataPlane.index().file
  const published = followed?.()
  return (
    <Section title="Server and index" hint="A new file at INDEX_FILE is served by itself. No request waits.">
      <Pairs
        rows={[
          ['Version', packageVersion()],
          ['Running since', <Time ms={Date.now() - process.uptime() * SECOND_MS} />],
          ['Memory', megabytes(process.memoryUsage.rss())],
          ['Disk of DATA_DIR', diskText(freeBytes, totalBytes)],
          [
            'Latency of one record',
            latency && `median ${micros(latency.p50Micros)}, p99 ${micros(latency.p99Micros)}`,
          ],
          ['Index', <code>{buildId}</code>],
          ['Index written', <Time ms={dataPlane.servedFile().writtenMs || null} />],
          ['Data', age(dataDayMs)],
          ['Newer data', !published && 'Run postrie build, or follow a published index with INDEX_URL.'],
          ['Published at', published && <code>{published.url}</code>],
        ]}
      />
    </Section>
  )
}

function diskText(freeBytes: number, totalBytes: number): string {
  return `${megabytes(freeBytes)} of ${megabytes(totalBytes)} are free (${Math.floor((100 * freeBytes) / totalBytes)} percent)`
}

const micros = (value: number) => (value < 1000 ? `${count(value)} µs` : `${(value / 1000).toFixed(1)} ms`)

const daysSince = (ms: number): number => Math.max(0, Math.floor((Date.now() - ms) / DAY_MS))

function age(dayMs: number): string {
  if (dayMs <= 0) return 'the sources do not give a day'
  return `from ${utcDay(dayMs)}, ${plural(daysSince(dayMs), 'day')} old. A warning comes after ${DATA_DAYS_MAX}.`
}

/** Pages of the operator under `/operator`, and the page of the service. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { ServiceUsage } from '../../billing/accounts/reports/service-usage.ts'
import type { FleetStatus } from '../../billing/fleet/messages.ts'
import { ledgerFolder } from '../../billing/ledger/disk/files.ts'
import { dollars } from '../../billing/money.ts'
import { diskOf, megabytes } from '../../platform/free-space.ts'
import { SLOTS_SETTING_MAX } from '../../platform/limits.ts'
import { packageVersion } from '../../platform/package-version.ts'
import { DAY_MS, SECOND_MS } from '../../platform/time.ts'
import { Chart } from '../layout/chart.tsx'
import { List, onePage } from '../layout/list.tsx'
import { Banner, Page } from '../layout/page.tsx'
import { type Column, Facts, Named, Pairs, Section, Table, Time } from '../layout/parts.tsx'
import { ErrorSection } from '../pages/requests.tsx'
import type { Recharge } from '../payments/recharge.tsx'
import { coverageOf } from '../reports/coverage-figures.ts'
import { csvFile, type FileColumns } from '../reports/csv.ts'
import { sumOf } from '../reports/usage-series.ts'
import { operatorsOnly } from '../session/access.ts'
import type { Dashboard, PageApp } from '../session/page-context.ts'
import { aligned, count, headline, money, nodeState, plural, utcDay, utcMinute, utcMonth } from '../words.ts'
import { Attention, addAccountList } from './accounts.tsx'
import { addOperatorLog } from './log-page.tsx'
import { addOneAccount } from './operator-account.tsx'
import { addSettings } from './settings.tsx'

/** Smallest free share of the disk before a warning. */
const DISK_SHARE_MIN = 0.1
const STRANGERS_MAX = 10

/** Maximum age of the data before a warning. Postal codes change slowly. */
const DATA_DAYS_MAX = 365

const SOUND = 'The ledger is written, the index is served, and no request got 500 since the start.'

export function addConsole(app: PageApp, dashboard: Dashboard, recharge: Recharge): void {
  app.use('/operator', operatorsOnly)
  app.use('/operator/*', operatorsOnly)
  app.get('/operator', c => c.redirect('/operator/service', 303))
  addAccountList(app, dashboard)
  addOneAccount(app, dashboard, recharge)
  addOperatorLog(app, dashboard)
  addSettings(app, dashboard)

  const { accounts, dataPlane } = dashboard

  app.get('/operator/revenue', c => c.html(<Revenue dashboard={dashboard} />))
  app.get('/operator/revenue.csv', async c =>
    csvFile(c, 'revenue', REVENUE_FILE, [monthsOf(await accounts.serviceUsage())]),
  )

  app.get('/operator/service', async c => {
    const usage = await accounts.serviceUsage()
    const queries = usage.hours.map(({ queries }) => queries)
    // Null if the database does not answer.
    const fleet = await dashboard.fleetStatus?.().catch(() => null)
    const concerns = await concernsOf(dashboard, recharge, fleet)
    const undelivered = dashboard.alerts.concern(Date.now())
    const withErrors = <a href="/operator/accounts?state=errors">accounts with errors</a>
    return c.html(
      <Page title="Service">
        {concerns.map(text => text && <Banner text={text} />)}
        {undelivered.text && (
          <Banner text={undelivered.text}>
            {undelivered.accounts.map(({ id, email }) => [
              <a href={`/operator/accounts/${id}`}>{email}</a>,
              ' ',
            ])}
          </Banner>
        )}
        {concerns.length === 0 && !undelivered.text && <Banner kind="notice" text={SOUND} />}
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
        <Strangers dashboard={dashboard} />
        <ServerSection dashboard={dashboard} />
      </Page>,
    )
  })
}

/** Returns the problems of the service with their remedies. @param fleet null if its database does not answer */
async function concernsOf(dashboard: Dashboard, recharge: Recharge, fleet?: FleetStatus | null) {
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
    !accounts.healthy &&
      'The ledger cannot be written: requests get 503. Free space on the disk, then restart.',
    accounts.syncState().isStalled && 'A sync of the ledger hangs: nothing is charged. Check the disk.',
    problem && `The published index is not served: ${problem}. Publish it again.`,
    file.problem !== problem &&
      file.problem &&
      `The file at INDEX_FILE cannot be used: ${file.problem}. The index of ${utcMinute(file.writtenMs)} UTC is still served, but not after a restart. Put a sound index at ${indexFile}.`,
    freeBytes < DISK_SHARE_MIN * totalBytes &&
      `The disk of DATA_DIR is nearly full: ${diskText(freeBytes, totalBytes)}. Free space before the ledger cannot be written.`,
    days > DATA_DAYS_MAX &&
      `The data are ${count(days)} days old. Install newer packages, then run postrie build.`,
    fleet === null && "The fleet's database does not answer. Start it: nodes charge only their leases.",
    silent > 0 &&
      `${plural(silent, 'node')} of the fleet missed three heartbeats. Restart nodes that are down, with the same DATA_DIR.`,
    failed > 0 && `${plural(failed, 'request')} failed with 500. Look for "request failed" in the log.`,
    recharge.concern?.(),
  ].filter(text => typeof text === 'string' && text !== '')
}

/** Returns the time of the newest snapshot of the ledger; null if there is none: before the first full segment, or in a fleet. */
function snapshotMs(folder: string): number | null {
  const names = existsSync(folder) ? readdirSync(folder).filter(name => name.endsWith('.snapshot')) : []
  const newest = names.sort().at(-1)
  if (newest === undefined) return null
  return statSync(join(folder, newest), { throwIfNoEntry: false })?.mtimeMs ?? null
}

async function ServerSection({ dashboard }: { dashboard: Dashboard }) {
  const { dataPlane, config, followed } = dashboard
  const { dataDir } = config
  const { freeBytes, totalBytes } = await diskOf(dataDir)
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
          ['Disk of DATA_DIR', diskText(freeBytes, totalBytes)],
          ['Last snapshot', <Time ms={snapshotMs(ledgerFolder(dataDir))} />],
          [
            'Latency of one record',
            latency && `median ${micros(latency.p50Micros)}, p99 ${micros(latency.p99Micros)}`,
          ],
          ['Index', <code>{buildId}</code>],
          ['Index written', <Time ms={dataPlane.servedFile().writtenMs || null} />],
          [
            'Codes',
            [
              `${count(codeCount)} in ${plural(countries, 'country', 'countries')}, `,
              <a href="/coverage">coverage</a>,
            ],
          ],
          ['Data', age(dataDayMs)],
          ['Newer data', !published && 'Run postrie build, or follow a published index with INDEX_URL.'],
          ['Published at', published && <code>{published.url}</code>],
          ['Not served', published?.problem],
        ]}
      />
    </Section>
  )
}

function diskText(freeBytes: number, totalBytes: number): string {
  return `${megabytes(freeBytes)} of ${megabytes(totalBytes)} are free (${Math.floor((100 * freeBytes) / totalBytes)} percent)`
}

/** Unknown secrets with the most requests, and where they came from. Request logs may be off: then nothing is listed. */
async function Strangers({ dashboard: { accounts, dataPlane } }: { dashboard: Dashboard }) {
  const { activity } = dataPlane
  const nowMs = Date.now()
  const refused = activity.refusedCounts(nowMs)
  const secrets = [...refused.keys()].filter(who => typeof who === 'string')
  const owners = await accounts.search({ nowMs, refused, perPage: SLOTS_SETTING_MAX })
  const keys = owners.accounts.flatMap(({ id }) => accounts.listKeys(id))
  const known = new Set(keys.flatMap(({ start, earlierStart }) => [start, earlierStart]))
  const rows = secrets
    .filter(start => !known.has(start))
    .flatMap(start => activity.sightings(start))
    .sort((a, b) => b.requests - a.requests)
    .slice(0, STRANGERS_MAX)
  if (rows.length === 0) return null
  return (
    <Section
      title="Unknown keys"
      hint="Requests that sent a key of no account, by its beginning. In a burst, only some are seen."
    >
      <Table
        caption="Unknown keys"
        rows={rows}
        columns={[
          { head: 'Key', kind: 'name', cell: ({ start }) => <code>{start}…</code> },
          { head: 'Address', cell: ({ network }) => network || 'all others' },
          { head: 'Requests seen', kind: 'number', cell: ({ requests }) => count(requests) },
          { head: 'First', cell: ({ firstMs }) => <Time ms={firstMs} /> },
          { head: 'Last', cell: ({ lastMs }) => <Time ms={lastMs} /> },
        ]}
      />
    </Section>
  )
}

const micros = (value: number) => (value < 1000 ? `${count(value)} µs` : `${(value / 1000).toFixed(1)} ms`)

const daysSince = (ms: number): number => Math.max(0, Math.floor((Date.now() - ms) / DAY_MS))

function age(dayMs: number): string {
  if (dayMs <= 0) return 'the sources do not give a day'
  return `from ${utcDay(dayMs)}, ${plural(daysSince(dayMs), 'day')} old. A warning comes after ${DATA_DAYS_MAX}.`
}

type Span = ReturnType<typeof spanOf>
type Sum = Exclude<keyof ServiceUsage['days'][number], 'startMs'>

function difference(head: string, under: string, from: Sum, less: Sum): Column<Span> {
  return {
    ...{ head, under, kind: 'number' },
    cell: ({ sum }) => aligned(sum(from) - sum(less)),
    below: ({ sum }) => [money(sum(from)), '\u00a0−\u00a0', aligned(sum(less))],
  }
}

const AMOUNTS: Column<Span>[] = [
  { head: 'Time', kind: 'name', cell: ({ name }) => name },
  difference('Received', 'paid − refunded', 'paidMicros', 'returnedMicros'),
  difference('Credited', 'by operators, less refunds', 'creditedMicros', 'recordedMicros'),
  {
    ...{ head: 'Earned', under: 'used, with free queries', kind: 'number' },
    cell: ({ isKnown, sum }) => (isKnown ? aligned(sum('earnedMicros')) : '—'),
    below: ({ isKnown, sum }) => isKnown && aligned(sum('micros')),
  },
  {
    ...{ head: 'Forfeited', under: 'by closing', kind: 'number' },
    cell: ({ sum }) => aligned(sum('forfeitedMicros')),
  },
]

const fileColumn = (of: Sum, isUsage?: true) => (span: Span) =>
  isUsage && !span.isKnown ? '' : dollars(span.sum(of)).toFixed(6)

const REVENUE_FILE: FileColumns<Span> = {
  month: ({ name }) => name,
  paid_usd: fileColumn('paidMicros'),
  refunded_usd: fileColumn('returnedMicros'),
  credited_usd: fileColumn('creditedMicros'),
  credits_refunded_usd: fileColumn('recordedMicros'),
  earned_usd: fileColumn('earnedMicros', true),
  used_usd: fileColumn('micros', true),
  forfeited_usd: fileColumn('forfeitedMicros'),
}

async function Revenue({ dashboard }: { dashboard: Dashboard }) {
  const usage = await dashboard.accounts.serviceUsage()
  const { largest } = usage
  const totalsOf = async (state: 'all' | 'closed') =>
    (await dashboard.accounts.search({ nowMs: Date.now(), state, perPage: 1 })).totals()
  const { balanceMicros, debtMicros } = await totalsOf('all')
  const { debtMicros: closedMicros } = await totalsOf('closed')
  const ofClosed = closedMicros > 0 && ` Closed ones owe ${money(closedMicros)}.`
  const spans = spansOf(usage)
  const [, { sum }] = spans
  return (
    <Page
      title="Revenue"
      lead="Payments, less refunds and disputes, are received. Credits by operators, less the refunds that they record, are counted apart. Both become balances. A balance is earned when queries use it, and forfeited when its account is closed. What a refund took beyond a balance is owed."
    >
      <Facts
        facts={[
          ['Received this month', headline(sum('paidMicros') - sum('returnedMicros'))],
          ['Credited this month', headline(sum('creditedMicros') - sum('recordedMicros')), 'by operators'],
          ['Earned this month', headline(sum('earnedMicros'))],
          ['Owed to us', headline(debtMicros - closedMicros), ['debts of accounts, now.', ofClosed]],
          ['Prepaid', headline(balanceMicros), 'balances of accounts, now.'],
        ]}
      />
      <List caption="Revenue by time" found={onePage(spans)} columns={AMOUNTS} file="/operator/revenue.csv" />
      {largest.length > 0 && (
        <Table
          caption="Largest accounts of 30 days"
          rows={largest}
          columns={[
            {
              head: 'Largest accounts',
              kind: 'name',
              cell: ({ id, email }) => <Named name={email} href={`/operator/accounts/${id}`} />,
            },
            { head: '30 days', kind: 'number', cell: row => aligned(row.micros) },
          ]}
        />
      )}
    </Page>
  )
}

function spansOf(usage: ServiceUsage) {
  const { days, months } = usage
  const [[today], [last, present]] = [days.slice(-1), months.slice(-2)]
  const dayOf = (ms: number) => utcDay(ms).slice(8)
  const before = days.filter(
    ({ startMs: ms }) => utcMonth(ms) === utcMonth(last.startMs) && dayOf(ms) <= dayOf(today.startMs),
  )
  return [
    spanOf('Today', [today]),
    spanOf('This month so far', [present]),
    spanOf('Last month to the same day', before),
    spanOf(`${days.length} days`, days),
    ...monthsOf(usage).slice(0, -1).reverse(),
  ]
}

/** Returns the months from the first one with money on. The usage of early ones is not kept by the day. */
function monthsOf({ days, months }: ServiceUsage) {
  const first = months.findIndex(({ startMs: _, ...sums }) => Object.values(sums).some(sum => sum !== 0))
  return months
    .slice(first)
    .map(month => spanOf(utcMonth(month.startMs), [month], month.startMs >= days[0].startMs))
}

/** @param isKnown true if all usage of this time is kept */
function spanOf(name: string, some: ServiceUsage['days'], isKnown = true) {
  return { name, isKnown, sum: (of: Sum) => sumOf(some.map(day => day[of])) }
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

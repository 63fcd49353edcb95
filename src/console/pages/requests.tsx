/** Page of an account's latest requests and its errors of two days. */
import type { Child } from 'hono/jsx'
import { WINDOWS } from '../../billing/accounts/charging/limited.ts'
import type { AccountView, KeyView } from '../../billing/accounts/views.ts'
import { QUERY_PRICE_MICROS } from '../../billing/money.ts'
import { BULK_RECORDS_MAX, ERROR_HOURS, REQUESTS_SHOWN_MAX } from '../../platform/limits.ts'
import { DAY_MS, HOUR_MS } from '../../platform/time.ts'
import { countryName } from '../../postal/library/country-names.ts'
import type { DataPlane, ErrorHour } from '../../service/data-plane.ts'
import { ENDPOINT_LIST } from '../../service/endpoints/table.ts'
import type { Dashboard, PageApp, PageContext } from '../dashboard.ts'
import { Chart } from '../layout/chart.tsx'
import { addForm } from '../layout/form.tsx'
import { addressOf, type Filters, List, onePage, pageOf, queryOf } from '../layout/list.tsx'
import { Page } from '../layout/page.tsx'
import { Button, type Column, Form, Link, Named, Section, Time } from '../layout/parts.tsx'
import { choice } from '../operator/params.ts'
import {
  COUNTED_ERRORS,
  countedSinceMs,
  countedText,
  errorRows,
  failedKeys,
  groupByReason,
  matches,
  type RequestRow,
  requestRows,
} from '../reports/activity.ts'
import { csvFile, type FileColumns } from '../reports/csv.ts'
import { largest, sumOf } from '../reports/usage-series.ts'
import { mayOpen } from '../session/access.ts'
import { agoText, count, iso, keyName, money, namesOf, plural, sixDecimals, utcMinute } from '../words.ts'
import { isAnswered, KeyState } from './key-page.tsx'

/** Longest time that the log of an account keeps requested codes. */
const CODES_KEPT_MS_MAX = DAY_MS

/** Maximum number of reasons of refused requests. */
const REASONS_MAX = 25

/** A row has several lines on a phone. */
const ROWS_PER_PAGE = 25

const CODES_KEPT = `${CODES_KEPT_MS_MAX / HOUR_MS} hours`

const KEEP_CODES_FORM = { keep: choice(['on', 'off'], 'off', { options: { on: '', off: '' } }) }

export function addRequestPages(app: PageApp, dashboard: Dashboard): void {
  const { accounts, dataPlane, audit } = dashboard
  const rowsOf = (c: PageContext) => requestRows(accounts, dataPlane, c.var.account.id)

  app.get('/requests', c => c.html(requestPage(c, dashboard, listOf(c, rowsOf(c)))))

  // Followed by live.js.
  app.get('/requests.json', c => c.json({ html: String(requestList(c, dashboard, listOf(c, rowsOf(c)))) }))

  app.get('/requests.csv', c => csvFile(c, 'requests', fileOf(c.var.keys()), [listOf(c, rowsOf(c)).found]))

  addForm(app, '/requests/codes', '/requests', KEEP_CODES_FORM, async (c, { keep }) => {
    const untilMs = keep === 'on' ? Date.now() + CODES_KEPT_MS_MAX : 0
    dataPlane.activity.keepCodes(accounts.slotOf(c.var.account.id), untilMs)
    audit.record({ what: 'codes', account: c.var.account.id, details: { untilMs } })
    return keep === 'on'
      ? `From the next request on, the log keeps the requested codes, for at most ${CODES_KEPT}.`
      : 'The log no longer keeps the requested codes.'
  })
}

function filtersOf(c: PageContext, rows: readonly RequestRow[]) {
  // Links to counted errors must work even if newer requests have pushed those out of the list.
  const counted = COUNTED_ERRORS.map(([status]) => ({ status }))
  const statuses = [...new Set([...rows, ...counted].map(({ status }) => String(status)))]
    .sort()
    .map(status => [`status-${status}`, status] as const)
  const endpoints = [...new Set(rows.map(({ endpoint }) => endpoint))].sort().map(name => [name, name])
  const isShown = ({ id }: KeyView) => id === c.req.query('key') || rows.some(({ keyId }) => keyId === id)
  const used = c.var.keys().filter(isShown)
  const within = c.req.query('within')
  return {
    only: { label: 'Status', options: { all: 'All', errors: 'Errors', ...Object.fromEntries(statuses) } },
    within: { ...(within && { label: 'Time' }), options: { '': 'All', ...(within && spanOption(within)) } },
    endpoint: { label: 'Endpoint', options: { '': 'All', ...Object.fromEntries(endpoints) } },
    key: { label: 'Key', options: { '': 'All', ...Object.fromEntries(namesOf(used)) } },
  } satisfies Filters
}

/** Returns the option of an hour or a day, to which a bar of a chart leads. */
function spanOption(span: string): Record<string, string> {
  return /^\d{4}-\d\d-\d\d(T\d\d)?$/.test(span) ? { [span]: span.replace(/T(.*)/, ' $1:00') } : {}
}

type Rows = readonly RequestRow[]

function listOf(c: PageContext, rows: Rows) {
  const filters = filtersOf(c, rows)
  const { only, within, key, endpoint, wanted, page } = queryOf(c, filters)
  const isWithin = (timeMs: number) => iso(timeMs).startsWith(within)
  const isWanted = (status: number) =>
    only === 'all' || (only === 'errors' ? status !== 200 : only === `status-${status}`)
  const found = rows.filter(
    row =>
      isWithin(row.timeMs) &&
      matches(row, wanted) &&
      isWanted(row.status) &&
      (key === '' || row.keyId === key) &&
      (endpoint === '' || row.endpoint === endpoint),
  )
  /** True for the secret of a key, by the same filters: its requests with 401 are only counted. */
  const isFailedWanted = ({ start, key: { id, label } }: Failed) =>
    isWanted(401) &&
    endpoint === '' &&
    (key === '' || id === key) &&
    ['401', start, label].some(text => text.toLowerCase().includes(wanted.toLowerCase()))
  return { rows, filters, found, page, isFailedWanted, isWithin }
}

function requestPage(c: PageContext, dashboard: Dashboard, list: ReturnType<typeof listOf>) {
  const { accounts, dataPlane } = dashboard
  const { id } = c.var.account
  const nowMs = Date.now()
  const hours = errorRows(accounts, dataPlane, id, nowMs)
  const untilMs = dataPlane.activity.codesKeptUntilMs(accounts.slotOf(id))
  const isKept = untilMs > nowMs
  const lead = ['The newest requests with a valid key, since ', <Time ms={dataPlane.activity.sinceMs} />, '.']
  return (
    <Page c={c} title="Requests" lead={lead}>
      {requestList(c, dashboard, list)}
      <ErrorSection {...{ hours, dataPlane }} requests="/requests?only=errors" />
      <Section
        title="What is kept"
        hint={`The last ${count(REQUESTS_SHOWN_MAX)} answered and the last ${count(REQUESTS_SHOWN_MAX)} refused requests. In a burst, only some are kept. They are lost if the service is killed. ${
          isKept
            ? `The log keeps the requested codes until ${utcMinute(untilMs)}.`
            : `The log has no codes. To see what a program sends, it can keep them for ${CODES_KEPT}.`
        }`}
      >
        <Form c={c} action="/requests/codes" hidden={{ keep: isKept ? 'off' : 'on' }}>
          <Button text={isKept ? 'Stop keeping codes' : `Keep codes for ${CODES_KEPT}`} />
        </Form>
      </Section>
    </Page>
  )
}

interface Refusal {
  status: number
  reason: Child
  requests: number
  who: Child
  latest: Child
  isOver: boolean
}

type Failed = ReturnType<typeof failedKeys>[number]

interface RefusalProps {
  c: PageContext
  account: AccountView
  rows: Rows
  /** Secrets that got 401. The list of requests does not have theirs. */
  failed: readonly Failed[]
  keys?: readonly KeyView[]
  /** True on pages of the customer. Operators get a button that opens the requests as the customer sees them. */
  isOwn?: boolean
}

/** True for a refusal before the last hour. */
const isPast = (latestMs: number) => latestMs < Date.now() - HOUR_MS

/** Returns the reasons of refused requests: those that go on first, then those with the most requests. */
export function refusalsOf({ c, account, rows, failed, keys = c.var.keys(), isOwn = false }: RefusalProps) {
  const names = namesOf(keys)
  const nameOf = (id: string, name: string) => <Named name={name} href={isOwn ? `/keys/${id}` : undefined} />
  const refusals = [...groupByReason(rows.filter(({ error }) => error !== null))].map(
    ([reason, rows]): Refusal => {
      const [newest] = rows
      const href = `/requests?${new URLSearchParams({ q: reason, only: 'errors' })}`
      const used = new Set(rows.map(({ keyId }) => keyId))
      const [keyId = ''] = used
      const solved = solutionOf(account, keys, newest)
      const isOver = solved !== '' || isPast(newest.timeMs)
      const under = isOver ? solved : remedyFor(c, newest)
      const view = (
        <Form c={c} action={`/operator/accounts/${account.id}/view`} hidden={{ to: href }}>
          <Button kind="link" text={reason} />
        </Form>
      )
      return {
        status: newest.status,
        reason: isOwn ? <Named {...{ href, under }} name={reason} /> : view,
        requests: rows.length,
        who: used.size > 1 ? plural(used.size, 'key') : nameOf(keyId, names.get(keyId) ?? keyId),
        latest: [<Time ms={newest.timeMs} />, <span class="under small">{agoText(newest.timeMs)}</span>],
        isOver,
      }
    },
  )
  const more = failed.map(each => failedRow(account, each, isOwn))
  return [...more, ...refusals].sort((a, b) => Number(a.isOver) - Number(b.isOver) || b.requests - a.requests)
}

/** Returns why an equal request would not be refused again; `''` if it might be. */
function solutionOf(account: AccountView, keys: readonly KeyView[], row: RequestRow): string {
  const { status, bound, endpoint, keyId } = row
  const key = keys.find(({ id }) => id === keyId)
  // The log does not know how many records a refused batch had.
  const isBulk = ENDPOINT_LIST.some(({ name, isBulk }) => isBulk && name === endpoint)
  const priceMax = (isBulk ? BULK_RECORDS_MAX : 1) * QUERY_PRICE_MICROS
  if (status === 402 && bound === null)
    return account.balanceMicros >= priceMax ? 'The balance covers it now.' : ''
  if (status === 402)
    return key?.capMicros === null || (!isBulk && key?.isCapped === false) ? 'The cap has room now.' : ''
  const window = WINDOWS.find(({ name }) => name === bound?.window)
  if (bound === null || window === undefined) return ''
  const limits = bound.of === 'key' ? key?.rules.limits : account.limits
  return (limits?.[window.limit] ?? Infinity) > (bound.most ?? 0) ? 'The limit has been raised.' : ''
}

interface RefusalListProps {
  c: PageContext
  refusals: Refusal[]
  empty?: Child
  most?: number
}

/** Reasons of refused requests. Those that are over are grey. */
export function RefusalList({ c, refusals, empty = '', most = REASONS_MAX }: RefusalListProps) {
  const all = plural(refusals.length, 'reason')
  return (
    <List
      c={c}
      title="Why requests were refused"
      class="log"
      found={onePage(refusals.slice(0, most))}
      noun={['reason', refusals.length > most ? `of ${all}` : 'reasons']}
      empty={empty}
      rowClass={({ isOver }) => (isOver ? 'past' : undefined)}
      columns={[
        { head: 'Reason', kind: 'name', cell: ({ reason }) => reason },
        { head: 'Status', cell: ({ status }) => <span class="tag bad">{status}</span> },
        { head: 'Requests', kind: 'number', cell: ({ requests }) => count(requests) },
        { head: 'Key', cell: ({ who }) => who },
        { head: 'Latest', cell: ({ latest }) => latest },
      ]}
    />
  )
}

export function noRequests({ createdMs }: AccountView, { activity: { sinceMs } }: DataPlane): string {
  return createdMs > sinceMs ? 'No requests yet.' : `No requests since ${utcMinute(sinceMs)} UTC.`
}

/** Returns the list of requests, and why some were refused. A script follows it if the reader asks for that; without scripts, the page is loaded again. */
function requestList(c: PageContext, { dataPlane }: Dashboard, list: ReturnType<typeof listOf>) {
  const { rows, filters, found, page } = list
  const failed = failedKeys(dataPlane, c.var.keys(), Date.now(), list.isWithin).filter(list.isFailedWanted)
  const refusals = refusalsOf({ c, failed, account: c.var.account, rows: found, isOwn: true })
  const { standing } = c.var.account
  const isLive = c.req.query('live') !== undefined
  const here = addressOf(c, '/requests', filters)
  const follow = addressOf(c, '/requests', filters, { live: 'on' })
  return (
    <section
      class="list"
      data-tail={isLive ? addressOf(c, '/requests.json', filters, { live: 'on' }) : undefined}
    >
      {rows.length > 0 && (
        <p class="actions">
          {isLive ? (
            <>
              <span class="tag good">live</span> As of <Time ms={Date.now()} seconds />.
              <a href={follow}>Load again</a> <a href={here}>Stop</a>
            </>
          ) : (
            <Link href={follow} text="Follow live" />
          )}
        </p>
      )}
      {refusals.length > 0 && <RefusalList {...{ c, refusals }} />}
      <List
        class="log"
        c={c}
        title="Requests, newest first"
        columns={columnsOf(c)}
        found={{ ...pageOf(foldRows(found), page, ROWS_PER_PAGE), matches: found.length }}
        noun={['request']}
        {...(rows.length > 0 && { search: 'code, address or id', filters })}
        file="/requests.csv"
        empty={
          rows.length > 0
            ? `None of the ${count(rows.length)} kept requests match. Older requests are only counted. Those with 401 have no valid key: they are counted by hour, without their addresses.`
            : standing === null
              ? [noRequests(c.var.account, dataPlane), ' ', <a href="/docs#lookup">Send one</a>]
              : `All requests are refused while the account is ${standing.state}.`
        }
      />
    </section>
  )
}

/** A request, or equal refusals in a row, of which it is the latest. */
type FoldedRow = RequestRow & { times: number }

function foldRows(rows: Rows): FoldedRow[] {
  const folded: FoldedRow[] = []
  for (const row of rows) {
    const last = folded.at(-1)
    const isEqual = (['status', 'endpoint', 'country', 'code', 'keyId', 'reason'] as const).every(
      of => last?.[of] === row[of],
    )
    if (last && row.status !== 200 && isEqual) last.times++
    else folded.push({ ...row, times: 1 })
  }
  return folded
}

/** Returns a link to what helps after a refusal, for readers who may open it. */
function remedyFor(c: PageContext, row: RequestRow): Child {
  const [href, text] = remedyOf(row)
  return !href.startsWith('/balance') || mayOpen(c, '/balance') ? <a href={href}>{text}</a> : text
}

function columnsOf(c: PageContext): Column<FoldedRow>[] {
  const names = namesOf(c.var.keys())
  return [
    {
      head: 'Time',
      kind: 'name',
      cell: ({ timeMs, requestId }) => (
        <>
          <Time ms={timeMs} seconds />
          {requestId !== null && (
            <span class="under label" title={requestId}>
              {requestId}
            </span>
          )}
        </>
      ),
    },
    {
      head: 'Status',
      cell: ({ status }) => <span class={status === 200 ? 'tag good' : 'tag bad'}>{status}</span>,
    },
    {
      head: 'Request',
      kind: 'detail',
      cell: ({ endpoint, country, code, times, chargeMicros }) => (
        <>
          {endpoint} <span class="muted">{[country, code].filter(Boolean).join(' ')}</span>{' '}
          {times > 1 && `× ${count(times)}`}
          {chargeMicros > QUERY_PRICE_MICROS && plural(chargeMicros / QUERY_PRICE_MICROS, 'record')}
        </>
      ),
      below: ({ error }) => error,
    },
    {
      head: 'Key',
      cell: ({ keyId }) => <Named name={names.get(keyId) ?? keyId} href={`/keys/${keyId}`} />,
    },
    { head: 'Address', cell: ({ client }) => client !== null && <Named name={client} /> },
    {
      head: 'Duration',
      kind: 'number',
      cell: ({ durationMicros }) => `${(durationMicros / 1000).toFixed(3)} ms`,
    },
    { head: 'Charge', kind: 'number', cell: ({ chargeMicros }) => money(chargeMicros) },
  ]
}

function failedRow(
  account: AccountView,
  { key, start, requests, lastHourMs }: Failed,
  isOwn: boolean,
): Refusal {
  const code = <code>{start}…</code>
  const isReplaced = start === key.formerStart && key.earlier === null && key.revokedMs === null
  const isWrong = !isReplaced && isAnswered(account, key)
  const state = isReplaced ? <span class="tag">replaced</span> : KeyState({ account, view: key })
  const isOver = isPast(lastHourMs + HOUR_MS)
  const [href, remedy] =
    isWrong || isReplaced
      ? [`/keys/${key.id}/roll`, 'Send its whole present secret. If that is lost, roll the key']
      : [`/keys/${key.id}`, 'Send another key, or see what this one is for']
  return {
    status: 401,
    reason: [
      isWrong
        ? ['A key that begins with ', code, ' was sent, but the rest is wrong: it may be cut off']
        : ['The secret ', code, ' is not accepted: ', state],
      isOwn && !isOver && (
        <span class="under small">
          <a href={href}>{remedy}</a>
        </span>
      ),
    ],
    requests,
    who: <Named name={keyName(key)} href={isOwn ? `/keys/${key.id}` : undefined} />,
    latest: `${utcMinute(lastHourMs)}–${utcMinute(lastHourMs + HOUR_MS).slice(11)}`,
    isOver,
  }
}

function remedyOf({ status, bound, keyId, country, endpoint }: RequestRow): [href: string, text: string] {
  const isOfKey = bound?.of === 'key'
  if (status === 402)
    return isOfKey ? [`/keys/${keyId}#cap`, 'Raise the cap of the key'] : ['/balance#recharge', 'Recharge']
  if (status === 403) return [`/keys/${keyId}#rules`, 'Change the rules of the key']
  if (status === 429)
    return isOfKey
      ? [`/keys/${keyId}#rules`, 'Change the limits of the key']
      : ['/keys#limits', 'Change the limits']
  if (status === 404 && isCountry(country))
    return [`/coverage/${country}`, `See how codes of ${countryName(country)} are written`]
  if (status === 400 && country !== '' && !isCountry(country))
    return ['/coverage', `Send the country as two letters, such as DE, not as ${country}`]
  return [`/docs#${endpoint}`, `See the fields of ${endpoint}`]
}

const isCountry = (country: string) => /^[A-Z]{2}$/.test(country)

const OWN_401 = 'counts keys that begin like a present or an earlier key of this account'

interface ErrorsProps {
  dataPlane: DataPlane
  hours: readonly ErrorHour[]
  /** Meaning of 401. */
  unknown?: Child
  /** Path of the list of errors. */
  requests?: string
}

export function ErrorSection({ dataPlane, hours, unknown = OWN_401, requests }: ErrorsProps) {
  const nowMs = Date.now()
  const ranked = COUNTED_ERRORS.map(([status, meaning]) => ({
    label: `${status} ${meaning}`,
    values: hours.map(hour => hour[status]),
  })).sort((a, b) => sumOf(b.values) - sumOf(a.values))
  return (
    <Section
      title={`Errors of the last ${ERROR_HOURS} hours`}
      hint={
        <>
          Errors are free. 401 {unknown}. Counted since <Time ms={countedSinceMs(dataPlane, nowMs)} />.
        </>
      }
    >
      <Chart
        label="Errors by hour"
        empty={`No errors ${countedText(dataPlane, nowMs)}.`}
        usage={{
          by: 'hour',
          starts: hours.map(({ startMs }) => startMs),
          series: largest(ranked, COUNTED_ERRORS.length),
        }}
        requests={requests}
      />
    </Section>
  )
}

function fileOf(keys: readonly KeyView[]): FileColumns<RequestRow> {
  const labels = namesOf(keys)
  return {
    time: ({ timeMs }) => iso(timeMs),
    endpoint: ({ endpoint }) => endpoint,
    country: ({ country }) => country,
    code: ({ code }) => code,
    status: ({ status }) => status,
    reason: ({ error }) => error,
    milliseconds: ({ durationMicros }) => (durationMicros / 1000).toFixed(3),
    key: ({ keyId }) => keyId,
    label: ({ keyId }) => labels.get(keyId) ?? '',
    dollars: ({ chargeMicros }) => sixDecimals(chargeMicros),
    address: ({ client }) => client,
    request_id: ({ requestId }) => requestId,
  }
}

import type { KeyView } from '../../billing/accounts/views.ts'
import { parseNetwork } from '../../platform/networks.ts'
import { DAY_MS, HOUR_MS } from '../../platform/time.ts'
import { ENDPOINT_LIST } from '../../service/endpoints/table.ts'
import { LISTED_STATUSES } from '../../service/errors.ts'
import { REQUESTS_SHOWN_MAX, SECRET_REQUESTS_MAX } from '../../service/limits.ts'
import { addForm } from '../layout/form.tsx'
import { datesAsked, type Filters, List, listAddress, pageOf, readQuery } from '../layout/list.tsx'
import { Page } from '../layout/page.tsx'
import { Form, Link, Section, Time } from '../layout/parts.tsx'
import { matches, type Refusal, type RequestRow, refusalRows, requestRows } from '../reports/activity.ts'
import { csvFile, type FileColumns, named } from '../reports/csv.ts'
import { RANGES } from '../reports/usage-series.ts'
import {
  ErrorSection,
  grouped,
  millisecondsOf,
  ReasonList,
  requestColumns,
} from '../sections/request-lists.tsx'
import { formText } from '../session/forms.ts'
import { type Dashboard, type PageApp, type PageContext, pageContext } from '../session/page-context.ts'
import { sumOf } from '../sums.ts'
import { count, isBetween, iso, money, namesOf, plural, sixDecimals, utcMinute } from '../words.ts'

/** Longest time that the log of an account keeps requested codes. */
const CODES_KEPT_MS_MAX = DAY_MS
/** A row has several lines on a phone. */
const ROWS_PER_PAGE = 25

const NO_DATES = { from: { options: { '': '' } }, to: { options: { '': '' } } }
const CODES_KEPT = `${CODES_KEPT_MS_MAX / HOUR_MS} hours`

export function addRequestPages(app: PageApp, dashboard: Dashboard): void {
  const { accounts, dataPlane, audit } = dashboard

  app.get('/requests', c => {
    const list = listOf(dashboard)
    const { only, from, to, key, endpoint } = readQuery(list.filters)
    const sinceMs = list.rows.findLast(({ status }) => status === 200)?.timeMs ?? dataPlane.activity.sinceMs
    if (to < from || only !== 'all' || to >= iso(sinceMs).slice(0, to.length))
      return c.html(requestPage(c, dashboard, list))
    // A bar of a chart may stand for requests that are no longer kept.
    c.var.session.keep({ notice: 'Requests of this time are no longer kept. This is the usage of its days.' })
    const days = { range: 'dates', from: from.slice(0, 10), to: to.slice(0, 10) }
    return c.redirect(`/usage?${new URLSearchParams({ ...days, key, endpoint })}`)
  })

  // Followed by live.js.
  app.get('/requests.json', c => c.json({ html: String(requestList(c, dashboard, listOf(dashboard))) }))

  app.get('/requests.csv', c => csvFile(c, 'requests', fileOf(c.var.keys()), [listOf(dashboard).found]))

  addForm(app, '/requests/codes', '/requests', {}, async c => {
    const isKept = (await formText(c, 'keep')) === 'on'
    const untilMs = isKept ? Date.now() + CODES_KEPT_MS_MAX : 0
    dataPlane.activity.keepCodes(accounts.slotOf(c.var.account.id), untilMs)
    audit.record({ what: 'codes', account: c.var.account.id, details: { untilMs } })
    return isKept
      ? `From the next request on, the log keeps the requested codes, for at most ${CODES_KEPT}.`
      : 'The log no longer keeps the requested codes.'
  })
}

function filtersOf(rows: readonly RequestRow[]) {
  const c = pageContext()
  const used = new Set([c.req.query('key'), ...rows.map(({ keyId }) => keyId)])
  const keys = c.var.keys().filter(({ id }) => used.has(id))
  const endpoints = ENDPOINT_LIST.map(({ name }) => [name, name])
  return {
    only: {
      label: 'Status',
      options: {
        all: 'All',
        errors: 'Errors',
        ...Object.fromEntries(LISTED_STATUSES.map(status => [`status-${status}`, String(status)])),
      },
    },
    endpoint: { label: 'Endpoint', options: { '': 'All', ...Object.fromEntries(endpoints) } },
    key: { label: 'Key', options: { '': 'All', ...Object.fromEntries(namesOf(keys)) } },
    range: { label: 'Time', options: { '': 'All', dates: RANGES.dates } },
    ...(c.req.query('range') === 'dates' ? datesAsked('datetime-local') : NO_DATES),
  } satisfies Filters
}

function listOf(dashboard: Dashboard) {
  const { id } = pageContext().var.account
  const rows = requestRows(dashboard, id)
  const filters = filtersOf(rows)
  const { only, from, to, key, endpoint, wanted, page } = readQuery(filters)
  const isShown = ({ status, ...row }: Pick<Refusal, 'status' | 'keyId' | 'endpoint'>) =>
    (only === 'all' || (only === 'errors' ? status !== 200 : only === `status-${status}`)) &&
    ['', row.keyId].includes(key) &&
    ['', row.endpoint].includes(endpoint)
  const within = rows.filter(({ timeMs }) => isBetween(iso(timeMs), { from, to }))
  const found = within.filter(row => isShown(row) && matches(row, wanted))
  // A count has no minute, code, address or id.
  const hours = { from: from.slice(0, 13), to: to.slice(0, 13) }
  const refusals = refusalRows(dashboard, id)
  const counts = refusals
    .filter(({ hour }) => isBetween(iso(hour * HOUR_MS).slice(0, 13), hours))
    .filter(each => isShown(each) && each.reason.toLowerCase().includes(wanted.toLowerCase()))
  const counted = sumOf(counts.map(({ requests }) => requests))
  const isOfHours = ['', ':00'].includes(from.slice(13)) && ['', ':59'].includes(to.slice(13))
  const isPart = isOfHours && found.length < counted && found.every(({ status }) => status !== 200)
  const isLive = pageContext().req.query('live') !== undefined
  return { rows, filters, found, page, refusals, counts, counted, isPart, isLive }
}

function requestPage(c: PageContext, dashboard: Dashboard, list: ReturnType<typeof listOf>) {
  const { accounts, dataPlane } = dashboard
  const untilMs = dataPlane.activity.codesKeptUntilMs(accounts.slotOf(c.var.account.id))
  const [keep, text, codes] =
    untilMs > Date.now()
      ? ['off', 'Stop keeping codes', `kept until ${utcMinute(untilMs)} UTC.`]
      : ['on', `Keep codes for ${CODES_KEPT}`, 'not kept. Keep them to see what your programs send.']
  const { filters, isLive } = list
  const follow = listAddress('/requests', filters, { live: 'on' })
  const lead = [
    ['Since ', <Time ms={dataPlane.activity.sinceMs} />, ' '],
    isLive && <Link href={listAddress('/requests', filters)} text="Stop" />,
    isLive && [' ', <Link kind="unscripted" href={follow} text="Load again: only a script can follow" />],
    !isLive && <Link href={follow} text="Follow live" />,
    list.found.length > 0 && [' ', <Link href={listAddress('/requests.csv', filters)} text="Export CSV" />],
  ]
  return (
    <Page title="Requests" lead={lead}>
      {requestList(c, dashboard, list)}
      <Section
        title="What is kept"
        hint={`The newest ${count(REQUESTS_SHOWN_MAX)} requests of each status, of 401 the last ${SECRET_REQUESTS_MAX} of each secret, fewer of a burst, none after a crash. All errors are counted, and free. Requested codes: ${codes}`}
      >
        <Form action="/requests/codes" hidden={{ keep }} button={text} />
      </Section>
    </Page>
  )
}

/** Returns requests, then their errors and reasons. A script replaces all of it. */
function requestList(c: PageContext, { dataPlane }: Dashboard, list: ReturnType<typeof listOf>) {
  const { rows, filters, found, page, refusals, counts, counted, isPart, isLive } = list
  const { account } = c.var
  const { sinceMs } = dataPlane.activity
  const { standing, createdMs } = account
  const none = createdMs > sinceMs ? 'No requests yet.' : `No requests since ${utcMinute(sinceMs)} UTC.`
  const isTold = counts.length > 0 || refusals.length === 0
  const errors = found.filter(({ status }) => status !== 200).length
  const charged = money(sumOf(found.map(({ chargeMicros }) => chargeMicros)))
  return (
    <section
      class="list"
      data-tail={isLive ? listAddress('/requests.json', filters, { live: 'on' }) : undefined}
    >
      <List
        class="log compact"
        caption="Requests, newest first"
        columns={requestColumns(account, c.var.keys())}
        found={{ ...pageOf(grouped(found), page, ROWS_PER_PAGE), matches: found.length }}
        noun={isPart ? ['request', `of ${count(counted)} requests are kept`] : ['request']}
        {...(rows.length > 0 && { search: 'code, address or id', filters })}
        help={`${count(rows.length)} requests are kept. Older ones are only counted.`}
        empty={
          standing === null
            ? [none, ' ', <a href="/docs#lookup">Send one</a>]
            : `All requests are refused while the account is ${standing.state}.`
        }
      >
        <p class="hint">
          {isLive && <span class="tag good live">{c.req.path.endsWith('.json') && 'live'}</span>}
          {isLive && [' as of ', <Time ms={Date.now()} seconds />, ': ']}
          {rows.length > 0 &&
            `${plural(found.length, 'request')} kept, ${charged}, ${plural(errors, 'error')}`}
          {found[0] &&
            parseNetwork(readQuery(filters).wanted) !== null && [
              '. Not yours? ',
              <a href={`/keys/${found[0].keyId}#uses`}>See what its key has counted, or roll it</a>,
            ]}
        </p>
      </List>
      {isTold && <ErrorSection {...{ counts, dataPlane }} requests="/requests?only=errors" />}
      {counts.length > 0 && <ReasonList {...{ account, counts }} />}
    </section>
  )
}

function fileOf(keys: readonly KeyView[]): FileColumns<RequestRow> {
  const labels = namesOf(keys)
  return {
    time: ({ timeMs }) => iso(timeMs),
    ...named('endpoint', 'country', 'code', 'status'),
    reason: ({ error }) => error,
    milliseconds: millisecondsOf,
    key: ({ keyId }) => keyId,
    label: ({ keyId }) => labels.get(keyId) ?? '',
    dollars: ({ chargeMicros }) => sixDecimals(chargeMicros),
    address: ({ client }) => client,
    request_id: ({ requestId }) => requestId,
  }
}

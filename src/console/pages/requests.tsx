/** Page of an account's latest requests and its errors of two days. */
import type { Child } from 'hono/jsx'
import type { AccountView, KeyView } from '../../billing/accounts/views.ts'
import { QUERY_PRICE_MICROS } from '../../billing/money.ts'
import { DAY_MS, HOUR_MS } from '../../platform/time.ts'
import type { DataPlane, RefusalCount } from '../../service/data-plane.ts'
import { ENDPOINT_LIST } from '../../service/endpoints/table.ts'
import { COUNTED_ERRORS, LISTED_STATUSES } from '../../service/errors.ts'
import { ERROR_HOURS, REQUESTS_SHOWN_MAX } from '../../service/limits.ts'
import { Chart } from '../layout/chart.tsx'
import { addForm } from '../layout/form.tsx'
import { addressOf, type Filters, List, onePage, pageOf, queryOf } from '../layout/list.tsx'
import { Page } from '../layout/page.tsx'
import { type Column, Form, Link, Named, Pairs, Remedy, Section, Time } from '../layout/parts.tsx'
import { choice } from '../operator/params.ts'
import type { Refusal, RequestRow } from '../reports/activity.ts'
import { countedText, matches, refusalRows, requestRows } from '../reports/activity.ts'
import { csvFile, type FileColumns, named } from '../reports/csv.ts'
import { type Advice, type Reason, reasonsOf, titleOf } from '../reports/reasons.ts'
import { largest, sumOf } from '../reports/usage-series.ts'
import { type Dashboard, type PageApp, type PageContext, pageContext } from '../session/page-context.ts'
import { agoText, count, iso, money, namesOf, plural, sixDecimals, utcMinute } from '../words.ts'

/** Longest time that the log of an account keeps requested codes. */
const CODES_KEPT_MS_MAX = DAY_MS
const REASONS_MAX = 25
/** Number of reasons that are not folded, as in the style sheet. One more is not worth it. */
const REASONS_TOP = 3
/** A row has several lines on a phone. */
const ROWS_PER_PAGE = 25

const CODES_KEPT = `${CODES_KEPT_MS_MAX / HOUR_MS} hours`

export function addRequestPages(app: PageApp, dashboard: Dashboard): void {
  const { accounts, dataPlane, audit } = dashboard

  app.get('/requests', c => c.html(requestPage(c, dashboard)))

  // Followed by live.js.
  app.get('/requests.json', c => c.json({ html: String(requestList(c, dashboard, listOf(dashboard))) }))

  app.get('/requests.csv', c => csvFile(c, 'requests', fileOf(c.var.keys()), [listOf(dashboard).found]))

  const keep = choice(['on', 'off'], 'off', { options: { on: '', off: '' } })
  addForm(app, '/requests/codes', '/requests', { keep }, async (c, { keep }) => {
    const untilMs = keep === 'on' ? Date.now() + CODES_KEPT_MS_MAX : 0
    dataPlane.activity.keepCodes(accounts.slotOf(c.var.account.id), untilMs)
    audit.record({ what: 'codes', account: c.var.account.id, details: { untilMs } })
    return keep === 'on'
      ? `From the next request on, the log keeps the requested codes, for at most ${CODES_KEPT}.`
      : 'The log no longer keeps the requested codes.'
  })
}

function filtersOf(rows: readonly RequestRow[]) {
  const c = pageContext()
  const used = new Set([c.req.query('key'), ...rows.map(({ keyId }) => keyId)])
  const keys = c.var.keys().filter(({ id }) => used.has(id))
  // The hour or the day of a bar of a chart.
  const within = c.req.query('within') ?? ''
  const span = /^\d{4}-\d\d-\d\d(T\d\d)?$/.test(within) && { [within]: within.replace(/T(.*)/, ' $1:00') }
  const named = (names: readonly string[]) => Object.fromEntries(names.map(name => [name, name]))
  return {
    only: {
      label: 'Status',
      options: {
        all: 'All',
        errors: 'Errors',
        ...Object.fromEntries(LISTED_STATUSES.map(status => [`status-${status}`, String(status)])),
      },
    },
    within: { ...(within && { label: 'Time' }), options: { '': 'All', ...span } },
    endpoint: { label: 'Endpoint', options: { '': 'All', ...named(ENDPOINT_LIST.map(({ name }) => name)) } },
    key: { label: 'Key', options: { '': 'All', ...Object.fromEntries(namesOf(keys)) } },
  } satisfies Filters
}

function listOf(dashboard: Dashboard) {
  const { id } = pageContext().var.account
  const rows = requestRows(dashboard, id)
  const filters = filtersOf(rows)
  const { only, within, key, endpoint, wanted, page } = queryOf(filters)
  const isShown = (timeMs: number, { status, ...row }: Pick<Refusal, 'status' | 'keyId' | 'endpoint'>) =>
    iso(timeMs).startsWith(within) &&
    (only === 'all' || (only === 'errors' ? status !== 200 : only === `status-${status}`)) &&
    ['', row.keyId].includes(key) &&
    ['', row.endpoint].includes(endpoint)
  const found = rows.filter(row => isShown(row.timeMs, row) && matches(row, wanted))
  // A count has no code, address or id.
  const counts = refusalRows(dashboard, id).filter(
    each => isShown(each.hour * HOUR_MS, each) && each.reason.toLowerCase().includes(wanted.toLowerCase()),
  )
  return { rows, filters, found, page, counts, wanted }
}

function requestPage(c: PageContext, dashboard: Dashboard) {
  const { accounts, dataPlane } = dashboard
  const list = listOf(dashboard)
  const nowMs = Date.now()
  const untilMs = dataPlane.activity.codesKeptUntilMs(accounts.slotOf(c.var.account.id))
  const isKept = untilMs > nowMs
  const [keep, text] = isKept ? ['off', 'Stop keeping codes'] : ['on', `Keep codes for ${CODES_KEPT}`]
  const lead = ['The newest requests since ', <Time ms={dataPlane.activity.sinceMs} />, '.']
  return (
    <Page title="Requests" lead={lead}>
      {requestList(c, dashboard, list)}
      <Section
        title="What is kept"
        hint={`The last ${count(REQUESTS_SHOWN_MAX)} requests of each status. In a longer burst, some of them are left out. They are lost if the service is killed. ${
          isKept
            ? `The log keeps the requested codes until ${utcMinute(untilMs)}.`
            : `The log has no codes. To see what a program sends, it can keep them for ${CODES_KEPT}.`
        }`}
      >
        <Form action="/requests/codes" hidden={{ keep }} button={text} />
      </Section>
    </Page>
  )
}

interface ReasonListProps {
  account: AccountView
  keys?: readonly KeyView[]
  counts: readonly Refusal[]
  empty?: Child
  /** Id of the key that all of them are of. */
  of?: string
  /** Path of the account's page for operators; undefined on the customer's own pages. */
  operator?: string
}

/** Reasons of refused requests, each with what helps. Those that are over are grey. */
export function ReasonList(props: ReasonListProps) {
  const { account, keys = pageContext().var.keys(), counts, empty = '', of, operator } = props
  const reasons = reasonsOf(counts, account, keys, operator)
  const names = namesOf(keys)
  const adviceText = ({ text, href = '' }: Advice) => {
    const isOpen = operator !== undefined || /^\/(docs|coverage)/.test(href)
    return (href && (isOpen ? <a href={href}>{text}</a> : <Remedy {...{ href, text }} />)) || text
  }
  const shown = reasons.slice(0, REASONS_MAX)
  const ofKey: Column<Reason> = {
    head: 'Key',
    cell: ({ keys, refusal }) => {
      const { keyId } = refusal
      const [name, href] =
        keys.size > 1
          ? [plural(keys.size, 'key'), pathOf(refusal)]
          : [names.get(keyId) ?? keyId, `/keys/${keyId}`]
      return <Named name={name} href={operator === undefined ? href : undefined} />
    },
  }
  return (
    <>
      <List
        title="Why requests were refused"
        class="log compact"
        found={onePage(shown)}
        empty={empty}
        rowClass={({ isOver }) => (isOver ? 'past' : undefined)}
        columns={[
          {
            head: 'Reason',
            kind: 'name',
            cell: ({ refusal, ...advice }) => {
              const name = titleOf(refusal)
              return [
                operator === undefined ? <a href={pathOf(refusal, of)}>{name}</a> : name,
                isOfKey(refusal) && <span class="muted">, last from {refusal.client}</span>,
                ' · ',
                <span class="small">{adviceText(advice)}</span>,
              ]
            },
          },
          { head: 'Status', cell: ({ refusal }) => <Status {...refusal} /> },
          ...(of === undefined ? [ofKey] : []),
          { head: 'Requests', kind: 'number', cell: ({ requests }) => count(requests) },
          {
            head: 'Latest',
            cell: ({ refusal, firstMs }) => (
              <span title={`since ${utcMinute(firstMs)} UTC`}>{agoText(refusal.lastMs)}</span>
            ),
          },
        ]}
      />
      {shown.length > REASONS_TOP + 1 && (
        <details class="rest">
          <summary>
            {shown.length < reasons.length ? `${shown.length} of ` : 'All '}
            {plural(reasons.length, 'reason')}
          </summary>
        </details>
      )}
    </>
  )
}

/** Returns the list of requests, why some were refused, and their chart. A script follows it if the reader asks for that; without scripts, the page is loaded again. */
function requestList(c: PageContext, { dataPlane }: Dashboard, list: ReturnType<typeof listOf>) {
  const { rows, filters, found, page, counts, wanted } = list
  const { account } = c.var
  const { standing, createdMs } = account
  const { sinceMs } = dataPlane.activity
  const none = createdMs > sinceMs ? 'No requests yet.' : `No requests since ${utcMinute(sinceMs)} UTC.`
  const isLive = c.req.query('live') !== undefined
  const counted = sumOf(counts.map(({ requests }) => requests))
  const listed = found.filter(({ status }) => status !== 200).length
  const follow = addressOf('/requests', filters, { live: 'on' })
  return (
    <section
      class="list"
      data-tail={isLive ? addressOf('/requests.json', filters, { live: 'on' }) : undefined}
    >
      <List
        class="log compact"
        caption="Requests, newest first"
        columns={columnsOf(c.var.keys())}
        found={pageOf(found, page, ROWS_PER_PAGE)}
        noun={['request']}
        {...(rows.length > 0 && { search: 'code, address or id', filters })}
        file="/requests.csv"
        help={`${count(rows.length)} requests are kept. Older ones are only counted.`}
        empty={
          standing === null
            ? [none, ' ', <a href="/docs#lookup">Send one</a>]
            : `All requests are refused while the account is ${standing.state}.`
        }
      >
        {counts.length > 0 && <ReasonList {...{ account, counts }} />}
        <div class="heading">
          <h2>Requests, newest first</h2>
          {isLive ? (
            <span>
              <span class="tag good">live</span> As of <Time ms={Date.now()} seconds />{' '}
              <a href={follow}>Load again</a> <a href={addressOf('/requests', filters)}>Stop</a>
            </span>
          ) : (
            rows.length + counts.length > 0 && <Link href={follow} text="Follow live" />
          )}
        </div>
      </List>
      {counted > listed && (
        <p class="hint">
          All {plural(counted, 'refused request')} are counted above. The list has {count(listed)} of them: it
          keeps the newest of each status.
        </p>
      )}
      {wanted === '' && <ErrorSection {...{ counts, dataPlane }} requests="/requests?only=errors" />}
    </section>
  )
}

/** @param isOperator true for operators, who do not open the pages of keys */
export function columnsOf(keys: readonly KeyView[], isOperator = false): Column<RequestRow>[] {
  const names = namesOf(keys)
  return [
    { head: 'Time', kind: 'name', cell: ({ timeMs }) => <Time ms={timeMs} seconds /> },
    { head: 'Status', cell: Status },
    {
      head: 'Request',
      kind: 'detail',
      cell: ({ endpoint, country, code, chargeMicros, ...row }) => {
        const records =
          chargeMicros > QUERY_PRICE_MICROS && plural(chargeMicros / QUERY_PRICE_MICROS, 'record')
        return (
          <details>
            <summary>{[endpoint, country, code, records].filter(Boolean).join(' ')}</summary>
            <Pairs
              rows={[
                ['Time', <span class="number">{iso(row.timeMs)}</span>],
                ['Request id', row.requestId],
                ['Address', row.client],
                ['Key', row.keyId],
                ['Charge', chargeMicros > 0 && money(chargeMicros)],
              ]}
            />
          </details>
        )
      },
      below: ({ error }) => error,
    },
    {
      head: 'Key',
      cell: ({ keyId }) => (
        <Named name={names.get(keyId) ?? keyId} href={isOperator ? undefined : `/keys/${keyId}`} />
      ),
    },
    { head: 'Address', kind: 'short', cell: ({ client }) => client && <span title={client}>{client}</span> },
    { head: 'Duration', kind: 'number', cell: row => `${millisecondsOf(row)} ms` },
  ]
}

/** True if somebody else may have sent it. */
const isOfKey = ({ status, client }: Refusal) => client !== null && [401, 403].includes(status)

const millisecondsOf = ({ durationMicros }: RequestRow) => (durationMicros / 1000).toFixed(3)

function pathOf(refusal: Refusal, key?: string): string {
  const [q = ''] = titleOf(refusal).split('[')
  return `/requests?${new URLSearchParams({ q, only: `status-${refusal.status}`, ...(key && { key }) })}`
}

/** A status. A missing code is no failure. */
function Status({ status }: { status: number }) {
  return <span class={`tag${status === 200 ? ' good' : status === 404 ? '' : ' bad'}`}>{status}</span>
}

const OWN_401 = 'counts keys that begin like a present or an earlier key of this account'

interface ErrorsProps {
  dataPlane: DataPlane
  counts: readonly Pick<RefusalCount, 'hour' | 'status' | 'requests'>[]
  /** Meaning of 401. */
  unknown?: Child
  /** Path of the list of errors. */
  requests?: string
}

export function ErrorSection({ dataPlane, counts, unknown = OWN_401, requests }: ErrorsProps) {
  const nowMs = Date.now()
  const first = Math.floor(nowMs / HOUR_MS) - ERROR_HOURS + 1
  const ranked = COUNTED_ERRORS.map(({ status, meaning }) => {
    const values = Array.from({ length: ERROR_HOURS }, () => 0)
    for (const each of counts) if (each.status === status) values[each.hour - first] += each.requests
    return { label: `${status} ${meaning}`, values }
  }).sort((a, b) => sumOf(b.values) - sumOf(a.values))
  return (
    <Section
      title={`Errors of the last ${ERROR_HOURS} hours`}
      hint={['Errors are free. 401 ', unknown, `. Counted ${countedText(dataPlane, nowMs)}.`]}
    >
      <Chart
        label="Errors by hour"
        empty={`No errors ${countedText(dataPlane, nowMs)}.`}
        usage={{
          by: 'hour',
          starts: Array.from({ length: ERROR_HOURS }, (_, i) => (first + i) * HOUR_MS),
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

/** The latest requests of an account, one by one, and its errors of two days by status. */

import type { Accounts } from '../../accounts/accounts.ts'
import type { KeyView } from '../../accounts/views.ts'
import type { AccountActivity, DataPlane, ErrorHour } from '../../data-plane.ts'
import { CODES_KEPT_MS_MAX, QUERY_PRICE_MICROS, REQUESTS_SHOWN_MAX } from '../../limits.ts'
import { HOUR_MS } from '../../platform/time.ts'
import { addForm, choiceField } from '../layout/form.tsx'
import { asked, type Filters, List, paged } from '../layout/list.tsx'
import { Page } from '../layout/page.tsx'
import { Button, type Column, Form, Pairs, Section, Table, Time } from '../layout/parts.tsx'
import { csvFile, type FileColumns } from '../reports/csv.ts'
import type { Dashboard, PageApp, PageContext } from '../shell/dashboard.ts'
import { count, fixedMoney, keyName } from '../words.ts'

/** Statuses that are counted, with what each means, in short and to whoever opens such a request. */
const ERRORS = [
  [400, 'malformed', 'A field is missing, or has another form than the reference says.'],
  [401, 'unknown, revoked or expired key', 'The key is unknown, was revoked, or has expired.'],
  [402, 'no funds, or a cap', 'The balance, or the monthly cap of the key, does not cover it.'],
  [403, 'rules of a key', 'The rules of the key allow neither this endpoint nor this address.'],
  [404, 'no such code or city', 'Nothing in the index is what was asked for.'],
  [429, 'rate limit', 'A rate limit of the account or of the key was reached.'],
  [503, 'service busy', 'The service could not answer; the same request may be sent again.'],
] as const

const KEEP = { keep: choiceField('Codes', { on: 'keep', off: 'do not keep' }) }

export function addRequestPages(app: PageApp, dashboard: Dashboard): void {
  const { accounts, dataPlane } = dashboard
  const rowsOf = (c: PageContext) => requestRows(accounts, dataPlane, c.var.account.id)
  const foundOf = (c: PageContext, rows: readonly RequestRow[]) => {
    const { only, key, endpoint } = asked(c, filtersOf(rows, c.var.keys()))
    return rows.filter(
      row =>
        (only === 'all' || (only === 'errors' ? row.status !== 200 : only === `status-${row.status}`)) &&
        (key === '' || row.keyId === key) &&
        (endpoint === '' || row.endpoint === endpoint),
    )
  }

  app.get('/requests', c => {
    const rows = rowsOf(c)
    return c.html(<RequestPage {...{ c, dashboard, rows }} found={foundOf(c, rows)} />)
  })

  app.get('/requests.csv', c => csvFile(c, 'requests', fileOf(c.var.keys()), [foundOf(c, rowsOf(c))]))

  addForm(app, '/requests/codes', '/requests', KEEP, async (c, { keep }) => {
    keepCodes(accounts, dataPlane, c.var.account.id, keep === 'on' ? CODES_KEPT_MS_MAX : 0, Date.now())
    return keep === 'on'
      ? 'The log keeps the codes that are asked for, from the next request on, for a day at most.'
      : 'The log no longer keeps the codes that are asked for.'
  })
}

function filtersOf(rows: readonly RequestRow[], keys: readonly KeyView[]) {
  const statuses = [...new Set(rows.map(({ status }) => String(status)))].sort()
  const endpoints = [...new Set(rows.map(({ endpoint }) => endpoint))].sort()
  const used = keys.filter(({ id }) => rows.some(({ keyId }) => keyId === id))
  return {
    only: {
      label: 'Status',
      options: {
        all: 'All',
        errors: 'Errors',
        ...Object.fromEntries(statuses.map(status => [`status-${status}`, status])),
      },
    },
    endpoint: {
      label: 'Endpoint',
      options: { '': 'All', ...Object.fromEntries(endpoints.map(name => [name, name])) },
    },
    key: {
      label: 'Key',
      options: { '': 'All', ...Object.fromEntries(used.map(key => [key.id, keyName(key)])) },
    },
  } satisfies Filters
}

interface RequestPageProps {
  c: PageContext
  dashboard: Dashboard
  rows: readonly RequestRow[]
  found: readonly RequestRow[]
}

function RequestPage({ c, dashboard: { accounts, dataPlane }, rows, found }: RequestPageProps) {
  const { id } = c.var.account
  const filters = filtersOf(rows, c.var.keys())
  const labels = new Map(c.var.keys().map(key => [key.id, keyName(key)]))
  const columns: Column<RequestRow>[] = [
    { head: 'Time', cell: ({ timeMs }) => <Time ms={timeMs} seconds /> },
    { head: 'Endpoint', cell: ({ endpoint }) => endpoint },
    {
      head: 'Status',
      cell: ({ status }) => <span class={status === 200 ? 'tag good' : 'tag bad'}>{status}</span>,
    },
    { head: 'Country', cell: ({ country }) => country },
    {
      head: 'Duration',
      kind: 'number',
      cell: ({ durationMicros }) => `${(durationMicros / 1000).toFixed(3)} ms`,
    },
    { head: 'Key', cell: ({ keyId }) => <a href={`/keys/${keyId}`}>{labels.get(keyId) ?? keyId}</a> },
    { head: 'Charge', kind: 'number', cell: ({ chargeMicros }) => fixedMoney(chargeMicros) },
  ]
  if (rows.some(({ code }) => code !== null)) columns.splice(4, 0, { head: 'Code', cell: ({ code }) => code })
  if (rows.some(({ error }) => error !== null))
    columns.splice(3, 0, { head: 'Reason', cell: row => row.error !== null && <Refused {...row} /> })
  return (
    <Page
      c={c}
      title="Requests"
      lead={`The last ${count(REQUESTS_SHOWN_MAX)} requests with a valid key, as long as the service has run. Nothing of it is on disk.`}
    >
      <ErrorSection hours={errorRows(accounts, dataPlane, id, Date.now())} />
      <List
        class="log"
        c={c}
        caption="Requests, newest first"
        columns={columns}
        found={paged(found, asked(c, filters).page, 100)}
        noun={['request']}
        filters={rows.length === 0 ? undefined : filters}
        file="/requests.csv"
        empty={
          rows.length === 0 ? (
            <>
              No requests yet. <a href="/docs#lookup">Send one</a>
            </>
          ) : (
            <>
              None of these requests is like that. <a href="/requests">Show all</a>
            </>
          )
        }
      />
      <CodeSwitch c={c} untilMs={codesKeptUntil(accounts, dataPlane, id, Date.now())} />
    </Page>
  )
}

/** Why a request was refused; it opens to what is known of it. The key and the body are kept nowhere. */
function Refused({ status, error, endpoint, country, code }: RequestRow) {
  const [, , meaning] = ERRORS.find(([each]) => each === status) ?? []
  return (
    <details>
      <summary>{error}</summary>
      <Pairs
        class="pairs small"
        rows={[
          ['Means', `${meaning ?? ''} It was free.`],
          ['Country', country],
          ['Code', code],
          ['Reference', <a href={`/docs#${endpoint}`}>{endpoint}</a>],
        ]}
      />
    </details>
  )
}

function ErrorSection({ hours }: { hours: readonly ErrorHour[] }) {
  const bad = hours.filter(hour => ERRORS.some(([status]) => hour[status] > 0)).toReversed()
  const sums = ERRORS.map(([status]) => [status, hours.reduce((sum, hour) => sum + hour[status], 0)])
  const total: Omit<ErrorHour, 'startMs'> & { startMs: null } = { ...Object.fromEntries(sums), startMs: null }
  return (
    <Section
      title="Errors of the last 48 hours"
      hint="Errors are free. 401 are requests with keys that begin like yours."
    >
      {bad.length === 0 ? (
        <p class="empty">None of these statuses: {ERRORS.map(([status]) => status).join(', ')}.</p>
      ) : (
        <Table
          caption="Errors by hour"
          rows={[total, ...bad]}
          rowClass={({ startMs }) => (startMs === null ? 'sum' : undefined)}
          columns={[
            {
              head: 'Hour (UTC)',
              kind: 'name',
              cell: ({ startMs }) => (startMs === null ? 'Total' : <Time ms={startMs} />),
            },
            ...ERRORS.map(([status, meaning]) => ({
              head: String(status),
              under: meaning,
              kind: 'number' as const,
              cell: (hour: typeof total | ErrorHour) => count(hour[status]),
            })),
          ]}
        />
      )}
    </Section>
  )
}

function CodeSwitch({ c, untilMs }: { c: PageContext; untilMs: number | null }) {
  const hint =
    untilMs === null ? (
      `The log does not say which codes were asked for. Switched on, it keeps them for ${CODES_KEPT_MS_MAX / HOUR_MS} hours, to find out what a program sends.`
    ) : (
      <>
        The log keeps them until <Time ms={untilMs} />.
      </>
    )
  return (
    <Section title="Codes that you ask for" hint={hint}>
      <Form c={c} action="/requests/codes" class="actions" hidden={{ keep: untilMs === null ? 'on' : 'off' }}>
        <Button text={untilMs === null ? 'Keep codes for a day' : 'Stop keeping codes'} />
      </Form>
    </Section>
  )
}

function fileOf(keys: readonly KeyView[]): FileColumns<RequestRow> {
  const labels = new Map(keys.map(key => [key.id, keyName(key)]))
  return {
    time: ({ timeMs }) => new Date(timeMs).toISOString(),
    endpoint: ({ endpoint }) => endpoint,
    country: ({ country }) => country,
    code: ({ code }) => code,
    status: ({ status }) => status,
    reason: ({ error }) => error,
    milliseconds: ({ durationMicros }) => (durationMicros / 1000).toFixed(3),
    key: ({ keyId }) => keyId,
    label: ({ keyId }) => labels.get(keyId) ?? '',
    dollars: ({ chargeMicros }) => (chargeMicros / 1e6).toFixed(6),
  }
}

export interface RequestRow {
  timeMs: number
  endpoint: string
  country: string
  status: number
  error: string | null
  durationMicros: number
  keyId: string
  chargeMicros: number
  /** Null unless the account had the codes that it asks for kept at that time. */
  code: string | null
}

/** Returns the newest requests with a valid key, at most 1,000, the newest first. @throws ACCOUNT_NOT_FOUND */
export function requestRows(accounts: Accounts, dataPlane: DataPlane, account: string): RequestRow[] {
  const slot = accounts.slotOf(account)
  const requests = dataPlane.activity?.requests(slot) ?? []
  const own = new Set(accounts.listKeys(account).map(({ id }) => id))
  const slots = [...new Set(requests.map(({ key }) => key))]
  const ids = new Map(slots.map(key => [key, accounts.viewOf({ slot: key }).id]))
  return requests.flatMap(({ key, queries, ...request }) => {
    const keyId = ids.get(key) ?? ''
    // The log belongs to the account. Should that ever be wrong, nobody sees what another one has asked.
    if (!own.has(keyId)) return []
    return { ...request, keyId, chargeMicros: queries * QUERY_PRICE_MICROS }
  })
}

/**
 * Returns the errors of the last 48 UTC hours, the oldest first, without gaps. 401 are requests with keys that are revoked or
 * mistyped, but begin like one of the account. @throws ACCOUNT_NOT_FOUND
 */
export function errorRows(
  accounts: Accounts,
  dataPlane: DataPlane,
  account: string,
  nowMs: number,
): ErrorHour[] {
  const slot = accounts.slotOf(account)
  const starts = accounts
    .listKeys(account)
    .flatMap(({ start, earlier }) => (earlier === null ? [start] : [start, earlier.start]))
  return dataPlane.activity?.errors(slot, starts, nowMs) ?? []
}

/**
 * Has the log of an account keep the codes that it asks for, for a day at most; 0: no longer. It ends by itself, also when
 * the service restarts. @throws ACCOUNT_NOT_FOUND
 */
export function keepCodes(
  accounts: Accounts,
  dataPlane: DataPlane,
  account: string,
  forMs: number,
  nowMs: number,
): void {
  const untilMs = forMs <= 0 ? 0 : nowMs + Math.min(forMs, CODES_KEPT_MS_MAX)
  dataPlane.activity?.keepCodes(accounts.slotOf(account), untilMs)
}

/** Returns until when the codes are kept; null: they are not. @throws ACCOUNT_NOT_FOUND */
export function codesKeptUntil(
  accounts: Accounts,
  { activity }: { activity?: AccountActivity },
  account: string,
  nowMs: number,
): number | null {
  const untilMs = activity?.codesKeptUntilMs(accounts.slotOf(account)) ?? 0
  return untilMs > nowMs ? untilMs : null
}

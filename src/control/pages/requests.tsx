/** The latest requests of an account, one by one, and its errors of two days by status. */
import type { KeyView } from '../../accounts/views.ts'
import type { ErrorHour } from '../../data-plane.ts'
import { CODES_KEPT_MS_MAX, REQUESTS_SHOWN_MAX } from '../../limits.ts'
import { formText } from '../layout/forms.ts'
import { Page } from '../layout/page.tsx'
import { Pages, pageOf } from '../layout/pager.tsx'
import { Form, Section, Table, Time } from '../layout/parts.tsx'
import { count, fixedMoney, plural } from '../layout/words.ts'
import { codesKeptUntil, errorRows, keepCodes, type RequestRow, requestRows } from '../reports/activity.ts'
import { csv } from '../shell/csv.ts'
import type { Dashboard, PageApp, PageContext } from '../shell/dashboard.ts'

const ROWS_PER_PAGE = 100
const HOUR_MS = 3_600_000

/** The statuses that are counted, with what each means to whoever reads its column. */
const ERRORS = [
  [401, 'unknown, revoked or expired key'],
  [402, 'no funds, or a cap'],
  [403, 'rules of a key'],
  [404, 'no such code or city'],
  [429, 'rate limit'],
  [503, 'service busy'],
] as const

export function addRequestPages(app: PageApp, dashboard: Dashboard): void {
  const { accounts, dataPlane } = dashboard
  const rowsOf = (c: PageContext) => {
    const rows = requestRows(accounts, dataPlane, c.var.account.id)
    return c.req.query('only') === 'errors' ? rows.filter(({ status }) => status !== 200) : rows
  }

  app.get('/requests', c => c.html(<RequestPage c={c} dashboard={dashboard} rows={rowsOf(c)} />))

  app.get('/requests.csv', c =>
    c.body(requestFile(rowsOf(c), labelsOf(c.var.keys())), 200, {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': 'attachment; filename="postrie-requests.csv"',
    }),
  )

  app.get('/requests/codes', c => c.redirect('/requests', 303))

  app.post('/requests/codes', async c => {
    const isOn = (await formText(c, 'keep')) === 'on'
    keepCodes(accounts, dataPlane, c.var.account.id, isOn ? CODES_KEPT_MS_MAX : 0, Date.now())
    const notice = isOn
      ? 'The log keeps the codes that are asked for, from the next request on, for a day at most.'
      : 'The log no longer keeps the codes that are asked for.'
    c.var.session.keep({ notice })
    return c.redirect('/requests', 303)
  })
}

interface RequestPageProps {
  c: PageContext
  dashboard: Dashboard
  rows: readonly RequestRow[]
}

function RequestPage({ c, dashboard, rows }: RequestPageProps) {
  const { accounts, dataPlane } = dashboard
  const { id } = c.var.account
  const isFiltered = c.req.query('only') === 'errors'
  const pages = Math.max(1, Math.ceil(rows.length / ROWS_PER_PAGE))
  const page = Math.min(pageOf(c), pages)
  const shown = rows.slice((page - 1) * ROWS_PER_PAGE, page * ROWS_PER_PAGE)
  const query = isFiltered ? '?only=errors' : ''
  const lead = `The last ${count(REQUESTS_SHOWN_MAX)} requests with a valid key, as long as the service has run. Nothing of it is on disk.`
  return (
    <Page c={c} title="Requests" lead={lead}>
      <ErrorSection hours={errorRows(accounts, dataPlane, id, 'hour', Date.now())} />
      <section class="card log">
        <div class="tools">
          <nav class="switch" aria-label="Requests">
            <a href="/requests" aria-current={isFiltered ? undefined : 'true'}>
              All
            </a>
            <a href="/requests?only=errors" aria-current={isFiltered ? 'true' : undefined}>
              Errors
            </a>
          </nav>
          {rows.length > 0 && (
            <a class="button" href={`/requests.csv${query}`}>
              Export CSV
            </a>
          )}
        </div>
        {rows.length === 0 ? (
          <p class="empty">
            {isFiltered ? 'None of these requests failed.' : 'No requests yet. '}
            {!isFiltered && <a href="/try">Try one</a>}
          </p>
        ) : (
          <RequestTable rows={shown} labels={labelsOf(c.var.keys())} />
        )}
        <Pages
          {...{ page, pages }}
          matches={plural(rows.length, 'request')}
          pathOf={to => `/requests${query === '' ? '?' : `${query}&`}page=${to}`}
        />
      </section>
      <CodeSwitch c={c} untilMs={codesKeptUntil(accounts, dataPlane, id, Date.now())} />
    </Page>
  )
}

function RequestTable({
  rows,
  labels,
}: {
  rows: readonly RequestRow[]
  labels: ReadonlyMap<string, string>
}) {
  const hasCodes = rows.some(({ code }) => code !== null)
  const heads = [
    'Time',
    'Endpoint',
    'Status',
    'Country',
    ...(hasCodes ? ['Code'] : []),
    '>Duration',
    'Key',
    '>Charge',
  ]
  return (
    <Table caption="Requests, newest first" heads={heads}>
      {rows.map(({ timeMs, endpoint, country, code, status, durationMicros, keyId, chargeMicros }) => (
        <tr>
          <td>
            <Time ms={timeMs} seconds />
          </td>
          <td>{endpoint}</td>
          <td>
            <span class={status === 200 ? 'tag good' : 'tag bad'}>{status}</span>
          </td>
          <td>{country}</td>
          {hasCodes && <td>{code}</td>}
          <td class="number">{`${(durationMicros / 1000).toFixed(3)} ms`}</td>
          <td>
            <a href={`/keys/${keyId}`}>{labels.get(keyId) ?? keyId}</a>
          </td>
          <td class="number">{fixedMoney(chargeMicros)}</td>
        </tr>
      ))}
    </Table>
  )
}

/** Hours without an error are left out: most have none. */
function ErrorSection({ hours }: { hours: readonly ErrorHour[] }) {
  const bad = hours.filter(hour => ERRORS.some(([status]) => hour[status] > 0)).toReversed()
  const sumOf = (status: (typeof ERRORS)[number][0]) => hours.reduce((sum, hour) => sum + hour[status], 0)
  return (
    <Section
      title="Errors of the last 48 hours"
      hint="Errors are free. 401 are requests with keys that begin like yours."
    >
      {bad.length === 0 ? (
        <p class="empty">No request was refused.</p>
      ) : (
        <Table
          caption="Errors by hour"
          heads={['Hour (UTC)', ...ERRORS.map(([status, meaning]) => `>${status} ${meaning}`)]}
        >
          <tr class="sum">
            <th scope="row">Total</th>
            {ERRORS.map(([status]) => (
              <td class="number">{count(sumOf(status))}</td>
            ))}
          </tr>
          {bad.map(hour => (
            <tr>
              <th scope="row">
                <Time ms={hour.startMs} />
              </th>
              {ERRORS.map(([status]) => (
                <td class="number">{count(hour[status])}</td>
              ))}
            </tr>
          ))}
        </Table>
      )}
    </Section>
  )
}

function CodeSwitch({ c, untilMs }: { c: PageContext; untilMs: number | null }) {
  return (
    <Section
      title="Codes that you ask for"
      hint={
        untilMs === null ? (
          `The log does not say which codes were asked for. Switched on, it keeps them for ${CODES_KEPT_MS_MAX / HOUR_MS} hours, to find out what a program sends.`
        ) : (
          <>
            The log keeps them until <Time ms={untilMs} />.
          </>
        )
      }
    >
      <Form c={c} action="/requests/codes" class="actions">
        <input type="hidden" name="keep" value={untilMs === null ? 'on' : 'off'} />
        <button type="submit">{untilMs === null ? 'Keep codes for a day' : 'Stop keeping codes'}</button>
      </Form>
    </Section>
  )
}

function labelsOf(keys: readonly KeyView[]): ReadonlyMap<string, string> {
  return new Map(keys.map(({ id, label, start }) => [id, label === '' ? `${start}…` : label]))
}

function requestFile(rows: readonly RequestRow[], labels: ReadonlyMap<string, string>): string {
  return csv(
    ['time', 'endpoint', 'country', 'code', 'status', 'milliseconds', 'key', 'label', 'dollars'],
    rows.map(row => [
      new Date(row.timeMs).toISOString(),
      row.endpoint,
      row.country,
      row.code,
      row.status,
      (row.durationMicros / 1000).toFixed(3),
      row.keyId,
      labels.get(row.keyId) ?? '',
      (row.chargeMicros / 1_000_000).toFixed(6),
    ]),
  )
}

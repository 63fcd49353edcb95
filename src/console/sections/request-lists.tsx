import type { Child } from 'hono/jsx'
import type { AccountView, KeyView } from '../../billing/accounts/views.ts'
import { QUERY_PRICE_MICROS } from '../../billing/money.ts'
import { HOUR_MS, SECOND_MS } from '../../platform/time.ts'
import type { DataPlane, RefusalCount } from '../../service/data-plane.ts'
import { COUNTED_ERRORS } from '../../service/errors.ts'
import { ERROR_HOURS } from '../../service/limits.ts'
import { Chart } from '../layout/chart.tsx'
import { List, onePage } from '../layout/list.tsx'
import { type Column, Named, Pairs, Remedy, Section, Time } from '../layout/parts.tsx'
import { countedText, type Refusal, type RequestRow } from '../reports/activity.ts'
import { type Advice, type Reason, reasonsOf, senderOf, titleOf } from '../reports/reasons.ts'
import { largest } from '../reports/usage-series.ts'
import { pageContext } from '../session/page-context.ts'
import { sumOf } from '../sums.ts'
import { agoText, count, iso, money, namesOf, plural, ruleTexts, utcMinute } from '../words.ts'

const REASONS_MAX = 25

interface ReasonListProps {
  account: AccountView
  keys?: readonly KeyView[]
  counts: readonly Refusal[]
  empty?: Child
  period?: string
  /** Id of the key that all of them are of. */
  of?: string
  /** Path of the account's page for operators; undefined on the customer's own pages. */
  operator?: string
}

/** Reasons of errors, each with what helps. Those that are over are grey. */
export function ReasonList(props: ReasonListProps) {
  const { account, keys = pageContext().var.keys(), counts, empty = '', period } = props
  const { of, operator } = props
  const reasons = reasonsOf(counts, account, keys, operator)
  const names = namesOf(keys)
  const ofKey: Column<Reason> = {
    head: 'Key',
    cell: ({ keys, refusal }) => {
      const link = (id: string) => keyLink(names, id, operator)
      const text = plural(keys.size, 'key')
      if (keys.size === 1) return link(refusal.keyId)
      // Operators have no list of requests.
      if (operator === undefined) return <Named name={text} href={pathOf(refusal)} />
      return (
        <details>
          <summary>{text}</summary>
          {Array.from(keys, link)}
        </details>
      )
    },
  }
  return (
    <List
      title={['Errors by reason', period].filter(Boolean).join(' ')}
      caption="Errors by reason"
      class="log compact"
      found={onePage(reasons.slice(0, REASONS_MAX), reasons.length)}
      noun={['reason']}
      top={3}
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
              lastText(refusal) && <span class="muted">, last{lastText(refusal)}</span>,
              ' · ',
              <span class="small">
                <Help {...advice} />
              </span>,
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
  )
}

const keyLink = (names: ReadonlyMap<string, string>, id: string, operator = '') => (
  <Named name={names.get(id) ?? id} href={`${operator}/keys/${id}`} />
)

/** What helps, or whom to ask. Only customers have roles. */
function Help({ text, link, href = '' }: Advice) {
  if (href === '' || href === pageContext().req.path) return text
  if (link !== undefined) return [`${text}: `, <Help {...{ text: link, href, isOver: false }} />]
  return /^\/(docs|coverage|operator)/.test(href) ? <a href={href}>{text}</a> : <Remedy {...{ href, text }} />
}

/** The newest of equal refusals that follow each other, with their number and the time of the first. */
type GroupedRow = RequestRow & { times: number; firstMs: number }

export function grouped(rows: readonly RequestRow[]): GroupedRow[] {
  const groups: GroupedRow[] = []
  const idOf = ({ status, keyId, endpoint, country, code, client, error }: RequestRow) =>
    [status, keyId, endpoint, country, code, client, error].join(' ')
  for (const row of rows) {
    const last = groups.at(-1)
    if (last !== undefined && row.status !== 200 && idOf(last) === idOf(row))
      Object.assign(last, { times: last.times + 1, firstMs: row.timeMs })
    else groups.push({ ...row, times: 1, firstMs: row.timeMs })
  }
  return groups
}

/** Returns `15 times in 9 seconds`; `''` for a single request. */
function timesText({ times, firstMs, timeMs }: GroupedRow): string {
  const seconds = Math.max(1, Math.ceil((timeMs - firstMs) / SECOND_MS))
  const span = seconds < 120 ? plural(seconds, 'second') : plural(Math.ceil(seconds / 60), 'minute')
  return times > 1 ? `${count(times)} times in ${span}` : ''
}

export function requestColumns(account: AccountView, keys: readonly KeyView[]): Column<GroupedRow>[] {
  const names = namesOf(keys)
  const belowOf = (row: GroupedRow) => [row.error, timesText(row)].filter(Boolean).join(' · ')
  const adviceOn = (row: GroupedRow) => {
    const { error, timeMs: lastMs } = row
    if (error === null) return null
    const counted = { ...row, error, lastMs, hour: 0, requests: 1, reason: error }
    return reasonsOf([counted], account, keys).map(reason => <Help {...reason} />)
  }
  return [
    { head: 'Time', kind: 'name', cell: ({ timeMs }) => <Time ms={timeMs} seconds /> },
    { head: 'Status', cell: Status },
    {
      head: 'Request',
      kind: 'detail',
      cell: row => {
        const { endpoint, country, code, client, chargeMicros, unpaid } = row
        const from = `/requests?${new URLSearchParams({ q: client ?? '' })}`
        const key = keys.find(({ id }) => id === row.keyId)
        const needed =
          unpaid &&
          `${money(unpaid.queries * QUERY_PRICE_MICROS)} for ${plural(unpaid.queries, 'record')}, ${row.bound ? 'more than the cap had left' : `with a balance of ${money(unpaid.balanceMicros)}`}`
        const records =
          chargeMicros > QUERY_PRICE_MICROS && plural(chargeMicros / QUERY_PRICE_MICROS, 'record')
        return (
          <details>
            <summary>{[endpoint, country, code, records].filter(Boolean).join(' ')}</summary>
            <Pairs
              rows={[
                ['Reason', belowOf(row)],
                ['What helps', adviceOn(row)],
                ['It needed', needed],
                ['The key allows', row.status === 403 && key && ruleTexts(key.rules)],
                ['First', row.times > 1 && <span class="number">{iso(row.firstMs)}</span>],
                ['Time', <span class="number">{iso(row.timeMs)}</span>],
                ['Request id', row.requestId],
                ['Address', client && <a href={from}>All from {client}</a>],
                ['Key', <a href={`/keys/${row.keyId}`}>{names.get(row.keyId) ?? row.keyId}</a>],
                ['Charge', chargeMicros > 0 ? money(chargeMicros) : 'none'],
              ]}
            />
          </details>
        )
      },
      below: belowOf,
    },
    { head: 'Key', cell: ({ keyId }) => keyLink(names, keyId) },
    { head: 'Address', kind: 'short', cell: ({ client }) => client && <span title={client}>{client}</span> },
    { head: 'Duration', kind: 'number', cell: row => `${millisecondsOf(row)} ms` },
  ]
}

export const millisecondsOf = ({ durationMicros }: RequestRow) => (durationMicros / 1000).toFixed(3)

/** Returns what a key or a rule refused last, such as ` metacode from 192.0.2.7`; `''` for other reasons. */
function lastText(refusal: Refusal): string {
  const from = senderOf(refusal)
  return (refusal.status === 403 ? ` ${refusal.endpoint}` : '') + (from === null ? '' : ` from ${from}`)
}

function pathOf(refusal: Refusal, key?: string): string {
  const [q = ''] = titleOf(refusal).split('[')
  return `/requests?${new URLSearchParams({ q, only: `status-${refusal.status}`, ...(key && { key }) })}`
}

/** A status. A missing code is no failure. */
function Status({ status }: { status: number }) {
  const kind = status === 200 ? ' good' : status === 404 ? '' : ' bad'
  return <span class={`tag${kind}`}>{status}</span>
}

interface ErrorsProps {
  dataPlane: DataPlane
  counts: readonly Pick<RefusalCount, 'hour' | 'status' | 'requests'>[]
  hint?: Child
  requests?: string
}

export function ErrorSection({ dataPlane, counts, hint, requests }: ErrorsProps) {
  const nowMs = Date.now()
  const last = Math.floor(nowMs / HOUR_MS)
  const first = last - ERROR_HOURS + 1
  const hours = Array.from({ length: ERROR_HOURS }, (_, at) => (first + at) * HOUR_MS)
  const labelOf = ({ status, meaning }: (typeof COUNTED_ERRORS)[number]) => `${status} ${meaning}`
  const ranked = COUNTED_ERRORS.map(error => {
    const values = hours.map(() => 0)
    for (const each of counts) if (each.status === error.status) values[each.hour - first] += each.requests
    return { label: labelOf(error), values }
  }).sort((a, b) => sumOf(b.values) - sumOf(a.values))
  return (
    <Section title={`Errors ${countedText(dataPlane, nowMs)}`} hint={hint}>
      <Chart
        title="Errors by hour"
        empty="None so far."
        usage={{
          by: 'hour',
          starts: hours,
          series: largest(ranked, ranked.length, COUNTED_ERRORS.map(labelOf)),
        }}
        requests={requests}
      />
    </Section>
  )
}

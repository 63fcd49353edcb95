import type { Child } from 'hono/jsx'
import type { StatementRow } from '../../billing/accounts/reports/statement.ts'
import type { KeyView } from '../../billing/accounts/views.ts'
import { MICROS_PER_CENT } from '../../billing/money.ts'
import type { AuditEntry, AuditLog } from '../audit/audit-log.ts'
import { DATES, datesAsked, type Filters, List, onePage, pageOf, readQuery } from '../layout/list.tsx'
import { Facts, Pairs, Time } from '../layout/parts.tsx'
import { csvFile } from '../reports/csv.ts'
import {
  entryText,
  monthLine,
  STATEMENT_FILE,
  type StatementLine,
  statementEntry,
  statementLines,
  statementSums,
} from '../reports/statement.ts'
import type { PageContext } from '../session/page-context.ts'
import { sumOf } from '../sums.ts'
import { isBetween, money, namesOf, plural, quotedName, utcDay } from '../words.ts'

/** Names of entries, and details of those without a reference or a note of their own. */
const ENTRY_TEXTS: Record<StatementLine['kind'], readonly [name: string, detail?: string]> = {
  free: ['Free credit', 'for a new account'],
  operator: ['Credit'],
  payment: ['Payment'],
  reinstated: ['Given back'],
  test: ['Test payment'],
  refund: ['Refund', 'to the card or account that paid'],
  dispute: ['Dispute', 'the payment was charged back'],
  closed: ['Account closed', 'the rest is forfeited'],
  usage: ['Usage'],
  'earlier usage': ['Earlier usage'],
  month: ['Month'],
}

const isWithin = (ms: number): boolean => isBetween(utcDay(ms), readQuery(DATES))

export function statementFile(c: PageContext, rows: readonly StatementRow[]) {
  const found = rows.filter(({ timeMs }) => isWithin(timeMs)).map(statementEntry)
  return csvFile(c, 'statement', STATEMENT_FILE, [found])
}

interface StatementProps {
  rows: readonly StatementRow[]
  keys: readonly KeyView[]
  file: string
  /** Returns a link to the receipt of an entry or of the payment that it returns, or to its refund. */
  link: (row: StatementRow) => Child
  isOperator?: boolean
}

export function Statement(props: StatementProps) {
  const { rows, keys, file, isOperator } = props
  const usual = isOperator ? 'money' : 'all'
  const names = namesOf(keys, quotedName)
  const dates = datesAsked()
  const options = { all: 'All', money: 'Usage by month' }
  const filters = { what: { label: 'What', options, usual }, ...dates } satisfies Filters
  const { what, page, from, to } = readQuery(filters)
  const lines = statementLines(rows)
  const within = lines.filter(({ day }) => isBetween(day, { from, to }))
  const months = new Set(within.map(({ day }) => day.slice(0, 7)).reverse())
  const kept = within.filter(({ rows: [row] }) => what === 'all' || row?.key === null).reverse()
  // Each month has its line, also one with nothing but usage: the amounts of months add up to the balance.
  const wanted = Array.from(months, month => [
    monthLine(within, month),
    ...kept.filter(({ day }) => day.startsWith(month)),
  ])
  const isShown = ([name, micros]: [string, number]) => name !== 'Forfeited' || micros !== 0
  const sums = Object.entries(statementSums(lines, { from, to })).filter(isShown)
  return (
    <>
      {from + to !== '' && !dates.to.problem && (
        <Facts facts={sums.map(([name, micros]) => [name, money(micros)])} />
      )}
      <List
        title={isOperator ? 'Statement' : undefined}
        caption="Statement"
        class="entries"
        found={pageOf(wanted.flat(), page)}
        rowClass={({ kind }) => (kind === 'month' ? 'sum' : undefined)}
        noun={['line']}
        filters={rows.length === 0 ? undefined : filters}
        file={file}
        empty="Nothing has been credited or spent yet."
        columns={[
          // Usage is only known by the day.
          {
            head: 'Date',
            cell: ({ day, rows: [row] }) => (row?.key === null ? <Time ms={row.timeMs} /> : day),
          },
          { head: 'What', cell: ({ kind }) => ENTRY_TEXTS[kind][0] },
          { head: 'Detail', kind: 'detail', cell: line => detailOf(line, names, props) },
          { head: 'Amount', kind: 'number', cell: ({ micros }) => [micros > 0 && '+', inCents(micros)] },
          {
            ...{ head: 'Balance', under: 'end of day', kind: 'number' },
            cell: ({ balanceMicros, isClosing }) => isClosing && inCents(balanceMicros),
          },
        ]}
      />
    </>
  )
}

/** An amount in cents, with the exact one as its title. Less than ten cents is exact. */
function inCents(micros: number) {
  const cents = Math.round(micros / MICROS_PER_CENT) * MICROS_PER_CENT
  if (cents === micros || Math.abs(micros) < 10 * MICROS_PER_CENT) return money(micros)
  return <span title={money(micros)}>{money(cents)}</span>
}

function detailOf(line: StatementLine, names: ReadonlyMap<string, string>, props: StatementProps) {
  const { kind, rows, sums } = line
  const [first] = rows
  if (first === undefined)
    return sums?.map(([name, micros], at) => [
      at > 0 && ' · ',
      <span class="number">{[name, ' ', inCents(micros)]}</span>,
    ])
  const linked = props.link(first)
  if (first.key === null)
    return [entryText(first, props.isOperator) || (linked ? '' : ENTRY_TEXTS[kind][1]), ' ', linked]
  const nameOf = ({ key }: StatementRow) => names.get(key ?? '') ?? key
  const queriesOf = (queries: number) => plural(queries, 'query', 'queries')
  const soFar = line.day === utcDay(Date.now()) ? ' so far' : ''
  const queries = queriesOf(sumOf(rows.map(({ queries }) => queries))) + soFar
  if (rows.length === 1) return `${queries} with ${nameOf(first)}`
  const largest = rows.toSorted((a, b) => b.queries - a.queries)
  return (
    <details>
      <summary>
        {queries} with {plural(rows.length, 'key')}
      </summary>
      <Pairs rows={largest.map(row => [nameOf(row), `${queriesOf(row.queries)}, ${money(-row.micros)}`])} />
    </details>
  )
}

export async function FailedPayments({ audit, id }: { audit: AuditLog; id: string }) {
  const isFailed = ({ what, details, timeMs }: AuditEntry) =>
    what === 'recharge' && details.payment !== undefined && isWithin(timeMs)
  const failed = await audit.page(id, 1, isFailed)
  if (failed.matches === 0) return null
  return (
    <List
      title="Failed payments"
      found={onePage(failed.rows, failed.matches)}
      empty=""
      columns={[
        { head: 'Date', cell: ({ timeMs }) => <Time ms={timeMs} /> },
        { head: 'Reason', kind: 'detail', cell: ({ details }) => String(details.reason) },
        { head: 'Amount', kind: 'number', cell: ({ details }) => String(details.payment) },
      ]}
    />
  )
}

/** The statement: every credit and every day of usage, newest first. A day opens by key. */
import type { KeyView, StatementRow } from '../../accounts/views.ts'
import { Table } from '../layout/parts.tsx'
import { count, fixedMoney, plural } from '../layout/words.ts'

/** Older lines are in the file only. */
const LINES_SHOWN_MAX = 100

const KINDS: Record<StatementRow['kind'], string> = {
  free: 'Free credit',
  operator: 'Credit',
  payment: 'Payment',
  test: 'Test payment',
  refund: 'Refund',
  dispute: 'Dispute',
  closed: 'Account closed',
  usage: 'Usage',
  'earlier usage': 'Earlier usage',
}

/** One line of the table: an entry, or the usage of all keys on one day. */
interface Line {
  kind: StatementRow['kind']
  /** UTC. */
  day: string
  micros: number
  /** After it. */
  balanceMicros: number
  /** One row, or one for each key. */
  rows: StatementRow[]
}

export function StatementTable({ rows, keys }: { rows: readonly StatementRow[]; keys: readonly KeyView[] }) {
  const labels = new Map(keys.map(key => [key.id, key.label || `${key.start}…`]))
  const lines = linesOf(rows)
  const shown = lines.slice(-LINES_SHOWN_MAX).toReversed()
  return (
    <section class="lines statement">
      <div class="heading">
        <h2>Statement</h2>
        <a class="button" href="/statement.csv">
          Download CSV
        </a>
      </div>
      {shown.length === 0 ? (
        <p class="empty">Nothing has been credited or spent yet.</p>
      ) : (
        <Table caption="Statement" heads={['Date', 'What', 'Detail', '>Amount', '>Balance']}>
          {shown.map(line => (
            <tr>
              <td>{line.day}</td>
              <td>{KINDS[line.kind]}</td>
              <td>
                <Detail line={line} labels={labels} />
              </td>
              <td class="number">{fixedMoney(line.micros)}</td>
              <td class="number">{fixedMoney(line.balanceMicros)}</td>
            </tr>
          ))}
        </Table>
      )}
      {lines.length > shown.length && (
        <p class="muted">
          The newest {count(shown.length)} of {count(lines.length)} lines. The file has all of them.
        </p>
      )}
    </section>
  )
}

/** Rows of usage of one day become one line. @param rows oldest first; those of one day follow each other */
export function linesOf(rows: readonly StatementRow[]): Line[] {
  const lines: Line[] = []
  for (const row of rows) {
    const { kind, key, micros, balanceMicros } = row
    const day = new Date(row.timeMs).toISOString().slice(0, 10)
    const last = lines.at(-1)
    if (key !== null && last?.kind === kind && last.day === day) {
      last.rows.push(row)
      last.micros += micros
      last.balanceMicros = balanceMicros
    } else lines.push({ kind, day, micros, balanceMicros, rows: [row] })
  }
  return lines
}

function Detail({ line, labels }: { line: Line; labels: ReadonlyMap<string, string> }) {
  const { kind, rows } = line
  const [first] = rows
  // The ledger's reference of the free credit means nothing to a customer.
  if (kind === 'free') return <>for a new account</>
  if (first?.key == null)
    return (
      <>{[first?.reference, first?.note].filter(text => text !== '' && text !== undefined).join(' · ')}</>
    )
  const queries = plural(
    rows.reduce((sum, row) => sum + row.queries, 0),
    'query',
    'queries',
  )
  if (rows.length === 1) {
    return (
      <>
        {queries} with {labels.get(first.key) ?? first.key}
      </>
    )
  }
  const byKey = rows.toSorted((a, b) => b.queries - a.queries)
  return (
    <details>
      <summary>
        {queries} with {plural(rows.length, 'key')}
      </summary>
      <dl class="pairs small">
        {byKey.map(({ key, queries, micros }) => (
          <>
            <dt>{labels.get(key ?? '') ?? key}</dt>
            <dd>
              {plural(queries, 'query', 'queries')}, {fixedMoney(-micros)}
            </dd>
          </>
        ))}
      </dl>
    </details>
  )
}

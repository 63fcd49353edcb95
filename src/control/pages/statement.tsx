/** The statement: every credit and every day of usage, newest first. */
import type { KeyView, StatementRow } from '../../accounts/views.ts'
import { Table } from '../layout/parts.tsx'
import { count, money } from '../layout/words.ts'

/** Older rows are in the file only. */
const ROWS_SHOWN_MAX = 100

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

export function StatementTable({ rows, keys }: { rows: readonly StatementRow[]; keys: readonly KeyView[] }) {
  const labels = new Map(keys.map(key => [key.id, key.label || `${key.start}…`]))
  const shown = rows.slice(-ROWS_SHOWN_MAX).toReversed()
  return (
    <section>
      <div class="heading">
        <h2>Statement</h2>
        <a class="button" href="/statement.csv">
          Download CSV
        </a>
      </div>
      <Table caption="Statement" heads={['Date', 'What', 'Detail', '>Amount', '>Balance']}>
        {shown.map(row => (
          <tr>
            <td>{new Date(row.timeMs).toISOString().slice(0, 10)}</td>
            <td>{KINDS[row.kind]}</td>
            <td>{detail(row, labels)}</td>
            <td class="number">{money(row.micros)}</td>
            <td class="number">{money(row.balanceMicros)}</td>
          </tr>
        ))}
      </Table>
      {rows.length > shown.length && (
        <p class="muted">
          The newest {count(shown.length)} of {count(rows.length)} lines. The file has all of them.
        </p>
      )}
    </section>
  )
}

function detail(row: StatementRow, labels: ReadonlyMap<string, string>): string {
  // The ledger's reference of the free credit means nothing to a customer.
  if (row.kind === 'free') return 'for a new account'
  if (row.key === null) return [row.reference, row.note].filter(text => text !== '').join(' · ')
  return `${count(row.queries)} queries with ${labels.get(row.key) ?? row.key}`
}

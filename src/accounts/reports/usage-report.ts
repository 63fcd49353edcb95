import { DAY_MS } from '../../ledger/book/history.ts'
import type { AccountRecord } from '../../ledger/book/record.ts'
import type { StatementRow, UsageQuery, UsageRow } from '../views.ts'
import { namedQueries } from './account-view.ts'

/** Usage per key and hour or day, oldest first, as the ledger dates it. */
export function usageReport(account: AccountRecord, query: UsageQuery): UsageRow[] {
  const { by, key: only, fromMs = 0, toMs = Number.POSITIVE_INFINITY } = query
  const rows: UsageRow[] = []
  for (const key of account.keys) {
    if (only !== undefined && key.id !== only) continue
    const history = by === 'hour' ? key.hours : key.days
    history.each((startMs, queries, spentMicros) => {
      if (startMs < fromMs || startMs >= toMs) return
      rows.push({ key: key.id, startMs, queries: namedQueries(queries), spentMicros })
    })
  }
  return rows.sort((a, b) => a.startMs - b.startMs)
}

/**
 * Every credit and adjustment, and the usage of each key by day; days beyond the history are one line per key. Usage
 * stands at the end of its day, so that no balance in between is negative.
 */
export function statement(account: AccountRecord): StatementRow[] {
  const rows = [...entryRows(account), ...usageRows(account)].sort((a, b) => a.timeMs - b.timeMs)
  let balanceMicros = 0
  for (const row of rows) {
    balanceMicros += row.micros
    row.balanceMicros = balanceMicros
  }
  return rows
}

function entryRows(account: AccountRecord): StatementRow[] {
  return account.entries.map(
    ({ sequence, timeMs, kind, balanceMicros: micros, debtMicros, reference, note }) => {
      return {
        sequence,
        timeMs,
        kind,
        micros,
        debtMicros,
        reference,
        note,
        key: null,
        queries: 0,
        balanceMicros: 0,
      }
    },
  )
}

function usageRows(account: AccountRecord): StatementRow[] {
  const rows: StatementRow[] = []
  for (const key of account.keys) {
    let earlierMicros = key.spentMicros
    let earlierQueries = sum(key.queries)
    let firstMs = Number.POSITIVE_INFINITY
    key.days.each((startMs, queries, spentMicros) => {
      const count = sum(queries)
      rows.push(usageRow('usage', startMs + DAY_MS - 1, key.id, spentMicros, count))
      earlierMicros -= spentMicros
      earlierQueries -= count
      firstMs = Math.min(firstMs, startMs)
    })
    if (earlierQueries > 0)
      rows.push(usageRow('earlier usage', firstMs - 1, key.id, earlierMicros, earlierQueries))
  }
  return rows
}

function usageRow(
  kind: 'usage' | 'earlier usage',
  timeMs: number,
  key: string,
  micros: number,
  queries: number,
): StatementRow {
  const constants = { sequence: 0, debtMicros: 0, reference: '', note: '', balanceMicros: 0 }
  return { ...constants, timeMs, kind, micros: -micros, key, queries }
}

function sum(queries: ArrayLike<number>): number {
  return Array.from(queries).reduce((total, count) => total + count, 0)
}

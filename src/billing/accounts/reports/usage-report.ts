import type { AccountRecord } from '../../ledger/book/record.ts'
import type { UsageClass } from '../commands/run-command.ts'

export type QueriesByClass = Record<string, number>

export type UsageQuery = { by: 'hour' | 'day'; key?: string; fromMs?: number }

/** Usage of one key in one UTC hour or day. There is no row without usage. */
export type UsageRow = { key: string; startMs: number; queries: QueriesByClass; spentMicros: number }

export function usageReport(
  account: AccountRecord,
  query: UsageQuery,
  classes: readonly UsageClass[],
): UsageRow[] {
  const { by, key: only, fromMs = 0 } = query
  const rows: UsageRow[] = []
  for (const key of account.keys) {
    if (only !== undefined && key.id !== only) continue
    const history = by === 'hour' ? key.hours : key.days
    history.each((startMs, queries, spentMicros) => {
      if (startMs < fromMs) return
      rows.push({ key: key.id, startMs, queries: namedQueries(queries, classes), spentMicros })
    })
  }
  return rows.sort((a, b) => a.startMs - b.startMs)
}

export function namedQueries(queries: ArrayLike<number>, classes: readonly UsageClass[]): QueriesByClass {
  // Faster than `Object.fromEntries`: a statement of ninety days has thousands of counts.
  const named: QueriesByClass = {}
  for (let at = 0; at < classes.length; at++) named[classes[at].name] = queries[at]
  return named
}

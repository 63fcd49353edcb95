import { DAY_MS } from '../../../platform/time.ts'
import { type AccountRecord, queriesSum } from '../../ledger/book/record.ts'
import type { EntryKind } from '../../ledger/event.ts'

/** Line of a statement. The `micros` of all lines add up to the exact balance. */
export interface StatementRow {
  /** Sequence number of the ledger's frame; 0 for usage, summed by day and key. */
  sequence: number
  timeMs: number
  kind: EntryKind | 'usage' | 'earlier usage'
  micros: number
  /** Change of the debt: positive for a refund or dispute beyond the balance, negative for a credit. */
  debtChangeMicros: number
  reference: string
  note: string
  /** Reference of the payment that the entry takes back, or gives back again; `''` for none. */
  payment: string
  key: string | null
  queries: number
  /** Balance after this row. All usage of a UTC day stands at its end: it is not known by the minute. */
  balanceAfterMicros: number
}

/**
 * Returns a statement in the order of time. Usage stands at the end of its day, today's at the present. A
 * debit comes after the usage of its day, unless a credit follows. Older days are one line per key.
 */
export function statement(account: AccountRecord, nowMs: number): StatementRow[] {
  const rows = [...entryRows(account, nowMs), ...usageRows(account)].sort((a, b) => a.orderMs - b.orderMs)
  let nextMs = nowMs
  for (const { row } of rows.toReversed()) {
    if (row.key !== null) row.timeMs = Math.min(row.timeMs, nextMs)
    nextMs = row.timeMs
  }
  let balanceAfterMicros = 0
  return rows.map(({ row }) => {
    balanceAfterMicros += row.micros
    return { ...row, balanceAfterMicros }
  })
}

/** Time of the usage of a day, and then of its debits, in the day. */
const USAGE_AT_MS = DAY_MS - 1
const DEBIT_AT_MS = DAY_MS - 0.5

type Dated = { orderMs: number; row: Omit<StatementRow, 'balanceAfterMicros'> }

/** Returns entries in their order, also if a wrong clock dated one ahead. */
function entryRows({ entries }: AccountRecord, nowMs: number): Dated[] {
  let orderMs = nowMs
  let creditDay = Number.NaN
  const newestFirst = entries.toReversed().map(entry => {
    const { balanceMicros: micros, debtMicros: debtChangeMicros, payment = '', ...others } = entry
    orderMs = Math.min(orderMs, entry.timeMs)
    const day = Math.floor(orderMs / DAY_MS)
    if (micros > debtChangeMicros) creditDay = day
    return {
      orderMs: day === creditDay ? orderMs : day * DAY_MS + DEBIT_AT_MS,
      row: { ...others, payment, micros, debtChangeMicros, key: null, queries: 0 },
    }
  })
  return newestFirst.reverse()
}

function usageRows(account: AccountRecord): Dated[] {
  const rows: Dated[] = []
  const constants = { sequence: 0, debtChangeMicros: 0, reference: '', note: '', payment: '' }
  for (const key of account.keys) {
    const add = (kind: 'usage' | 'earlier usage', orderMs: number, micros: number, queries: number): void => {
      const row = { ...constants, timeMs: orderMs, kind, micros: -micros, key: key.id, queries }
      rows.push({ orderMs, row })
    }
    let earlierMicros = key.spentMicros
    let earlierQueries = queriesSum(key)
    let firstMs = Number.POSITIVE_INFINITY
    key.days.each((startMs, queries, spentMicros) => {
      const count = queriesSum({ queries })
      add('usage', startMs + USAGE_AT_MS, spentMicros, count)
      earlierMicros -= spentMicros
      earlierQueries -= count
      firstMs = Math.min(firstMs, startMs)
    })
    if (earlierQueries > 0) add('earlier usage', firstMs - 1, earlierMicros, earlierQueries)
  }
  return rows
}

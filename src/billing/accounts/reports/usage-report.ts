import { DAY_MS, HOUR_MS } from '../../../platform/time.ts'
import type { Book } from '../../ledger/book/book.ts'
import { type AccountRecord, queriesSum } from '../../ledger/book/record.ts'
import type { EntryKind } from '../../ledger/event.ts'
import { GIVEN_BACK } from '../commands/change-balance.ts'
import type { UsageClass } from '../commands/command-context.ts'

export type QueriesByClass = Record<string, number>

export interface UsageQuery {
  by: 'hour' | 'day'
  key?: string
  fromMs?: number
}

/** Usage of one key in one UTC hour or day. There is no row without usage. */
export interface UsageRow {
  key: string
  startMs: number
  queries: QueriesByClass
  spentMicros: number
}

/** Line of a statement. The `micros` of all lines add up to the exact balance. */
export interface StatementRow {
  /** Sequence number of the ledger's frame; 0 for usage, summed by day and key. */
  sequence: number
  timeMs: number
  kind: EntryKind | 'usage' | 'earlier usage'
  micros: number
  /** Change of the debt: positive if a refund or dispute exceeded the balance, negative if a credit paid the debt. */
  debtMicros: number
  reference: string
  note: string
  key: string | null
  queries: number
  /** Balance after this row. All usage of a UTC day stands at its end: it is not known by the minute. */
  balanceMicros: number
}

export type ServiceUsage = Awaited<ReturnType<typeof serviceUsage>>

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

/**
 * Returns a statement in the order of time. Usage stands at the end of its day, today's at the present. A debit comes after the usage of its
 * day, unless a credit follows. Days beyond the history are one line per key.
 */
export function statement(account: AccountRecord, nowMs: number): StatementRow[] {
  const rows = [...entryRows(account, nowMs), ...usageRows(account)].sort((a, b) => a.orderMs - b.orderMs)
  let nextMs = nowMs
  for (const { row } of rows.toReversed()) {
    if (row.key !== null) row.timeMs = Math.min(row.timeMs, nextMs)
    nextMs = row.timeMs
  }
  let balanceMicros = 0
  return rows.map(({ row }) => {
    balanceMicros += row.micros
    return { ...row, balanceMicros }
  })
}

type Dated = { orderMs: number; row: StatementRow }

/** Returns entries in their order, also if a wrong clock dated one ahead. */
function entryRows({ entries }: AccountRecord, nowMs: number): Dated[] {
  let orderMs = nowMs
  let creditDay = Number.NaN
  const newestFirst = entries.toReversed().map(entry => {
    const { sequence, timeMs, kind, balanceMicros: micros, debtMicros, reference, note } = entry
    orderMs = Math.min(orderMs, timeMs)
    const day = Math.floor(orderMs / DAY_MS)
    if (micros > debtMicros) creditDay = day
    const usage = { key: null, queries: 0, balanceMicros: 0 }
    return {
      orderMs: day === creditDay ? orderMs : (day + 1) * DAY_MS - 0.5,
      row: { sequence, timeMs, kind, micros, debtMicros, reference, note, ...usage },
    }
  })
  return newestFirst.reverse()
}

function usageRows(account: AccountRecord): Dated[] {
  const rows: Dated[] = []
  const constants = { sequence: 0, debtMicros: 0, reference: '', note: '', balanceMicros: 0 }
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
      add('usage', startMs + DAY_MS - 1, spentMicros, count)
      earlierMicros -= spentMicros
      earlierQueries -= count
      firstMs = Math.min(firstMs, startMs)
    })
    if (earlierQueries > 0) add('earlier usage', firstMs - 1, earlierMicros, earlierQueries)
  }
  return rows
}

/** Days of the service's usage by day. */
const SERVICE_DAYS = 90
/** Hours of the service's usage by hour. */
const SERVICE_HOURS = 48
/** Number of accounts with the largest spend. */
const LARGEST = 5
/** Days that the largest spend is counted over. */
const LARGEST_DAYS = 30
/** Keys in one turn of the event loop: a millisecond. */
const KEYS_PER_TURN = 200

/** Adds up the usage of all accounts by day and by hour, in turns of a millisecond. Costs up to 5 µs for each key. */
export async function serviceUsage(book: Book, nowMs: number) {
  const today = Math.floor(nowMs / DAY_MS)
  const firstMs = (today - SERVICE_DAYS + 1) * DAY_MS
  const recentMs = (today - LARGEST_DAYS + 1) * DAY_MS
  const firstHourMs = (Math.floor(nowMs / HOUR_MS) - SERVICE_HOURS + 1) * HOUR_MS
  const days = Array.from({ length: SERVICE_DAYS }, (_, day) => ({
    startMs: firstMs + day * DAY_MS,
    queries: 0,
    micros: 0,
    /** `micros` without free queries, which an account uses first. */
    earnedMicros: 0,
    /** Payments, test payments included. */
    paidMicros: 0,
    /** Credits of operators, such as for a bank transfer. */
    creditedMicros: 0,
    /** What refunds and disputes took of balances and, once a debt is paid, of payments. */
    returnedMicros: 0,
    /** Balances of closed accounts. */
    forfeitedMicros: 0,
  }))
  const startsMs = Array.from({ length: SERVICE_HOURS }, (_, hour) => firstHourMs + hour * HOUR_MS)
  const hours = startsMs.map(startMs => ({ startMs, queries: 0 }))
  const spent: { account: AccountRecord; micros: number }[] = []
  let keys = 0
  for (const account of book.accounts.values()) {
    let [recentMicros, freeMicros] = [0, 0]
    for (const { timeMs, kind, balanceMicros, debtMicros, reference } of account.entries) {
      if (kind === 'free') freeMicros += balanceMicros
      const day = days[Math.floor(timeMs / DAY_MS) - today + SERVICE_DAYS - 1]
      if (day === undefined) continue
      const isGivenBack = GIVEN_BACK.test(reference)
      if ((kind === 'payment' || kind === 'test') && !isGivenBack)
        day.paidMicros += balanceMicros - debtMicros
      if (kind === 'operator') day.creditedMicros += balanceMicros - debtMicros
      if (kind === 'refund' || kind === 'dispute' || isGivenBack) day.returnedMicros -= balanceMicros
      else if (debtMicros < 0) day.returnedMicros -= debtMicros
      if (kind === 'closed') day.forfeitedMicros -= balanceMicros
    }
    const spentMicros = new Float64Array(SERVICE_DAYS)
    for (const key of account.keys) {
      key.days.each((startMs, queries, micros) => {
        const day = days[(startMs - firstMs) / DAY_MS]
        if (day === undefined) return
        day.queries += queriesSum({ queries })
        day.micros += micros
        spentMicros[(startMs - firstMs) / DAY_MS] += micros
        if (startMs >= recentMs) recentMicros += micros
      })
      key.hours.each((startMs, queries) => {
        const hour = hours[(startMs - firstHourMs) / HOUR_MS]
        if (hour !== undefined) hour.queries += queriesSum({ queries })
      })
      if (++keys % KEYS_PER_TURN === 0) await new Promise(resolve => setImmediate(resolve))
    }
    let leftMicros = freeMicros - account.spentMicros + spentMicros.reduce((sum, micros) => sum + micros, 0)
    spentMicros.forEach((micros, day) => {
      days[day].earnedMicros += micros - Math.min(micros, Math.max(0, leftMicros))
      leftMicros -= micros
    })
    if (recentMicros > 0) spent.push({ account, micros: recentMicros })
  }
  const largest = spent
    .sort((a, b) => b.micros - a.micros)
    .slice(0, LARGEST)
    .map(({ account: { id, email }, micros }) => ({ id, email, micros }))
  return { days, hours, largest }
}

export function namedQueries(queries: ArrayLike<number>, classes: readonly UsageClass[]): QueriesByClass {
  // Faster than `Object.fromEntries`: a statement of ninety days has thousands of counts.
  const named: QueriesByClass = {}
  for (let usage = 0; usage < classes.length; usage++) named[classes[usage].name] = queries[usage]
  return named
}

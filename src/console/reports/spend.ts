import type { Accounts } from '../../billing/accounts/accounts.ts'
import type { QueriesByClass, UsageRow } from '../../billing/accounts/reports/usage-report.ts'
import type { AccountView, KeyView } from '../../billing/accounts/views.ts'
import { paysForQuery } from '../../billing/money.ts'
import { DAY_MS } from '../../platform/time.ts'
import { USAGE_NAMES } from '../../service/endpoints/table.ts'
import { estimate, headline, keyState, plural } from '../words.ts'
import { changeText, SPIKE_TIMES, sumOf, sumsByKey, timesUsual } from './usage-series.ts'

/** Smallest spending of a key on a day that is a surge, in micro-dollars. */
const SURGE_MICROS_MIN = 1_000_000
/** A balance that pays for fewer days is about to end. */
export const LOW_DAYS = 3

export const total = (queries: QueriesByClass): number => sumOf(USAGE_NAMES.map(name => queries[name]))

export type Spend = ReturnType<typeof spendOf>

/** Returns spending and queries of an account by UTC days. Seven days are today and the six before. */
export function spendOf(accounts: Accounts, account: AccountView, nowMs: number) {
  const todayMs = Math.floor(nowMs / DAY_MS) * DAY_MS
  const now = new Date(nowMs)
  const monthMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth())
  const weekMs = todayMs - 6 * DAY_MS
  const beforeMs = weekMs - 7 * DAY_MS
  const rows = accounts.usage(account.id, { by: 'day', fromMs: Math.min(monthMs, beforeMs) })
  const since = (fromMs: number) => rows.filter(({ startMs }) => startMs >= fromMs)
  const micros = (fromMs: number) => sumOf(since(fromMs).map(({ spentMicros }) => spentMicros))
  const queries = (fromMs: number) => sumOf(since(fromMs).map(({ queries }) => total(queries)))
  const starts = Array.from({ length: 14 }, (_, day) => beforeMs + day * DAY_MS)
  const sums = starts.map(startMs => queries(startMs) - queries(startMs + DAY_MS))
  const week = { by: 'day', starts: starts.slice(7), sums: sums.slice(7), before: sums.slice(0, 7) } as const
  const { perDayMicros, usedDays, isOfDay, daysLeft } = accounts.pace(account.id, nowMs)
  const days = starts.slice(7).map(startMs => micros(startMs) - micros(startMs + DAY_MS))
  const used = days.filter(micros => micros > 0).sort((a, b) => a - b)
  const keys = accounts.listKeys(account.id)
  const lowMicros = Math.max(LOW_DAYS * perDayMicros, micros(todayMs) / 10)
  const isStopped = keys.every(key => keyState(key) !== 'active')
  return {
    todayMicros: micros(todayMs),
    monthMicros: micros(monthMs),
    todayQueries: queries(todayMs),
    todayByKey: sumsByKey(since(todayMs).map(({ key, queries }) => [key, total(queries)])),
    weekQueries: queries(weekMs),
    weekChange: changeText(week, account.createdMs, nowMs),
    surges: (of = keys) => of.flatMap(key => surgesOf(key, rows, starts.slice(6), nowMs)),
    /** True if the account or all keys are stopped: the pace is not that of the future. */
    isStopped,
    /** True if the balance pays for few days, or on the first day for a tenth of what was spent. */
    isEnding: !isStopped && paysForQuery(account.balanceMicros) && account.balanceMicros < lowMicros,
    /** Spending a day; 0 after less than a day, and if it is stopped. */
    perDayMicros: isStopped ? 0 : perDayMicros,
    /** Spending a day, or that of the median day if it is less: a leaked key raises no proposal. */
    usualMicros: isStopped ? 0 : Math.min(perDayMicros, used[(used.length - 1) >> 1] ?? 0),
    /** The time of that spending, as a part of a sentence. */
    pace: `of the last ${isOfDay ? '24 hours' : plural(Math.ceil(usedDays), 'day')}`,
    /** Days that the balance lasts at that pace; null if the pace is not known, or nothing can be spent. */
    daysLeft: isStopped ? null : daysLeft,
  }
}

/** Returns a key that may have leaked. A new one has no usual day. @param starts today and a week before */
function surgesOf(key: KeyView, rows: readonly UsageRow[], starts: readonly number[], nowMs: number) {
  const own = new Map(rows.flatMap(row => (row.key === key.id ? [[row.startMs, row.spentMicros]] : [])))
  const sums = starts.map(startMs => own.get(startMs) ?? 0)
  const [today, perDay] = [sums[7], sumOf(sums.slice(0, 7)) / 7]
  const isKnown = key.revokedMs === null && key.createdMs <= starts[0] && perDay > 0
  const times = timesUsual({ by: 'day', starts, sums }, 7, nowMs)
  if (!isKnown || today < SURGE_MICROS_MIN || times < SPIKE_TIMES) return []
  return {
    key,
    text: `spent ${headline(today)} today, and ${estimate(perDay)} a day in the seven days before`,
  }
}

import type { Accounts } from '../../billing/accounts/accounts.ts'
import type { QueriesByClass, UsageRow } from '../../billing/accounts/reports/usage-report.ts'
import type { AccountView, KeyView } from '../../billing/accounts/views.ts'
import { paysForQuery } from '../../billing/money.ts'
import { DAY_MS, HOUR_MS } from '../../platform/time.ts'
import { USAGE_NAMES } from '../../service/endpoints/table.ts'
import { medianOf, sumOf, sumsByKey } from '../sums.ts'
import { estimate, headline, keyState, plural, utcDay, utcMinute, utcMonth } from '../words.ts'
import { changeText, SPIKE_TIMES } from './usage-series.ts'

/** Smallest spending of a key on a day that is a surge, in micro-dollars. */
const SURGE_MICROS_MIN = 1_000_000
/** A balance that pays for fewer days is about to end. */
export const LOW_DAYS = 3

export const total = (queries: QueriesByClass): number => sumOf(USAGE_NAMES.map(name => queries[name]))

export type Spend = ReturnType<typeof spendOf>

/** Returns spending and queries of an account by UTC days. Seven days are today and the six before. */
export function spendOf(accounts: Accounts, account: AccountView, nowMs: number) {
  const todayMs = Math.floor(nowMs / DAY_MS) * DAY_MS
  const monthMs = Date.parse(utcMonth(nowMs))
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
    surges: (of = keys) => of.flatMap(key => surgesOf(accounts, key, rows, starts)),
    /** True if the account or all keys are stopped: the pace is not that of the future. */
    isStopped,
    /** True if the balance pays for few days, or on the first day for a tenth of what was spent. */
    isEnding: !isStopped && paysForQuery(account.balanceMicros) && account.balanceMicros < lowMicros,
    /** Spending a day; 0 after less than a day, and if it is stopped. */
    perDayMicros: isStopped ? 0 : perDayMicros,
    /** Spending a day, or that of the median day if it is less: a leaked key raises no proposal. */
    usualMicros: isStopped ? 0 : Math.min(perDayMicros, medianOf(days.filter(micros => micros > 0))),
    /** The time of that spending, as a part of a sentence. */
    pace: `of the last ${isOfDay ? '24 hours' : plural(Math.ceil(usedDays), 'day')}`,
    /** Days that the balance lasts at that pace; null if the pace is not known, or nothing can be spent. */
    daysLeft: isStopped ? null : daysLeft,
  }
}

/**
 * Returns why a key may have leaked; nothing if it spends as usual. Today, yesterday or the day before is far above the median of
 * the seven days before it, which a leak of three days does not change.
 */
function surgesOf(accounts: Accounts, key: KeyView, rows: readonly UsageRow[], starts: readonly number[]) {
  const own = new Map(rows.flatMap(row => (row.key === key.id ? [[row.startMs, row.spentMicros]] : [])))
  const sums = starts.map(startMs => own.get(startMs) ?? 0)
  const today = starts.length - 1
  const usualOf = (at: number) => medianOf(sums.slice(at - 7, at))
  const at = [today, today - 1, today - 2].find(at => {
    const isKnown = key.createdMs <= starts[at - 7] && usualOf(at) > 0
    return isKnown && sums[at] >= Math.max(SURGE_MICROS_MIN, SPIKE_TIMES * usualOf(at))
  })
  if (at === undefined || (key.revokedMs ?? key.offMs ?? key.rules.addresses) !== null) return []
  // The secret that leaked has ended since.
  if (key.previous === null && (key.previousEndMs ?? 0) > starts[at]) return []
  const day = ['today', 'yesterday'][today - at] ?? `on ${utcDay(starts[at])}`
  // Of an earlier day, not all hours are kept.
  const rise = today - at < 2 ? `, with a rise at ${riseText(accounts, key, starts[at])}` : ''
  const text = `spent ${headline(sums[at])} ${day}${rise}, and ${estimate(usualOf(at))} on a usual day`
  return { key, text }
}

/** Returns the hour of a day in which the spending of a key rose most. */
function riseText(accounts: Accounts, { account, id: key }: KeyView, dayMs: number): string {
  const rows = accounts.usage(account, { by: 'hour', key })
  const spentAt = (ms: number) => rows.find(({ startMs }) => startMs === ms)?.spentMicros ?? 0
  const riseAt = (ms: number) => spentAt(ms) - spentAt(ms - HOUR_MS)
  const hours = Array.from({ length: 24 }, (_, hour) => dayMs + hour * HOUR_MS)
  return utcMinute(hours.reduce((a, b) => (riseAt(b) > riseAt(a) ? b : a))).slice(11)
}

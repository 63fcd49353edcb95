/** The figures of an account, and what its owner should know before the next request fails. */
import type { Accounts } from '../../accounts/accounts.ts'
import type { AccountView, KeyView, QueriesByClass } from '../../accounts/views.ts'
import { USAGE_NAMES } from '../../endpoints/table.ts'
import { QUERY_PRICE_MICROS } from '../../limits.ts'
import { DAY_MS } from '../../platform/time.ts'
import type { Dashboard } from '../dashboard.ts'
import { cents, count, keyName, money, plural, utcMinute } from '../words.ts'
import { errorRows, errorsOf } from './activity.ts'

/** Texts by the name that `data-live` gives to them in a page. */
export type Figures = ReturnType<typeof figuresOf>

/**
 * Returns all figures, read in one turn of the event loop: only what another server thread charges within that fraction of a
 * millisecond can stand between two of them. @throws Error when there is no such account
 */
export function figuresOf({ accounts, dataPlane }: Dashboard, id: string, nowMs: number) {
  const account = accounts.account(id)
  if (account === undefined) throw new Error(`account ${id} is gone: expected one that is signed in`)
  const { balanceMicros, debtMicros } = account
  const spend = spendOf(accounts, account, nowMs)
  const use = accounts.presentUse(id)
  const free = freeLeftMicros(accounts, account)
  return {
    balance: cents(balanceMicros - debtMicros),
    balanceExact: money(balanceMicros - debtMicros),
    queriesLeft: plural(Math.floor(balanceMicros / QUERY_PRICE_MICROS), 'query', 'queries'),
    todayQueries: count(spend.todayQueries),
    todaySpent: cents(spend.todayMicros),
    todaySpentExact: money(spend.todayMicros),
    monthSpent: cents(spend.monthMicros),
    monthSpentExact: money(spend.monthMicros),
    freeLeft: free > 0 ? `${cents(free)} of free credit left` : 'free credit used up',
    daysLeft: daysLeft(spend.daysLeft),
    refused: count(errorsOf(errorRows(accounts, dataPlane, id, nowMs))),
    perMinute: count(use.minute),
    perHour: count(use.hour),
    perDay: count(use.day),
    balanceConcern: balanceConcern(account),
    capConcern: capConcern(accounts.listKeys(id)),
    ...firstSteps(account),
  }
}

/** Texts of the first steps of a new account; `''` for a step that is not done. */
function firstSteps({ activeKeys, spentMicros, balanceMicros }: AccountView) {
  const left = plural(Math.floor(balanceMicros / QUERY_PRICE_MICROS), 'query', 'queries')
  return {
    stepKey: activeKeys > 0 || spentMicros > 0 ? 'Done' : '',
    stepAnswer: spentMicros > 0 ? 'Done' : '',
    firstAnswer:
      spentMicros > 0
        ? `It works: ${money(spentMicros)} charged, ${left} left.`
        : 'Waiting for a request that is answered and charged.',
  }
}

function daysLeft(days: number | null): string {
  if (days === null) return '—'
  if (days < 1) return days > 0 ? 'less than a day' : 'used up'
  return days > 730 ? 'over two years' : plural(Math.floor(days), 'day')
}

export function total(queries: QueriesByClass): number {
  return USAGE_NAMES.reduce((sum, name) => sum + queries[name], 0)
}

export interface Spend {
  todayMicros: number
  monthMicros: number
  todayQueries: number
  todayByKey: Map<string, number>
  /** Days that the balance lasts at the pace of the last seven days; null: nothing was spent. */
  daysLeft: number | null
}

export function spendOf(accounts: Accounts, account: AccountView, nowMs: number): Spend {
  const todayMs = Math.floor(nowMs / DAY_MS) * DAY_MS
  const now = new Date(nowMs)
  const monthMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth())
  const weekMs = Math.max(todayMs - 6 * DAY_MS, account.createdMs)
  const rows = accounts.usage(account.id, { by: 'day', fromMs: Math.min(monthMs, todayMs - 6 * DAY_MS) })
  const spent = (fromMs: number) =>
    rows.reduce((sum, row) => sum + (row.startMs >= fromMs ? row.spentMicros : 0), 0)
  const today = rows.filter(row => row.startMs >= todayMs)
  // At least one day: an account that is an hour old has no pace yet.
  const perDay = spent(todayMs - 6 * DAY_MS) / Math.max(1, (nowMs - weekMs) / DAY_MS)
  return {
    todayMicros: spent(todayMs),
    monthMicros: spent(monthMs),
    todayQueries: today.reduce((sum, row) => sum + total(row.queries), 0),
    todayByKey: new Map(today.map(row => [row.key, total(row.queries)])),
    daysLeft: perDay === 0 ? null : account.balanceMicros / perDay,
  }
}

function freeLeftMicros(accounts: Accounts, account: AccountView): number {
  const free = accounts.freeCreditMicros(account.id)
  return Math.min(account.balanceMicros, Math.max(0, free - account.spentMicros))
}

export function standingConcern({ standing }: AccountView): string {
  if (standing === null) return ''
  const since = `since ${utcMinute(standing.sinceMs)} UTC`
  return standing.state === 'closed'
    ? `This account has been closed ${since}: ${standing.reason}. Requests with its keys are refused with 401.`
    : `This account has been suspended ${since}: ${standing.reason}. Requests with its keys are refused with 401 until the operator resumes it.`
}

export function balanceConcern({ balanceMicros, debtMicros, lowBalanceMicros }: AccountView): string {
  const isEmpty = balanceMicros < QUERY_PRICE_MICROS
  if (debtMicros > 0)
    return `You owe ${money(debtMicros)} from refunds or disputes, and the next payment covers that first.${isEmpty ? ' Requests are refused with 402 until you have paid more than you owe.' : ''}`
  if (isEmpty) return 'Your balance is used up. Requests are refused with 402 until you add money.'
  if (lowBalanceMicros === null || balanceMicros >= lowBalanceMicros) return ''
  return `Your balance is below ${money(lowBalanceMicros)}.`
}

export function capConcern(keys: readonly KeyView[]): string {
  const capped = keys.filter(isCapped)
  const [first] = capped
  if (first === undefined) return ''
  if (capped.length > 1)
    return `${count(capped.length)} keys have used up their monthly caps. Requests with them are refused with 402.`
  return `The key ${keyName(first)} has used up its monthly cap. Requests with it are refused with 402.`
}

export function isCapped({ revokedMs, capMicros, monthSpentMicros }: KeyView): boolean {
  return revokedMs === null && capMicros !== null && monthSpentMicros + QUERY_PRICE_MICROS > capMicros
}

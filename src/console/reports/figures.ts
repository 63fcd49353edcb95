import type { ShownLimits } from '../../billing/accounts/charging/shown-limits.ts'
import { perWindow, WINDOWS } from '../../billing/accounts/live/counter.ts'
import { USED_UP_MICROS } from '../../billing/accounts/reports/account-search.ts'
import type { AccountView, KeyView } from '../../billing/accounts/views.ts'
import type { RateLimits } from '../../billing/ledger/event.ts'
import { paysForQuery, QUERY_PRICE_MICROS } from '../../billing/money.ts'
import { DAY_MS, HOUR_MS } from '../../platform/time.ts'
import { BULK_RECORDS_MAX } from '../../service/limits.ts'
import type { Planes } from '../control-plane-parts.ts'
import { cents, count, headline, limitText, money, plural, quotedName, utcMinute } from '../words.ts'
import { type Refusal, refusalRows } from './activity.ts'
import { type Spend, spendOf } from './spend.ts'

export const RULE_REFUSALS =
  'Refused requests are free: 401 after the expiry, 403 for another endpoint or address, 429 beyond a limit. A bulk request counts once per record.'

/** A balance for fewer queries is nearly used up, at any pace. */
const QUERIES_LEFT_MIN = USED_UP_MICROS / QUERY_PRICE_MICROS

export type Figures = ReturnType<typeof figuresOf>

/** Returns all figures of one turn of the event loop, so that they agree. */
export function figuresOf(planes: Planes, account: AccountView, nowMs: number, known?: Spend) {
  const { accounts } = planes
  const { id, balanceMicros, debtMicros } = account
  const spend = known ?? spendOf(accounts, account, nowMs)
  const queries = accounts.currentQueries(id)
  const refusals = refusalRows(planes, id, nowMs)
  const isUnpaid = refusals.some(({ status }) => status === 402)
  return {
    balance: headline(balanceMicros - debtMicros),
    exactBalance: money(balanceMicros - debtMicros),
    queriesLeft: queriesText(balanceMicros),
    todayQueries: count(spend.todayQueries),
    weekQueries: count(spend.weekQueries),
    weekChange: spend.weekChange,
    todaySpent: headline(spend.todayMicros),
    monthSpent: headline(spend.monthMicros),
    lasts: lastsText(spend, balanceMicros, nowMs),
    forecast: paysForQuery(balanceMicros) ? forecastText(spend, nowMs) : '',
    ...usedTexts(account, queries),
    emptyConcern: emptyConcern(account),
    lowConcern: lowConcern(account),
    endingConcern:
      emptyConcern(account) || lowConcern(account)
        ? ''
        : endingConcern(spend, balanceMicros, isUnpaid, nowMs),
    limitConcern: limitConcern(account, queries, nowMs),
    capConcern: capConcern(accounts.listKeys(id)),
    ...firstSteps(account, refusals),
  }
}

/** Texts of the first steps of a new account; `''` for a step that is not done. */
function firstSteps({ activeKeys, spentMicros, balanceMicros }: AccountView, refusals: readonly Refusal[]) {
  const last = refusals.toSorted((a, b) => b.lastMs - a.lastMs)[0]
  const outcome = last?.status === 404 ? 'and was answered with' : 'but was refused with'
  const refused = last && ` A request arrived, ${outcome} ${last.status}: “${last.reason}”.`
  return {
    stepKey: activeKeys > 0 || spentMicros > 0 ? 'Done' : '',
    stepAnswer: spentMicros > 0 ? 'Done' : '',
    firstAnswer:
      spentMicros > 0
        ? `It works: ${money(spentMicros)} charged, ${queriesText(balanceMicros)} left.`
        : `Waiting for the first charged answer.${refused ?? ''}`,
  }
}

const queriesText = (micros: number) => plural(Math.floor(micros / QUERY_PRICE_MICROS), 'query', 'queries')

export function lastsText(spend: Spend, balanceMicros: number, nowMs = Date.now()) {
  const { daysLeft, weekQueries, pace, isStopped } = spend
  if (!paysForQuery(balanceMicros)) return 'pays for no query'
  if (weekQueries === 0) return 'no queries in seven days'
  if (isStopped) return 'no key can spend it now'
  if (balanceMicros < USED_UP_MICROS) return `pays for ${queriesText(balanceMicros)}`
  if (daysLeft === null) return 'Days left are shown after a day of use.'
  if (daysLeft < 1) return hoursText(daysLeft, nowMs)
  return `lasts for ${daysLeft > 730 ? 'over two years' : plural(Math.floor(daysLeft), 'day')} at the pace ${pace}`
}

/** Returns `lasts for about 8 hours, until 2026-11-30 06:20 UTC`. */
function hoursText(days: number, nowMs: number): string {
  const hours = Math.round(days * (DAY_MS / HOUR_MS))
  const time = hours < 1 ? 'less than an hour' : `about ${plural(hours, 'hour')}`
  return `lasts for ${time}, until ${utcMinute(nowMs + days * DAY_MS)} UTC`
}

/** Warns of a balance above its threshold that ends soon, or is too small for requests that got 402. */
function endingConcern({ daysLeft }: Spend, balanceMicros: number, isUnpaid: boolean, nowMs: number): string {
  const left = Math.floor(balanceMicros / QUERY_PRICE_MICROS)
  if (daysLeft !== null && daysLeft < 1) return `Your balance ${hoursText(daysLeft, nowMs)}.`
  if (left >= (isUnpaid ? BULK_RECORDS_MAX : QUERIES_LEFT_MIN)) return ''
  return `Your balance pays for ${queriesText(balanceMicros)}. Requests for more get 402.`
}

function forecastText({ monthMicros, perDayMicros }: Spend, nowMs: number): string {
  const now = new Date(nowMs)
  const days = (Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) - nowMs) / DAY_MS
  return perDayMicros === 0 ? '' : `about ${cents(monthMicros + perDayMicros * days)} by its end`
}

export function standingConcern({ standing }: AccountView): string {
  if (standing === null) return ''
  const since = `since ${utcMinute(standing.sinceMs)} UTC`
  const until = standing.state === 'closed' ? '' : ' until the operator resumes it'
  return `This account has been ${standing.state} ${since}: ${standing.reason}. Requests with its keys are refused with 401${until}.`
}

const debtText = (micros: number) =>
  `You owe ${money(micros)} from refunds or disputes. The next payment covers this debt first.`

/** Returns why the balance refuses requests; `''` if it does not. */
export function emptyConcern({ balanceMicros, debtMicros }: AccountView): string {
  if (paysForQuery(balanceMicros)) return ''
  return debtMicros > 0
    ? `${debtText(debtMicros)} Requests are refused with 402 until you have paid more than you owe.`
    : 'Your balance is used up. Requests are refused with 402 until money is added.'
}

/** Returns a warning about a balance that still pays for requests; `''` for none. */
export function lowConcern({ balanceMicros, debtMicros, lowBalanceMicros }: AccountView): string {
  if (!paysForQuery(balanceMicros)) return ''
  if (debtMicros > 0) return debtText(debtMicros)
  return balanceMicros < (lowBalanceMicros ?? 0)
    ? `Your balance is below ${money(lowBalanceMicros ?? 0)}.`
    : ''
}

/** Returns the use of each window and its share of the limit: `120 counted today, 12%`. */
export function usedTexts({ limits }: AccountView, { used }: ShownLimits) {
  return perWindow(({ limit, name }) => {
    const counted = `${count(used[limit])} counted ${name === 'day' ? 'today' : `this ${name}`}`
    const most = limits?.[limit] ?? null
    return most === null ? counted : `${counted}, ${Math.floor((used[limit] / most) * 100)}%`
  })
}

/** Names the longest window without room. */
export function limitConcern({ limits }: AccountView, { used }: ShownLimits, nowMs: number): string {
  const full = WINDOWS.findLast(({ limit }) => used[limit] >= (limits?.[limit] ?? Infinity))
  const most = limits?.[full?.limit ?? 'perDay']
  if (full === undefined || most == null) return ''
  const endMs = (Math.floor(nowMs / full.ms) + 1) * full.ms
  return `The account’s limit of ${limitText(most, full.name)} is used up. Requests are refused with 429 until ${utcMinute(endMs)} UTC.`
}

/** Warns of a limit that has no effect beside a longer window's, or bounds a bulk request; `''` for none. */
export function limitWarning(limits: RateLimits | null): string {
  const set = WINDOWS.flatMap(({ limit, name }) => {
    const most = limits?.[limit] ?? null
    return most === null ? [] : { most, text: limitText(most, name) }
  })
  const vain = set.filter(({ most }, at) => set.slice(at + 1).some(longer => longer.most <= most))
  const last = vain.at(-1)
  if (last !== undefined) {
    const [subject, verb] = vain.length > 1 ? ['limits', 'have'] : ['limit', 'has']
    const first = set.slice(set.indexOf(last) + 1).reduce((a, b) => (b.most <= a.most ? b : a))
    return `The ${subject} of ${vain.map(({ text }) => text).join(' and ')} ${verb} no effect: ${first.text} is reached first.`
  }
  const least = Math.min(...set.map(({ most }) => most))
  return least < BULK_RECORDS_MAX ? `The largest bulk request allowed is ${plural(least, 'record')}.` : ''
}

/** Warns of a limit of a day that today's queries are beyond; `''` if they are not. */
export function dayConcern(limits: Partial<RateLimits> | null, todayQueries: number): string {
  const most = limits?.perDay ?? Infinity
  if (todayQueries <= most) return ''
  return ` On a day like today, with ${plural(todayQueries, 'query', 'queries')}, requests beyond ${count(most)} get 429.`
}

export function capConcern(keys: readonly KeyView[]): string {
  const capped = keys.filter(key => key.isCapped)
  const [first] = capped
  if (first === undefined) return ''
  if (capped.length > 1)
    return `${count(capped.length)} keys have used up their monthly caps. Requests with them are refused with 402.`
  return `The key ${quotedName(first)} has used up its monthly cap. Requests with it are refused with 402.`
}

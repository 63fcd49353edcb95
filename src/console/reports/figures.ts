import type { ShownLimits } from '../../billing/accounts/charging/shown-limits.ts'
import { USED_UP_MICROS } from '../../billing/accounts/reports/account-search.ts'
import type { AccountView, KeyView } from '../../billing/accounts/views.ts'
import { perWindow, WINDOWS } from '../../billing/accounts/windows.ts'
import { paysForQuery, QUERY_PRICE_MICROS } from '../../billing/money.ts'
import { DAY_MS, HOUR_MS } from '../../platform/time.ts'
import type { Planes } from '../control-plane-parts.ts'
import { count, estimate, headline, limitText, money, plural, quotedName, utcMinute } from '../words.ts'
import { type Refusal, refusalRows } from './activity.ts'
import { reasonsOf } from './reasons.ts'
import { type Spend, spendOf } from './spend.ts'

export const RULE_REFUSALS =
  'Refused requests are free: 401 after the expiry, 403 for another endpoint or address, 429 beyond a limit. A bulk request counts once per record.'

export type Figures = ReturnType<typeof figuresOf>

/** Returns all figures of one turn of the event loop, so that they agree. */
export function figuresOf(planes: Planes, account: AccountView, nowMs: number, known?: Spend) {
  const { accounts } = planes
  const { id, balanceMicros, debtMicros } = account
  const spend = known ?? spendOf(accounts, account, nowMs)
  const queries = accounts.currentQueries(id)
  const refusals = refusalRows(planes, id, nowMs)
  return {
    balance: headline(balanceMicros - debtMicros),
    exactBalance: money(balanceMicros - debtMicros),
    queriesLeft: queriesText(balanceMicros),
    todayQueries: count(spend.todayQueries),
    weekQueries: count(spend.weekQueries),
    weekChange: spend.weekChange,
    todaySpent: headline(spend.todayMicros),
    monthSpent: headline(spend.monthMicros),
    lasts: lastsText(spend, balanceMicros),
    forecast: paysForQuery(balanceMicros) ? forecastText(spend, nowMs) : '',
    ...usedTexts(account, queries),
    ...balanceConcerns(account, () => refusals),
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

export function lastsText(spend: Spend, balanceMicros: number) {
  const { daysLeft, weekQueries, pace, isStopped } = spend
  if (!paysForQuery(balanceMicros)) return 'pays for no query'
  if (weekQueries === 0) return 'no queries in seven days'
  if (isStopped) return 'no key can spend it now'
  if (balanceMicros < USED_UP_MICROS) return `pays for ${queriesText(balanceMicros)}`
  if (daysLeft === null) return 'Days left are shown after a day of use.'
  const days = daysLeft < 1 ? 'less than a day' : plural(Math.floor(daysLeft), 'day')
  return `lasts for ${daysLeft > 730 ? 'over two years' : days} at the pace ${pace}`
}

function forecastText({ monthMicros, perDayMicros, pace }: Spend, nowMs: number): string {
  const now = new Date(nowMs)
  const days = (Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) - nowMs) / DAY_MS
  const micros = monthMicros + perDayMicros * days
  return perDayMicros === 0 ? '' : `${estimate(micros)} by its end at the pace ${pace}`
}

/** Ends a text that somebody typed with one full stop. */
const sentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`)

export function standingConcern({ standing }: AccountView): string {
  if (standing === null) return ''
  const since = `since ${utcMinute(standing.sinceMs)} UTC`
  const until = standing.state === 'closed' ? '' : ' until the operator resumes it'
  return `This account has been ${standing.state} ${since}: ${sentence(standing.reason)} Requests with its keys are refused with 401${until}.`
}

const debtText = (micros: number) =>
  `You owe ${money(micros)} from refunds or disputes. The next payment covers this debt first.`

/** Returns why the balance refuses requests, and else the warning that it is low; `''` for none. */
export function balanceConcerns(account: AccountView, refusals: () => readonly Refusal[]) {
  const { balanceMicros, debtMicros, lowBalanceMicros } = account
  const empty = emptyConcern(account, refusals)
  const isLow = lowBalanceMicros !== null && balanceMicros < lowBalanceMicros
  const low =
    debtMicros > 0 ? debtText(debtMicros) : isLow && `Your balance is below ${money(lowBalanceMicros)}.`
  return { emptyConcern: empty, lowConcern: (empty === '' && low) || '' }
}

/** Returns why the balance refuses requests, or larger ones in the last hour; `''` if it does not. */
function emptyConcern(account: AccountView, refusals: () => readonly Refusal[]): string {
  const { balanceMicros, debtMicros } = account
  if (paysForQuery(balanceMicros)) {
    const isShort = ({ status, bound }: Refusal) => status === 402 && bound === null
    const recent = refusals().filter(each => isShort(each) && each.lastMs > Date.now() - HOUR_MS)
    if (reasonsOf(recent, account, []).every(({ isOver }) => isOver)) return ''
    return `Your balance of ${money(balanceMicros)} pays for ${queriesText(balanceMicros)}. Larger requests are refused with 402.`
  }
  return debtMicros > 0
    ? `${debtText(debtMicros)} Requests are refused with 402 until you have paid more than you owe.`
    : 'Your balance is used up. Requests are refused with 402 until money is added.'
}

/** Returns the use of each window and its share of the limit: `120 counted today, 12%`. */
export function usedTexts({ limits }: AccountView, { used }: ShownLimits) {
  return perWindow(({ limit, name }) => {
    const counted = `${count(used[limit])} counted ${name === 'day' ? 'today' : `this ${name}`}`
    const most = limits?.[limit] ?? null
    return most === null ? counted : `${counted}, ${Math.min(100, Math.floor((used[limit] / most) * 100))}%`
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

export function capConcern(keys: readonly KeyView[]): string {
  const capped = keys.filter(key => key.isCapped)
  const [first] = capped
  if (first === undefined) return ''
  if (capped.length > 1)
    return `${count(capped.length)} keys have used up their monthly caps. Requests with them are refused with 402.`
  return `The key ${quotedName(first)} has used up its monthly cap. Requests with it are refused with 402.`
}

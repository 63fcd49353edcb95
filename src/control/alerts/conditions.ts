/** What holds for an account at this moment. */
import type { Accounts } from '../../accounts/accounts.ts'
import type { AccountView, KeyView, PresentUse } from '../../accounts/views.ts'
import { QUERY_PRICE_MICROS } from '../../limits.ts'
import { isCapped } from '../layout/concerns.ts'
import { count, money, utcMinute } from '../layout/words.ts'
import type { Condition, Fact } from './kinds.ts'

/** From this share of a limit on, as the API's `approachingLimit`. */
const NEAR = 0.8

const WINDOWS = [
  ['perMinute', 'minute'],
  ['perHour', 'hour'],
  ['perDay', 'day'],
] as const

/** @param keys of the account */
export function factsOf(
  condition: Condition,
  accounts: Accounts,
  account: AccountView,
  keys: readonly KeyView[],
  timeMs: number,
): Fact[] {
  switch (condition) {
    case 'balance.low':
      return lowBalance(account, timeMs)
    case 'balance.empty':
      return emptyBalance(account, timeMs)
    case 'key.capped':
      return keys.filter(isCapped).map(key => ({ timeMs, subject: key.id, text: cappedText(key) }))
    case 'limit.near':
      return nearLimits(account, accounts.presentUse(account.id), timeMs)
    default:
      return condition satisfies never
  }
}

function lowBalance({ availableMicros, lowBalanceMicros }: AccountView, timeMs: number): Fact[] {
  if (lowBalanceMicros === null || availableMicros >= lowBalanceMicros) return []
  const text = `The balance is ${money(availableMicros)}, below the threshold of ${money(lowBalanceMicros)}.`
  return [{ timeMs, subject: '', text }]
}

function emptyBalance({ availableMicros }: AccountView, timeMs: number): Fact[] {
  if (availableMicros >= QUERY_PRICE_MICROS) return []
  return [{ timeMs, subject: '', text: 'The balance is used up. Requests are refused with 402.' }]
}

function cappedText({ label, start, capMicros }: KeyView): string {
  return `The key ${nameOf({ label, start })} has used up its cap of ${money(capMicros ?? 0)} for this month. Requests with it are refused with 402.`
}

function nearLimits({ limits }: AccountView, use: PresentUse, timeMs: number): Fact[] {
  return WINDOWS.flatMap(([name, window]) => {
    const limit = limits?.[name] ?? null
    if (limit === null || use[window] < limit * NEAR) return []
    const text = `${count(use[window])} of ${count(limit)} queries per ${window} are used. Requests beyond the limit are refused with 429.`
    return [{ timeMs, subject: window, text }]
  })
}

/** Moments at which keys were made, as facts. */
export function createdFact(key: KeyView): Fact {
  return { timeMs: key.createdMs, subject: key.id, text: `The key ${nameOf(key)} was created.` }
}

/** A new secret of a key, as a fact: whoever has it can spend the balance as with a new key. */
export function rolledFact(key: KeyView, timeMs: number): Fact {
  const until = key.earlier === null ? 'no longer works' : `works until ${utcMinute(key.earlier.untilMs)} UTC`
  const text = `The key ${nameOf(key)} was rolled: it has a new secret. The one before it ${until}.`
  return { timeMs, subject: key.id, text }
}

function nameOf({ label, start }: Pick<KeyView, 'label' | 'start'>): string {
  return label === '' ? `${start}…` : `${label} (${start}…)`
}

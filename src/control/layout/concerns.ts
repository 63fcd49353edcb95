/** What a customer should know before the next request fails, as sentences; `''` when all is well. */
import type { AccountView, KeyView } from '../../accounts/views.ts'
import { QUERY_PRICE_MICROS } from '../../limits.ts'
import { count, money, utcMinute } from './words.ts'

/** A suspended or closed account. */
export function standingConcern({ standing }: AccountView): string {
  if (standing === null) return ''
  const since = `since ${utcMinute(standing.sinceMs)} UTC`
  return standing.state === 'closed'
    ? `This account has been closed ${since}: ${standing.reason}. Requests with its keys are refused with 401.`
    : `This account has been suspended ${since}: ${standing.reason}. Requests with its keys are refused with 401 until the operator resumes it.`
}

/** An empty balance, or one below the threshold that its owner has set. */
export function balanceConcern({ availableMicros, lowBalanceMicros }: AccountView): string {
  if (availableMicros < QUERY_PRICE_MICROS) {
    return 'Your balance is used up. Requests are refused with 402 until you add money.'
  }
  if (lowBalanceMicros === null || availableMicros >= lowBalanceMicros) return ''
  return `Your balance is below ${money(lowBalanceMicros)}.`
}

/** Keys whose own cap refuses requests although the account could pay. */
export function capConcern(keys: readonly KeyView[]): string {
  const capped = keys.filter(isCapped)
  const [first] = capped
  if (first === undefined) return ''
  if (capped.length > 1) {
    return `${count(capped.length)} keys have used up their monthly caps. Requests with them are refused with 402.`
  }
  return `The key ${first.label || `${first.start}…`} has used up its monthly cap. Requests with it are refused with 402.`
}

/** Whether a key is active and the rest of its monthly cap does not pay for one query. */
export function isCapped({ revokedMs, capMicros, monthSpentMicros }: KeyView): boolean {
  return revokedMs === null && capMicros !== null && monthSpentMicros + QUERY_PRICE_MICROS > capMicros
}

/** Writes the answers of refused requests: status, error, and what the client can do. */
import type { Shortfall, Unpaid } from '../../billing/accounts/charging/charging.ts'
import type { ReachedLimit, SharedKey } from '../../billing/accounts/charging/shared-key.ts'
import type { ShownLimits } from '../../billing/accounts/charging/shown-limits.ts'
import { WINDOWS } from '../../billing/accounts/windows.ts'
import { dollarsText } from '../../billing/money.ts'
import { type Fault, faultText } from '../endpoints/endpoint.ts'
import { ADD_FUNDS, ERRORS, type ErrorCode } from '../errors.ts'
import { type ApiRequest, NO_SECRET } from './request.ts'

const LEASE_RETRY_SECONDS = 1

const RAISE_CAP =
  'The monthly spending cap of this API key is used up. Raise it under API keys in the account dashboard to continue.'

/** Answers with an error. Its text names the record of a bulk request. */
export function refuseFault(request: ApiRequest, fault: Fault): undefined {
  refuse(request, fault.error, {}, faultText(fault))
}

export function refuse(
  request: ApiRequest,
  code: ErrorCode,
  fields = {},
  error: string = ERRORS[code].text,
): undefined {
  request.status = ERRORS[code].status
  request.error = error
  // An unreadable body gives no key, so the log takes the header's.
  if (code === 'INVALID_JSON' && request.headerKey !== '') {
    request.takeSecret(NO_SECRET)
    request.noteKey()
  }
  request.body = JSON.stringify({ error, ...fields })
}

/** Refuses what `key` could not pay: for the ledger, a missing lease, its cap, or the balance. */
export function refuseUnpaid(request: ApiRequest, isBulk: boolean, key: SharedKey, unpaid: Unpaid): void {
  if (unpaid === 'unavailable') return refuse(request, 'UNAVAILABLE')
  if (typeof unpaid === 'object') {
    // The next attempt passes the limits again.
    request.context.charging.putBackIntoLimits(key, request.queries)
    return awaitLease(request, unpaid)
  }
  const isCap = unpaid === 'cap'
  if (isCap) request.reachedLimit = { of: 'key', window: 'month', most: null, wait: null }
  const currentBalance = dollarsText(key.account.availableMicros)
  const code = isBulk ? 'INSUFFICIENT_BALANCE_BULK' : 'INSUFFICIENT_BALANCE'
  refuse(request, code, { currentBalance, message: isCap ? RAISE_CAP : ADD_FUNDS })
}

/** Answers 429 with the wait in seconds, or with the largest allowed bulk request if no wait helps. */
export function refuseOverLimit(
  request: ApiRequest,
  isBulk: boolean,
  { ownLimits, account }: SharedKey,
  wait: number | Shortfall,
): void {
  const { queries } = request
  if (typeof wait === 'object') return awaitLease(request, wait)
  const code = isBulk ? 'RATE_LIMIT_BULK' : 'RATE_LIMIT'
  const ofKey = ownLimits === null ? Number.POSITIVE_INFINITY : smallestLimit(ownLimits)
  const most = Math.min(ofKey, smallestLimit(account))
  const seconds = queries > most ? null : wait
  if (seconds === null) {
    const whose = ofKey === most ? 'API key' : 'account'
    const message = `The rate limits of this ${whose} allow at most ${most} records in one request.`
    refuse(request, code, { message })
  } else {
    refuse(request, code, { retryAfter: seconds })
    request.retryAfter = seconds
  }
  // A batch above a limit never fits. The answer names the smallest limit.
  const isOfKey = seconds !== null || ofKey === most
  request.reachedLimit =
    (isOfKey && ownLimits && fullWindow('key', ownLimits, queries, seconds)) ||
    fullWindow('account', account, queries, seconds)
}

/**
 * Returns the longest window without room for `queries`; null if another node of a fleet used it up.
 * @param wait seconds until there is room; null if `queries` exceed the smallest limit itself
 */
function fullWindow(
  of: ReachedLimit['of'],
  limited: ShownLimits,
  queries: number,
  wait: number | null,
): ReachedLimit | null {
  for (const { name, limit } of WINDOWS.toReversed()) {
    const most = limited.limits?.[limit] ?? null
    if (most === null) continue
    if (wait === null ? most === smallestLimit(limited) : queries + limited.used[limit] > most)
      return { of, window: name, most, wait }
  }
  return null
}

/** Returns the maximum number of queries in one request; Infinity without limits. */
function smallestLimit({ limits }: ShownLimits): number {
  return Math.min(...Object.values(limits ?? {}).filter(limit => limit !== null))
}

/** Lets the request wait for a lease. Until then, the answer is 503. */
function awaitLease(request: ApiRequest, shortfall: Shortfall): void {
  request.shortfall = shortfall
  refuse(request, 'UNAVAILABLE')
  request.retryAfter = LEASE_RETRY_SECONDS
}

import type { Refusal, Shortfall } from '../../billing/accounts/charging/charging.ts'
import type { Bound, SharedKey } from '../../billing/accounts/charging/shared-key.ts'
import type { Limited } from '../../billing/accounts/charging/shown-limits.ts'
import { WINDOWS } from '../../billing/accounts/live/counter.ts'
import { dollarsText } from '../../billing/money.ts'
import { addressText, isInNetworks } from '../../platform/networks.ts'
import { type Fault, faultText } from '../endpoints/endpoint.ts'
import { USAGE_NAMES } from '../endpoints/table.ts'
import { ADD_FUNDS, CHANGE_RULES, ERRORS, type ErrorCode } from '../errors.ts'
import { type ApiRequest, NO_SECRET } from './request.ts'

/** Seconds of `Retry-After` in the 503. */
const LEASE_RETRY_SECONDS = 1

const RAISE_CAP =
  'The monthly spending cap of this API key is used up. Raise it under API keys in the account dashboard to continue.'

export function fail(request: ApiRequest, code: ErrorCode, fields?: object): void {
  failWith(request, code, ERRORS[code][1], fields)
}

/** Answers with an error. Its text names the record of a bulk request. */
export function failFault(request: ApiRequest, fault: Fault): void {
  failWith(request, fault.error, faultText(fault))
}

function failWith(request: ApiRequest, code: ErrorCode, error: string, fields?: object): void {
  request.status = ERRORS[code][0]
  request.error = error
  // An unreadable body gives no key, so the log takes the header's.
  if (code === 'INVALID_JSON' && request.headerKey !== '') {
    request.takeSecret(NO_SECRET)
    request.key = request.answering.charging.authenticate(request.secret, 0, request.secretEnd)
  }
  request.output.length = 0
  request.output.utf8(JSON.stringify({ error, ...fields }))
}

export function authenticated(request: ApiRequest): SharedKey | undefined {
  const { secret, secretStart, secretEnd } = request
  const found = request.answering.charging.identify(secret, secretStart, secretEnd)
  request.authenticatedMs = performance.now()
  if (typeof found !== 'string') {
    request.key = found
    return found
  }
  fail(request, 'INVALID_API_KEY')
  request.keyRefusal = found
  return undefined
}

/** Reports why `queries` could not be charged to `key`: the ledger, a missing lease, the key's cap, or the balance. */
export function failCharge(
  request: ApiRequest,
  isBulk: boolean,
  key: SharedKey,
  queries: number,
  refusal: Refusal,
): void {
  if (refusal === 'unavailable') return fail(request, 'UNAVAILABLE')
  if (typeof refusal === 'object') {
    // The next attempt passes the limits again.
    request.answering.charging.unadmit(key, queries)
    return awaitLease(request, refusal)
  }
  const isCap = refusal === 'cap'
  if (isCap) request.bound = { of: 'key', window: 'month', most: null, wait: null }
  const currentBalance = dollarsText(key.account.availableMicros)
  const code = isBulk ? 'INSUFFICIENT_BALANCE_BULK' : 'INSUFFICIENT_BALANCE'
  fail(request, code, { currentBalance, message: isCap ? RAISE_CAP : ADD_FUNDS })
}

/** Answers 429 with the wait in seconds, or with the largest allowed bulk request if no wait helps. A request may wait for a lease instead. */
export function failRateLimit(
  request: ApiRequest,
  isBulk: boolean,
  { ownLimits, account }: SharedKey,
  queries: number,
  wait: number | Shortfall,
): void {
  if (typeof wait === 'object') return awaitLease(request, wait)
  const code = isBulk ? 'RATE_LIMIT_BULK' : 'RATE_LIMIT'
  const ofKey = ownLimits === null ? Number.POSITIVE_INFINITY : smallestLimit(ownLimits)
  const most = Math.min(ofKey, smallestLimit(account))
  const seconds = queries > most ? null : wait
  if (seconds === null) {
    const whose = ofKey === most ? 'API key' : 'account'
    const message = `The rate limits of this ${whose} allow at most ${most} records in one request.`
    fail(request, code, { message })
  } else {
    fail(request, code, { retryAfter: seconds })
    request.retryAfter = seconds
  }
  // No room is enough for a batch beyond a limit: the smallest one is named.
  const isOfKey = seconds !== null || ofKey === most
  request.bound =
    (isOfKey && ownLimits && fullWindow('key', ownLimits, queries, seconds)) ||
    fullWindow('account', account, queries, seconds)
}

/**
 * Returns the longest window without room for `queries`; null if another node of a fleet used it up.
 * @param wait seconds until there is room; null if even empty windows have none: then the smallest limit is returned
 */
function fullWindow(of: Bound['of'], limited: Limited, queries: number, wait: number | null): Bound | null {
  for (const { name, limit } of WINDOWS.toReversed()) {
    const most = limited.limits?.[limit] ?? null
    if (most === null) continue
    if (wait === null ? most === smallestLimit(limited) : queries + limited.used[limit] > most)
      return { of, window: name, most, wait }
  }
  return null
}

/** Returns the maximum number of queries in one request; Infinity without limits. */
function smallestLimit({ limits }: Limited): number {
  return Math.min(...Object.values(limits ?? {}).filter(limit => limit !== null))
}

/** Lets the request wait for a lease. Until then, the answer is 503. */
function awaitLease(request: ApiRequest, shortfall: Shortfall): void {
  request.shortfall = shortfall
  fail(request, 'UNAVAILABLE')
  request.retryAfter = LEASE_RETRY_SECONDS
}

/** Returns true if the rules of the key refuse the request. @param usage class of the endpoint; null: free */
export function isRefusedByRules(request: ApiRequest, { rules }: SharedKey, usage: number | null): boolean {
  if (rules === null) return false
  const { networks, endpoints } = rules
  if (networks !== null && !mayComeFrom(request, networks)) return true
  if (usage === null || (endpoints & (1 << usage)) !== 0) return false
  const allowed = USAGE_NAMES.filter((_, bit) => (endpoints & (1 << bit)) !== 0)
  const names = allowed.join(', ')
  const message = `This API key may be used for ${names === '' ? 'free endpoints' : names} only. ${CHANGE_RULES}`
  fail(request, 'KEY_ENDPOINT', { message })
  return true
}

function mayComeFrom(request: ApiRequest, networks: Int32Array): boolean {
  const address = request.clientAddress()
  if (address !== null && isInNetworks(address, networks)) return true
  const from = address === null ? 'an address that is not known' : addressText(address)
  const message = `This API key may be used from certain networks only, and this request came from ${from}. ${CHANGE_RULES}`
  fail(request, 'KEY_ADDRESS', { message })
  return false
}

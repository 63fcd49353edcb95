/** The order in which every request is checked. It is part of the contract, and stated here alone. */
import type { SharedKey } from '../../billing/accounts/charging/shared-key.ts'
import { addressText, isInNetworks } from '../../platform/networks.ts'
import type { Endpoint, Fault } from '../endpoints/endpoint.ts'
import { USAGE_NAMES } from '../endpoints/table.ts'
import { CHANGE_RULES } from '../errors.ts'
import { fail, failCharge, failFault, failRateLimit } from './refuse.ts'
import type { ApiRequest } from './request.ts'

/** Steps that differ between hot, cold and bulk requests. The request has been read. */
export interface Handling {
  readonly endpoint: Endpoint
  /** Returns the fault of the fields; null if all are well-formed. */
  malformed(request: ApiRequest): Fault | null
  /** Returns true if a worker shall answer the request. Nothing has been counted yet. */
  needsWorker?(request: ApiRequest, key: SharedKey): boolean
  /** Makes the answer, without its ending. Returns the fault of the data, or null. */
  run(request: ApiRequest): Fault | null
  /** Completes the answer of a charged or free request. */
  end(request: ApiRequest, key: SharedKey): void
}

/** Answers a request that has been read. Bulk requests show their key before their fields. */
export function answer(request: ApiRequest, handling: Handling): void {
  const { charging } = request.answering
  const { endpoint } = handling
  const { usage, isBulk } = endpoint
  if (refuseUnready(request, endpoint)) return
  const malformed = handling.malformed(request)
  if (malformed !== null && !isBulk) return failMalformed(request, malformed)
  const key = authenticateOrRefuse(request)
  if (key === undefined || refuseByRules(request, key, usage)) return
  if (malformed !== null) return failFault(request, malformed)
  if (usage === null) return handling.end(request, key)
  const { queries } = request
  request.isForWorker = handling.needsWorker?.(request, key) === true
  if (request.isForWorker) return
  const wait = charging.admit(key, queries)
  if (wait !== null) return failRateLimit(request, isBulk, key, queries, wait)
  request.limitedMs = key.limited.limits === null ? request.authenticatedMs : performance.now()
  const unpaid = charging.checkFunds(key, queries)
  if (unpaid !== null) return failCharge(request, isBulk, key, queries, unpaid)
  const fault = handling.run(request)
  if (fault !== null) return failFault(request, fault)
  const uncharged = charging.charge(key, usage, queries)
  if (uncharged !== null) return failCharge(request, isBulk, key, queries, uncharged)
  request.chargedQueries = queries
  handling.end(request, key)
}

/** Refuses a request that nobody could answer, an unreadable one, and one without a key. Returns true if refused. */
export function refuseUnready(request: ApiRequest, { usage, missingKey }: Endpoint): boolean {
  if (usage !== null && !request.answering.charging.healthy) fail(request, 'UNAVAILABLE')
  else if (!request.isReadable) fail(request, 'INVALID_JSON')
  else if (request.secretStart === request.secretEnd) fail(request, missingKey)
  else return false
  return true
}

export function authenticateOrRefuse(request: ApiRequest): SharedKey | undefined {
  const { secret, secretStart, secretEnd } = request
  const found = request.answering.charging.keyOrRefusal(secret, secretStart, secretEnd)
  request.authenticatedMs = performance.now()
  if (typeof found !== 'string') {
    request.key = found
    return found
  }
  fail(request, 'INVALID_API_KEY')
  request.keyRefusal = found
  return undefined
}

/** Returns true if refused. @param usageClass class of the endpoint; null: free */
function refuseByRules(request: ApiRequest, { rules }: SharedKey, usageClass: number | null): boolean {
  if (rules === null) return false
  const { networks, endpoints } = rules
  if (networks !== null && refuseAddress(request, networks)) return true
  if (usageClass === null || (endpoints & (1 << usageClass)) !== 0) return false
  const names = USAGE_NAMES.filter((_, bit) => (endpoints & (1 << bit)) !== 0).join(', ')
  const message = `This API key may be used for ${names || 'free endpoints'} only. ${CHANGE_RULES}`
  fail(request, 'KEY_ENDPOINT', { message })
  return true
}

function refuseAddress(request: ApiRequest, networks: Int32Array): boolean {
  const address = request.clientAddress()
  if (address !== null && isInNetworks(address, networks)) return false
  const from = address === null ? 'an address that is not known' : addressText(address)
  const message = `This API key may be used from certain networks only, and this request came from ${from}. ${CHANGE_RULES}`
  fail(request, 'KEY_ADDRESS', { message })
  return true
}

/** Finds the key for the request log. The answer does not say if it exists. */
function failMalformed(request: ApiRequest, fault: Fault): void {
  const { secret, secretStart, secretEnd, answering } = request
  request.key = answering.charging.findKey(secret, secretStart, secretEnd)
  failFault(request, fault)
}

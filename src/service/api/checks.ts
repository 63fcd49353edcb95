/** The order in which every request is checked and charged, a part of the contract. */
import type { SharedKey } from '../../billing/accounts/charging/shared-key.ts'
import { paysForQuery } from '../../billing/money.ts'
import { addressText, isInNetworks } from '../../platform/networks.ts'
import type { Body, Endpoint, Fault } from '../endpoints/endpoint.ts'
import { USAGE_NAMES } from '../endpoints/table.ts'
import { CHANGE_RULES } from '../errors.ts'
import { fail, failCharge, failFault, failRateLimit } from './refuse.ts'
import type { ApiRequest } from './request.ts'
import { writeEnding } from './write-ending.ts'

/** Makes the answer, without its ending. Returns the fault of the data, or null. */
export type Run = (request: ApiRequest, endpoint: Endpoint) => Fault | null

/**
 * Answers a request that has been read, unless `request.isForWorker` then says that a worker shall. Bulk
 * requests show their key before their fields. @param malformed fault of the body or its fields
 */
export function answerChecked(
  request: ApiRequest,
  endpoint: Endpoint,
  malformed: Fault | null,
  run: Run,
): void {
  const { charging } = request.answering
  const { usageClass, isBulk } = endpoint
  if (refuseUnready(request, endpoint, malformed)) return
  if (malformed !== null && !isBulk) return failMalformed(request, malformed)
  const key = authenticateOrRefuse(request)
  if (key === undefined || (key.rules !== null && refuseByRules(request, key.rules, usageClass))) return
  if (malformed !== null) return failFault(request, malformed)
  const { queries } = request
  if (usageClass !== null) {
    // Nothing has been counted yet: the request comes again after the worker.
    request.isForWorker = request.parsed !== null && needsWorker(request, endpoint, request.parsed, key)
    if (request.isForWorker) return
    request.limitedMs = request.authenticatedMs
    if (key.limited.limits !== null) {
      const wait = charging.admit(key, queries)
      if (wait !== null) return failRateLimit(request, isBulk, key, wait)
      request.limitedMs = performance.now()
    }
    const unpaid = charging.checkFunds(key, queries)
    if (unpaid !== null) return failCharge(request, isBulk, key, unpaid)
  }
  const fault = run(request, endpoint)
  if (fault !== null) return failFault(request, fault)
  if (usageClass !== null) {
    const uncharged = charging.charge(key, usageClass, queries)
    if (uncharged !== null) return failCharge(request, isBulk, key, uncharged)
    request.chargedQueries = queries
  }
  writeEnding(request, endpoint, key)
}

/** Refuses a request without ledger, readable body or key. Returns true if refused. */
export function refuseUnready(
  request: ApiRequest,
  { usageClass, missingKey }: Endpoint,
  malformed: Fault | null,
): boolean {
  if (usageClass !== null && !request.answering.charging.healthy) fail(request, 'UNAVAILABLE')
  else if (malformed?.error === 'INVALID_JSON') fail(request, 'INVALID_JSON')
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
function refuseByRules(
  request: ApiRequest,
  { networks, endpoints }: NonNullable<SharedKey['rules']>,
  usageClass: number | null,
): boolean {
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
  request.key = request.findKey()
  failFault(request, fault)
}

function needsWorker(request: ApiRequest, endpoint: Endpoint, body: Body, key: SharedKey): boolean {
  const { answering, workerResult } = request
  if (workerResult !== null || answering.tasks === undefined) return false
  return paysForQuery(key.account.availableMicros) && endpoint.isLong(answering.codes, body)
}

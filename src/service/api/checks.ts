/**
 * The order in which every request is checked and charged, a part of the contract. The answer, or the refusal,
 * is then in the request, and `replies.ts` sends it.
 */
import type { SharedKey } from '../../billing/accounts/charging/shared-key.ts'
import { addressText, isInNetworks } from '../../platform/networks.ts'
import type { Endpoint, Fault } from '../endpoints/endpoint.ts'
import { USAGE_NAMES } from '../endpoints/table.ts'
import { CHANGE_RULES } from '../errors.ts'
import { refuse, refuseFault, refuseOverLimit, refuseUnpaid } from './refuse.ts'
import type { ApiRequest } from './request.ts'
import { writeEnding } from './write-ending.ts'

/** Makes the answer, without its ending, as in `hot-answers.ts`. Returns the fault of the data, or null. */
export type MakeAnswer = (request: ApiRequest) => Fault | null

/** Checks, answers and charges a request that has been read. @param malformed fault of the body or its fields */
export function answerChecked(
  request: ApiRequest,
  endpoint: Endpoint,
  malformed: Fault | null,
  makeAnswer: MakeAnswer,
): void {
  const key = acceptedKey(request, endpoint, malformed)
  if (key !== undefined) answerAndCharge(request, endpoint, key, makeAnswer)
}

/**
 * Returns the key of a request that has been read; undefined if the request is refused. Bulk requests show
 * their key before their fields. @param malformed fault of the body or its fields
 */
export function acceptedKey(
  request: ApiRequest,
  { usageClass, isBulk, missingKey }: Endpoint,
  malformed: Fault | null,
): SharedKey | undefined {
  const { charging } = request.context
  if (usageClass !== null && !charging.healthy) return refuse(request, 'UNAVAILABLE')
  if (malformed?.error === 'INVALID_JSON') return refuse(request, 'INVALID_JSON')
  if (request.secretStart === request.secretEnd) return refuse(request, missingKey)
  if (malformed !== null && !isBulk) {
    // For the request log. The answer does not say if the key exists.
    request.noteKey()
    return refuseFault(request, malformed)
  }
  const found = charging.findKey(request.secret, request.secretStart, request.secretEnd)
  request.authenticatedMs = performance.now()
  if (typeof found === 'string') {
    request.keyRefusal = found
    return refuse(request, 'INVALID_API_KEY')
  }
  request.key = found
  if (found.rules !== null && refuseByRules(request, found.rules, usageClass)) return undefined
  return malformed === null ? found : refuseFault(request, malformed)
}

/** Counts, answers and charges a request with an accepted key. */
export function answerAndCharge(
  request: ApiRequest,
  endpoint: Endpoint,
  key: SharedKey,
  makeAnswer: MakeAnswer,
): void {
  const { queries, context } = request
  const { charging } = context
  const { usageClass, isBulk } = endpoint
  if (usageClass !== null) {
    request.limitedMs = request.authenticatedMs
    if (key.limited.limits !== null) {
      const wait = charging.takeFromLimits(key, queries)
      if (wait !== null) return refuseOverLimit(request, isBulk, key, wait)
      request.limitedMs = performance.now()
    }
    const unpaid = charging.checkFunds(key, queries)
    if (unpaid !== null) return refuseUnpaid(request, isBulk, key, unpaid)
  }
  const fault = makeAnswer(request)
  if (fault !== null) return refuseFault(request, fault)
  if (usageClass !== null) {
    const uncharged = charging.charge(key, usageClass, queries)
    if (uncharged !== null) return refuseUnpaid(request, isBulk, key, uncharged)
    request.chargedQueries = queries
  }
  writeEnding(request, endpoint, key)
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
  refuse(request, 'KEY_ENDPOINT', { message })
  return true
}

function refuseAddress(request: ApiRequest, networks: Int32Array): boolean {
  const address = request.clientAddress()
  if (address !== null && isInNetworks(address, networks)) return false
  const from = address === null ? 'an address that is not known' : addressText(address)
  const message = `This API key may be used from certain networks only, and this request came from ${from}. ${CHANGE_RULES}`
  refuse(request, 'KEY_ADDRESS', { message })
  return true
}

/** Answers all endpoints but batches from a parsed body: hot ones only when their body is unusual. */
import { performance } from 'node:perf_hooks'
import type { SharedKey } from '../../billing/accounts/charging/shared-key.ts'
import { dollars, QUERY_PRICE_MICROS } from '../../billing/money.ts'
import { parsedObject } from '../../postal/text/json-members.ts'
import { type BatchResult, withEnding } from '../batch/batch-result.ts'
import { type Body, type Endpoint, isFault } from '../endpoints/endpoint.ts'
import { authenticated, fail, failCharge, failFault, failRateLimit, isRefusedByRules } from './refuse.ts'
import type { ApiRequest } from './service.ts'
import { endingOf, endingText, shortPerformance } from './write-ending.ts'

/** Result of a request that is left to another thread. */
export const LEFT = Symbol('left')

/**
 * Answers `body` into `request.body`, or an error into `request.output`. The order of the checks is part of the contract.
 * @param made answer of a worker; `LEFT`: a long request is left to a worker; undefined: it is answered here
 * @returns `LEFT` if the request was left, before it is counted against the limits
 */
export function answerCold(
  request: ApiRequest,
  endpoint: Endpoint,
  body: Uint8Array,
  made?: BatchResult | typeof LEFT,
  startedMs = performance.now(),
): unknown {
  const { meter, codes } = request.service
  const { usage } = endpoint
  request.begin(startedMs)
  /** Time of the worker. */
  const madeMs = typeof made === 'object' ? performance.now() - startedMs : 0
  if (usage !== null && !meter.healthy) return fail(request, 'UNAVAILABLE')
  const parsed = parsedObject(body)
  if (parsed === undefined) return fail(request, 'INVALID_JSON')
  request.parsed = parsed
  const secret = secretOf(request, parsed)
  if (secret === '') return fail(request, endpoint.missingKey)
  const bytes = Buffer.from(secret)
  const malformed = endpoint.check(codes, parsed)
  if (malformed !== null) {
    // For the request log. The answer does not say if the key exists.
    request.key = meter.authenticate(bytes, 0, bytes.length)
    return failFault(request, malformed)
  }
  const key = authenticated(request, bytes)
  if (key === undefined) return
  if (key.rules !== null && isRefusedByRules(request, key.rules, usage)) return
  if (usage === null) return answerFree(request, endpoint, key)
  const queries = endpoint.queries(parsed)
  const canPay = key.account.availableMicros >= queries * QUERY_PRICE_MICROS
  if (made === LEFT && canPay && endpoint.isLong(codes, parsed)) return LEFT
  const wait = meter.admit(key, queries)
  if (wait > 0) return failRateLimit(request, 'RATE_LIMIT', key, queries, wait)
  request.limitedMs = performance.now()
  if (!meter.canPay(key, queries)) return failCharge(request, key, queries, 'INSUFFICIENT_BALANCE')
  const answer = typeof made === 'object' ? made : endpoint.run(codes, parsed)
  if (isFault(answer)) return failFault(request, answer)
  if (!meter.charge(key, usage, queries)) return failCharge(request, key, queries, 'INSUFFICIENT_BALANCE')
  request.chargedQueries = queries
  // Shows the time of the worker as processing.
  request.authenticatedMs -= madeMs
  request.limitedMs -= madeMs
  const ending = endingText(request, endingOf(endpoint), key)
  if (typeof made === 'object' && made.error === null) request.body = withEnding(made, ending)
  else request.body = JSON.stringify(answer).slice(0, -1) + ending
  return undefined
}

function answerFree(request: ApiRequest, { run }: Endpoint, { account }: SharedKey): void {
  const answer = run(request.service.codes, request.parsed ?? {})
  const ending = { balance: dollars(account.availableMicros), performance: shortPerformance(request) }
  request.body = JSON.stringify({ ...answer, ...ending })
}

function secretOf({ headerKey }: ApiRequest, { apiKey }: Body): string {
  return typeof apiKey === 'string' && apiKey !== '' ? apiKey : headerKey
}

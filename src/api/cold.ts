/** Answers all endpoints but batches from a parsed body: hot ones only when their body is unusual. */
import { performance } from 'node:perf_hooks'
import type { SharedKey } from '../accounts/charging/shared-key.ts'
import { type Body, type Endpoint, isFault } from '../endpoints/endpoint.ts'
import { dollars } from '../money.ts'
import { parsedObject } from '../text/json-members.ts'
import { authenticated, fail, failCharge, failFault, failRateLimit, isRefusedByRules } from './refuse.ts'
import type { ApiRequest } from './service.ts'
import { endingOf, endingText, shortPerformance } from './write-ending.ts'

/** Answers `body` into `request.body`, or an error into `request.output`. The order of the checks is part of the contract. */
export function answerCold(request: ApiRequest, endpoint: Endpoint, body: Uint8Array): void {
  const { meter, codes } = request.service
  const { usage } = endpoint
  request.begin(performance.now())
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
  const wait = meter.admit(key, queries)
  if (wait > 0) return failRateLimit(request, 'RATE_LIMIT', key, queries, wait)
  request.limitedMs = performance.now()
  if (!meter.canPay(key, queries)) return failCharge(request, key, queries, 'INSUFFICIENT_BALANCE')
  const answer = endpoint.run(codes, parsed)
  if (isFault(answer)) return failFault(request, answer)
  if (!meter.charge(key, usage, queries)) return failCharge(request, key, queries, 'INSUFFICIENT_BALANCE')
  request.chargedQueries = queries
  request.body = JSON.stringify(answer).slice(0, -1) + endingText(request, endingOf(endpoint), key)
}

function answerFree(request: ApiRequest, { run }: Endpoint, { account }: SharedKey): void {
  const answer = run(request.service.codes, request.parsed ?? {})
  const ending = { balance: dollars(account.availableMicros), performance: shortPerformance(request) }
  request.body = JSON.stringify({ ...answer, ...ending })
}

function secretOf({ headerKey }: ApiRequest, { apiKey }: Body): string {
  return typeof apiKey === 'string' && apiKey !== '' ? apiKey : headerKey
}

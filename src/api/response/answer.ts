/** How a single-record request is answered: bytes, fields, account, rate limit, balance, index, charge, bytes. */
import { performance } from 'node:perf_hooks'
import { QUERY_PRICE_MICROS } from '../../limits.ts'
import { FIELD } from '../request/field-slots.ts'
import type { ApiRequest, Endpoint } from '../service.ts'
import { isRefused } from './key-rules.ts'
import { fail, failBalance, failCharge, failKey, failRateLimit } from './respond.ts'

/**
 * Answers `body` into `request.output`. The order of the checks is part of the contract: presence of the key, shape of the
 * other fields, the key itself, its rules, rate limits, balance, data. Only an answer is charged; every error is free. A request that then
 * `awaits` a list is neither charged nor answered yet.
 */
export function answer(request: ApiRequest, endpoint: Endpoint, body: Uint8Array): void {
  const { fields, service } = request
  const { meter } = service
  request.begin(performance.now())
  if (!meter.healthy) return fail(request, 'UNAVAILABLE')
  if (!fields.read(body)) return fail(request, 'INVALID_JSON')
  if (!fields.hasText(FIELD.apiKey)) return fail(request, 'MISSING_API_KEY')
  const malformed = endpoint.check(request)
  if (malformed !== null) return fail(request, malformed)
  const start = fields.starts[FIELD.apiKey]
  const end = fields.ends[FIELD.apiKey]
  const key = meter.authenticate(fields.bytes, start, end, fields.view)
  if (key === undefined) return failKey(request, fields.bytes, start, end)
  request.key = key
  const { account } = key
  request.authenticatedMs = performance.now()
  if (key.rules !== null && isRefused(request, key.rules, endpoint.usage)) return
  const wait = meter.admit(key, 1)
  if (wait > 0) return failRateLimit(request, 'RATE_LIMIT', key, 1, wait)
  // Without limits nothing has happened since the last reading.
  request.limitedMs = key.limited.limits === null ? request.authenticatedMs : performance.now()
  if (account.availableMicros < QUERY_PRICE_MICROS)
    return failBalance(request, 'INSUFFICIENT_BALANCE', account)
  const missing = endpoint.find(request)
  if (missing !== null) {
    meter.countFree(account)
    return fail(request, missing)
  }
  if (request.awaits !== undefined) return
  // A key with a spending cap of its own can be refused here although the account could pay.
  if (!meter.charge(key, endpoint.usage, 1)) {
    failCharge(request, key, 1, 'INSUFFICIENT_BALANCE')
    // The next attempt passes the limits again.
    if (request.wanted !== null) meter.readmit(key, 1)
    return
  }
  request.chargedQueries = 1
  endpoint.write(request, key)
}

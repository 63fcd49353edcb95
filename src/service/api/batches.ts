/** Checks batches before a worker reads the records, and charges them afterwards. */

import { dollars, QUERY_PRICE_MICROS } from '../../billing/money.ts'
import { COLON, QUOTE, spaceEnd } from '../../postal/text/json-bytes.ts'
import { parsedObject } from '../../postal/text/json-members.ts'
import { type BatchResult, secretIn, withEnding } from '../batch/batch-result.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { authenticated, fail, failCharge, failFault, failRateLimit, isRefusedByRules } from './refuse.ts'
import type { ApiRequest } from './service.ts'
import { rateLimitView, shortPerformance } from './write-ending.ts'

const KEY_NAME = '"apiKey"'
const KEY_NEAR_BYTES = 256
const NO_RATE_LIMIT = { enabled: false }

/** Refuses a large batch without a valid key, so that strangers take no worker's time. Returns true if `request` holds the answer. */
export function refuseStranger(request: ApiRequest, body: Uint8Array, startedMs: number): boolean {
  const { meter } = request.service
  request.begin(startedMs)
  if (!meter.healthy) {
    fail(request, 'UNAVAILABLE')
    return true
  }
  // Nearly every client writes its key first or last. Any valid key passes here. `answerBatch` charges the key that counts.
  if (isKeyPlain(request, body)) return false
  const parsed = parsedObject(body)
  if (parsed !== undefined) return !hasKey(request, secretIn(parsed))
  fail(request, 'INVALID_JSON')
  return true
}

/** Finds the key of `secret`, else of the header. Returns false if the request was refused. */
function hasKey(request: ApiRequest, secret: Uint8Array): boolean {
  const bytes = secret.length > 0 ? secret : Buffer.from(request.headerKey)
  if (bytes.length > 0) return authenticated(request, bytes) !== undefined
  fail(request, 'MISSING_API_KEY')
  return false
}

/** Returns true if a valid key follows the first `"apiKey"` near the beginning, else the last one. */
function isKeyPlain({ service: { meter } }: ApiRequest, { buffer, byteOffset, length }: Uint8Array): boolean {
  const body = Buffer.from(buffer, byteOffset, length)
  const near = body.subarray(0, KEY_NEAR_BYTES).indexOf(KEY_NAME, 0, 'latin1')
  const name = near < 0 ? body.lastIndexOf(KEY_NAME, undefined, 'latin1') : near
  if (name < 0) return false
  const colon = spaceEnd(body, name + KEY_NAME.length)
  const quote = spaceEnd(body, colon + 1)
  if (body[colon] !== COLON || body[quote] !== QUOTE) return false
  return meter.authenticate(body, quote + 1, body.indexOf(QUOTE, quote + 1)) !== undefined
}

/** Answers a batch that has been read. Key, limits and charge come in one synchronous step. */
export function answerBatch(
  request: ApiRequest,
  { usage }: Endpoint,
  result: BatchResult,
  startedMs: number,
): void {
  const { meter } = request.service
  request.begin(startedMs)
  if (usage === null) throw new Error('a batch is charged, and has a usage class')
  if (!meter.healthy) return fail(request, 'UNAVAILABLE')
  if (result.error === 'INVALID_JSON') return fail(request, result.error)
  if (!hasKey(request, result.apiKey)) return
  const { key } = request
  if (key === undefined) return
  if (key.rules !== null && isRefusedByRules(request, key.rules, usage)) return
  if (result.error !== null) return failFault(request, result)
  const { count } = result
  const wait = meter.admit(key, count)
  if (wait > 0) return failRateLimit(request, 'RATE_LIMIT_BULK', key, count, wait)
  if (!meter.charge(key, usage, count)) return failCharge(request, key, count, 'INSUFFICIENT_BALANCE_BULK')
  request.chargedQueries = count
  const tail = {
    totalCost: dollars(count * QUERY_PRICE_MICROS),
    performance: shortPerformance(request),
    rateLimit: key.limited.limits === null ? NO_RATE_LIMIT : rateLimitView(key.limited),
    balance: dollars(key.account.availableMicros),
  }
  request.body = withEnding(result, `,${JSON.stringify(tail).slice(1)}`)
}

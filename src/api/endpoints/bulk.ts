/** POST /api/validate-bulk and /api/lookup-bulk: what is checked before and after the records of a batch are read. */
import { ENDPOINT_USAGE } from '../../accounts/endpoint-usage.ts'
import type { ApiKey, Limited, Meter, UsageClass } from '../../accounts/types.ts'
import { type BatchKind, type BulkResult, TAIL_BYTES, type ValidatedBatch } from '../../bulk/bulk-result.ts'
import { ERRORS, type ErrorCode } from '../../errors.ts'
import { BULK_RECORDS_MAX, QUERY_PRICE_MICROS } from '../../limits.ts'
import { dollarsJson } from '../../money.ts'
import { PackedWriter } from '../../text/packed-from-json.ts'
import { type BatchSurvey, nearKey, type Span } from '../request/batch-survey.ts'
import { decodedText } from '../request/fields.ts'
import { isRefused } from '../response/key-rules.ts'
import { fail, failCharge, failKey, failRateLimit, listEnding, rateLimitView } from '../response/respond.ts'
import type { ApiRequest } from '../service.ts'

/** The bits of a short map's first byte that count its members. */
const SHORT_MAP_COUNT = 0x0f

const USAGE: Readonly<Record<BatchKind, UsageClass>> = {
  validate: ENDPOINT_USAGE.bulk,
  lookup: ENDPOINT_USAGE['lookup-bulk'],
}

/** What is known of a large batch from the keys near its two ends. */
export type FirstSight =
  /** It may be validated. */
  | 'welcome'
  /** Its key is valid, and what it may cost depends on the number of its records. */
  | 'customer'
  /** Its key is somewhere else, or wrong. */
  | 'stranger'

/** Finds out in some microseconds whether a large batch in JSON has to be surveyed before it is validated. */
export function firstSightOf({ service: { meter } }: ApiRequest, body: Uint8Array): FirstSight {
  const key = keyAt(meter, body, nearKey(body, false)) ?? keyAt(meter, body, nearKey(body, true))
  if (key === undefined) return 'stranger'
  return key.rules === null && isUnbounded(meter, key) ? 'welcome' : 'customer'
}

/**
 * Checks a large batch before its records are read, so that a batch that cannot be charged never takes a worker's time. The key
 * and its rules are checked always, the rate limits, the balance and the key's cap where they are so low that the number of records
 * matters. Nothing is charged here; the validation decides which key is.
 * @param survey what a survey of `body` has found
 * @param isPacked whether `body` is MessagePack
 * @returns true when the batch is refused; `request` then holds the answer
 */
export function refuseBatch(
  request: ApiRequest,
  body: Uint8Array,
  startedMs: number,
  survey: BatchSurvey | undefined,
  isPacked: boolean,
  kind: BatchKind,
): boolean {
  const { meter } = request.service
  request.begin(startedMs)
  const error = earlyError(request, body, survey, isPacked, kind)
  if (error !== null) fail(request, meter.healthy ? error : 'UNAVAILABLE')
  return request.status !== 200
}

/** The error of a batch that has no valid key. Limit and balance write their own answers, which have further fields. */
function earlyError(
  request: ApiRequest,
  body: Uint8Array,
  survey: BatchSurvey | undefined,
  isPacked: boolean,
  kind: BatchKind,
): ErrorCode | null {
  const { meter } = request.service
  if (survey === undefined) return 'INVALID_JSON'
  if (survey.apiKey === undefined || survey.apiKey.end === survey.apiKey.start) return 'MISSING_API_KEY'
  const key = isPacked ? keyAt(meter, body, survey.apiKey) : writtenKeyAt(meter, body, survey.apiKey)
  if (key === undefined) {
    failKey(request, body, survey.apiKey.start, survey.apiKey.end)
    return 'INVALID_API_KEY'
  }
  request.key = key
  if (key.rules !== null && isRefused(request, key.rules, USAGE[kind])) return null
  if (isUnbounded(meter, key)) return null
  const count = survey.records
  // What is wrong with a number of records that nobody may send is for the validation to say.
  if (count < 1 || count > BULK_RECORDS_MAX) return null
  const isAffordable = meter.canPay(key, count)
  if (isAffordable && isWithinLimits(meter, key, count)) return null
  if (!isAffordable && meter.wanted !== null) {
    failCharge(request, key, count, 'INSUFFICIENT_BALANCE_BULK')
    return null
  }
  // Counts the batch when only the balance or the cap refuses it, as every request that the limiter lets through is counted.
  const wait = meter.admit(key, count)
  if (wait > 0) failRateLimit(request, 'RATE_LIMIT_BULK', key, count, wait)
  else failCharge(request, key, count, 'INSUFFICIENT_BALANCE_BULK')
  return null
}

/** Whether the key may be charged for any batch. */
function isUnbounded(meter: Meter, key: ApiKey): boolean {
  return key.account.limits === null && key.own === null && meter.canPay(key, BULK_RECORDS_MAX)
}

function keyAt(meter: Meter, body: Uint8Array, span: Span | undefined): ApiKey | undefined {
  return span && meter.authenticate(body, span.start, span.end)
}

/** The key of a string that may have escapes. */
function writtenKeyAt(meter: Meter, body: Uint8Array, { start, end }: Span): ApiKey | undefined {
  const text = decodedText(body, start, end)
  return meter.authenticate(text, 0, text.length)
}

/** Whether the limits allow `count` queries more, without counting them. */
function isWithinLimits(meter: Meter, key: ApiKey, count: number): boolean {
  // Counts nothing, and begins the windows of the present moment.
  meter.admit(key, 0)
  return fits(key.account, count) && (key.own === null || fits(key.own, count))
}

function fits({ limits, currentMinute, currentHour, currentDay }: Limited, count: number): boolean {
  if (limits === null) return true
  const isWithin = (limit: number | null, current: number) => limit === null || current + count <= limit
  return (
    isWithin(limits.perMinute, currentMinute) &&
    isWithin(limits.perHour, currentHour) &&
    isWithin(limits.perDay, currentDay)
  )
}

/**
 * Answers a validated batch. Authentication, limits and the charge come after the validation, in one synchronous step, so
 * that nothing can change between the check of the balance and the charge.
 */
export function answerBulk(
  request: ApiRequest,
  result: BulkResult,
  startedMs: number,
  kind: BatchKind = 'validate',
): void {
  const { meter } = request.service
  request.begin(startedMs)
  if (!meter.healthy) return fail(request, 'UNAVAILABLE')
  if (result.error !== null) return failRecord(request, result.error, result.record)
  const { apiKey, count } = result
  const key = meter.authenticate(apiKey, 0, apiKey.length)
  if (key === undefined) return failKey(request, apiKey, 0, apiKey.length)
  request.key = key
  const { account, limited } = key
  if (key.rules !== null && isRefused(request, key.rules, USAGE[kind])) return
  const wait = meter.admit(key, count)
  if (wait > 0) return failRateLimit(request, 'RATE_LIMIT_BULK', key, count, wait)
  if (!meter.charge(key, USAGE[kind], count)) {
    failCharge(request, key, count, 'INSUFFICIENT_BALANCE_BULK')
    // The next attempt passes the limits again.
    if (request.wanted !== null) meter.readmit(key, count)
    return
  }
  request.chargedQueries = count
  const rateLimit = limited.limits === null ? { enabled: false } : rateLimitView(limited)
  const cost = dollarsJson(count * QUERY_PRICE_MICROS)
  const tail = `"totalCost":${cost}${listEnding(request, account, rateLimit)}`
  request.isPacked = result.isPacked
  request.large = result.isPacked ? withPackedTail(result, `{${tail}`) : withTail(result, `,${tail}`)
}

/** Writes the rest of the response into the room after the results. */
function withTail({ bytes, length }: ValidatedBatch, tail: string): Uint8Array {
  const room = Buffer.from(bytes.buffer, bytes.byteOffset + length, TAIL_BYTES)
  return bytes.subarray(0, length + room.write(tail, 'latin1'))
}

const packed = new PackedWriter()

/** Adds the members of `tail`, an object, to the map of the results. Both are short maps: their first byte is a count. */
function withPackedTail({ bytes, length }: ValidatedBatch, tail: string): Uint8Array {
  const map = packed.packed(Buffer.from(tail, 'latin1'))
  bytes[0] += map[0] & SHORT_MAP_COUNT
  bytes.set(map.subarray(1), length)
  return bytes.subarray(0, length + map.length - 1)
}

/** The shape errors of a batch; those about one record say which. */
function failRecord(request: ApiRequest, error: ErrorCode, record: number): void {
  if (record < 0) return fail(request, error)
  const [status, text] = ERRORS[error]
  request.status = status
  request.output.utf8(JSON.stringify({ error: text.replace('[N]', `[${record}]`) }))
}

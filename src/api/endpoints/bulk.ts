/** POST /api/validate-bulk: the steps after the records have been validated, by a worker or at once. */
import { type BulkResult, TAIL_BYTES } from '../../bulk/bulk-result.ts'
import { ERRORS, type ErrorCode } from '../../errors.ts'
import { QUERY_PRICE_MICROS } from '../../limits.ts'
import { dollarsJson } from '../../money.ts'
import { fail, failBalance, failRateLimit, rateLimitView } from '../response/respond.ts'
import type { ApiRequest } from '../service.ts'

const BULK_USAGE = 4

/**
 * Answers a validated batch. Authentication, limits and the charge come after the validation, in one synchronous step, so
 * that nothing can change between the check of the balance and the charge.
 */
export function answerBulk(request: ApiRequest, result: BulkResult, startedMs: number): void {
  const { meter } = request.service
  request.begin(startedMs)
  if (!meter.healthy) return fail(request, 'UNAVAILABLE')
  if (result.error !== null) return failRecord(request, result.error, result.record)
  // A result without an error has a key.
  const apiKey = result.apiKey as Uint8Array
  const key = meter.authenticate(apiKey, 0, apiKey.length)
  if (key === undefined) return fail(request, 'INVALID_API_KEY')
  const { account } = key
  const wait = meter.admit(account, result.count)
  if (wait > 0) return failRateLimit(request, 'RATE_LIMIT_BULK', wait)
  if (!meter.charge(key, BULK_USAGE, result.count))
    return failBalance(request, 'INSUFFICIENT_BALANCE_BULK', account)
  const rest = {
    performance: { totalTime: `${Math.round(performance.now() - startedMs)}ms` },
    rateLimit: account.limits === null ? { enabled: false } : rateLimitView(account),
  }
  const cost = dollarsJson(result.count * QUERY_PRICE_MICROS)
  const balance = dollarsJson(account.availableMicros)
  request.large = withTail(
    result,
    `,"totalCost":${cost},"balance":${balance},${JSON.stringify(rest).slice(1)}`,
  )
}

/** Writes the rest of the response into the room behind the results. */
function withTail({ bytes, length }: BulkResult, tail: string): Uint8Array {
  const room = Buffer.from(bytes.buffer, bytes.byteOffset + length, TAIL_BYTES)
  return bytes.subarray(0, length + room.write(tail, 'latin1'))
}

/** The shape errors of a batch; those about one record say which. */
function failRecord(request: ApiRequest, error: ErrorCode, record: number): void {
  if (record < 0) return fail(request, error)
  const [status, text] = ERRORS[error]
  request.status = status
  request.output.utf8(JSON.stringify({ error: text.replace('[N]', `[${record}]`) }))
}

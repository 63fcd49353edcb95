/** Batches: what is checked before a worker reads the records, and how they are charged afterwards. */
import { type BulkResult, TAIL_BYTES } from '../bulk/bulk-result.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { QUERY_PRICE_MICROS } from '../limits.ts'
import { dollars } from '../money.ts'
import { asciiBytes, utf8Text } from '../text/bytes.ts'
import { BACKSLASH, BRACE_OPEN, COLON, markEnd, QUOTE, spaceEnd } from '../text/json-bytes.ts'
import { keyOf } from './cold.ts'
import { rateLimitView, shortPerformance } from './endings.ts'
import { fail, failCharge, failFault, failRateLimit, isRefusedByRules } from './refusals.ts'
import type { ApiRequest } from './service.ts'

const KEY_NAME = '"apiKey"'
const LOWER = 0x20
/** The letters of that name, and each as an escape (`\u0061`) in small letters. */
const KEY_LETTERS = Array.from(asciiBytes('apiKey'), letter => {
  const escaped = asciiBytes(`\\u00${letter.toString(16)}`).map(byte => byte | LOWER)
  return [letter, escaped] as const
})
/** Steps of a byte into an array or object, or out of it. */
const STEPS = new Int8Array(256)
for (const byte of asciiBytes('{[')) STEPS[byte] = 1
for (const byte of asciiBytes('}]')) STEPS[byte] = -1
const KEY_NEAR_BYTES = 256
const NO_RATE_LIMIT = { enabled: false }

/**
 * Refuses a large batch that has no valid key, so that strangers take no worker's time.
 * @returns true when `request` holds the answer
 */
export function refuseStranger(request: ApiRequest, body: Uint8Array, startedMs: number): boolean {
  const { meter } = request.service
  request.begin(startedMs)
  if (!meter.healthy) {
    fail(request, 'UNAVAILABLE')
    return true
  }
  // Nearly every client writes its key first or last. Any valid key will do here: the batch is charged to the one that counts.
  if (isKeyPlain(request, body)) return false
  const brace = spaceEnd(body, markEnd(body))
  if (body[brace] === BRACE_OPEN) return !hasKey(request, keyAnywhere(body))
  fail(request, 'INVALID_JSON')
  return true
}

/** Finds the key of `secret`, or else that of the header. False when the request has been refused. */
function hasKey(request: ApiRequest, secret: Uint8Array): boolean {
  const bytes = secret.length > 0 ? secret : Buffer.from(request.headerKey)
  if (bytes.length > 0) return keyOf(request, bytes) !== undefined
  fail(request, 'MISSING_API_KEY')
  return false
}

/** True if a valid key follows an `"apiKey"` near the beginning, or else the last one. */
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

/** The text of the last member `apiKey` of an object of which nothing else is judged: three nanoseconds a byte. */
function keyAnywhere(body: Uint8Array): Uint8Array {
  let depth = 0
  let [start, end] = [0, 0]
  for (let at = 0; at < body.length; at++) {
    depth += STEPS[body[at]]
    if (body[at] !== QUOTE) continue
    const name = at
    at = quoteAfter(body, at)
    const colon = spaceEnd(body, at + 1)
    if (depth !== 1 || body[colon] !== COLON || !isKeyName(body, name + 1)) continue
    start = spaceEnd(body, colon + 1)
    end = body[start] === QUOTE ? quoteAfter(body, start) : start
  }
  return Buffer.from(end > start ? unescaped(body, start, end) : '')
}

function isKeyName(body: Uint8Array, start: number): boolean {
  let at = start
  for (const [letter, escaped] of KEY_LETTERS) {
    if (body[at] === letter) at++
    else if (body[at] !== BACKSLASH) return false
    else for (let i = 0; i < escaped.length; i++) if ((body[at++] | LOWER) !== escaped[i]) return false
  }
  return body[at] === QUOTE
}

/** Where the string that begins at `start` has its closing quote. */
function quoteAfter(body: Uint8Array, start: number): number {
  let at = start + 1
  while (at < body.length && body[at] !== QUOTE) at += body[at] === BACKSLASH ? 2 : 1
  return at
}

/** The string between the quotes at `start` and `end`; '' when it is malformed. */
function unescaped(body: Uint8Array, start: number, end: number): string {
  try {
    return JSON.parse(utf8Text(body, start, end + 1))
  } catch {
    return ''
  }
}

/** Answers a batch that has been read. Key, limits and charge come in one synchronous step. */
export function answerBatch(
  request: ApiRequest,
  { usage }: Endpoint,
  result: BulkResult,
  startedMs: number,
): void {
  const { meter } = request.service
  request.begin(startedMs)
  if (!meter.healthy || usage === null) return fail(request, 'UNAVAILABLE')
  if (result.error === 'INVALID_JSON') return fail(request, result.error)
  if (!hasKey(request, result.apiKey)) return
  const { key } = request
  if (key === undefined) return
  if (key.rules !== null && isRefusedByRules(request, key.rules, usage)) return
  if (result.error !== null) return failFault(request, result)
  const { count, bytes, length } = result
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
  const room = Buffer.from(bytes.buffer, bytes.byteOffset + length, TAIL_BYTES)
  request.body = bytes.subarray(0, length + room.write(`,${JSON.stringify(tail).slice(1)}`, 'latin1'))
}

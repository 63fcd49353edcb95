/** Refuses large bulk requests without a valid key, before a worker reads the records. */

import { BRACE_OPEN, BRACKET_OPEN, COLON, parsedObject, QUOTE, spaceEnd } from '../../postal/text/json.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { BULK_RECORDS_MAX } from '../limits.ts'
import { secretIn } from '../workers/worker-result.ts'
import { authenticateOrRefuse, refuseUnready } from './checks.ts'
import { fail } from './refuse.ts'
import { type ApiRequest, NO_SECRET } from './request.ts'

const KEY_NAME = '"apiKey"'
const KEY_NEAR_BYTES = 256
/** Arrays and objects of a body that is parsed for its key. A bulk request has one for each record. */
const OPENINGS_MAX = 4 * BULK_RECORDS_MAX

/** Refuses a large bulk request without a valid key, which must take no worker's time. True if refused. */
export function refuseStranger(request: ApiRequest, endpoint: Endpoint, bytes: Uint8Array): boolean {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  // Only keeps strangers from the workers: clients write keys first, last or into a header.
  // `answerChecked` decides which key pays.
  if (isKeyPlain(request, body) || isHeaderKeyValid(request)) return false
  if (isIntricate(body)) {
    fail(request, body.includes(KEY_NAME) ? 'INVALID_API_KEY' : 'MISSING_API_KEY')
    return true
  }
  const parsed = parsedObject(body)
  if (parsed !== undefined) request.takeSecret(secretIn(parsed))
  const malformed = parsed === undefined ? ({ error: 'INVALID_JSON' } as const) : null
  return refuseUnready(request, endpoint, malformed) || authenticateOrRefuse(request) === undefined
}

function isHeaderKeyValid(request: ApiRequest): boolean {
  request.takeSecret(NO_SECRET)
  const { secret, secretStart, secretEnd, answering } = request
  return answering.charging.findKey(secret, secretStart, secretEnd) !== undefined
}

/** Returns true for too many arrays and objects: parsing 1 MB of them takes a quarter of a second. */
function isIntricate(body: Uint8Array): boolean {
  let openings = 0
  for (const byte of body) if (byte === BRACE_OPEN || byte === BRACKET_OPEN) openings++
  return openings > OPENINGS_MAX
}

/** Returns true if a valid key follows the first `"apiKey"` near the beginning, else the last one. */
function isKeyPlain({ answering: { charging } }: ApiRequest, body: Buffer): boolean {
  const near = body.subarray(0, KEY_NEAR_BYTES).indexOf(KEY_NAME, 0, 'latin1')
  const name = near < 0 ? body.lastIndexOf(KEY_NAME, undefined, 'latin1') : near
  if (name < 0) return false
  const colon = spaceEnd(body, name + KEY_NAME.length)
  const quote = spaceEnd(body, colon + 1)
  if (body[colon] !== COLON || body[quote] !== QUOTE) return false
  return charging.findKey(body, quote + 1, body.indexOf(QUOTE, quote + 1)) !== undefined
}

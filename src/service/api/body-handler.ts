/** Answers the bodies of an endpoint, on this thread or in a worker: large bulk requests, and other long ones. */

import { paysForQuery } from '../../billing/money.ts'
import { BRACE_OPEN, BRACKET_OPEN, COLON, parsedObject, QUOTE, spaceEnd } from '../../postal/text/json.ts'
import { BULK_THRESHOLD_BYTES, type Endpoint, type Fault, isFault } from '../endpoints/endpoint.ts'
import { BULK_RECORDS_MAX } from '../limits.ts'
import { secretIn, type WorkerResult } from '../workers/worker-result.ts'
import { TASKS_WAITING_MAX } from '../workers/workers.ts'
import { acceptedKey, answerAndCharge, answerChecked } from './checks.ts'
import { HOT_ANSWERS } from './hot-answers.ts'
import { answerHot } from './hot-requests.ts'
import { refuse } from './refuse.ts'
import { type ApiRequest, NO_SECRET } from './request.ts'

/** Seconds of `Retry-After` for a full queue, which empties in less than one. */
const BUSY_RETRY_SECONDS = 1
const UNREADABLE: Fault = { error: 'INVALID_JSON' }
const KEY_NAME = '"apiKey"'
const KEY_NEAR_BYTES = 256
/** Arrays and objects of a body that is parsed for its key. A bulk request has one for each record. */
const OPENINGS_MAX = 4 * BULK_RECORDS_MAX

/** Writes the answer to `body` into the `ApiRequest`, or resolves to a handler that will. */
export type BodyHandler = (body: Uint8Array) => Promise<BodyHandler> | undefined

/** Returns the handler of an endpoint. It gives long requests to a worker, and waits for leases. */
export function bodyHandlerOf(endpoint: Endpoint, request: ApiRequest): BodyHandler {
  const { context } = request
  const { pool, leaseWaits } = context
  const { name, isBulk, workerBytes } = endpoint

  /** Calls `handle`, and calls it again with a copy of the body when the node has leased more. */
  const handleUntilLeased = (
    handle: BodyHandler,
    body: Uint8Array,
    endMs?: number,
  ): ReturnType<BodyHandler> => {
    const later = handle(body)
    if (later !== undefined) return later.then(next => empty => handleUntilLeased(next, empty))
    if (request.shortfall === null) return undefined
    const kept = body.slice()
    const waited = leaseWaits.wait(request.shortfall, kept.length, endMs)
    return waited?.then(nextEndMs => () => handleUntilLeased(handle, kept, nextEndMs))
  }

  /** Gives a copy of `body` to a worker: uWebSockets.js reuses the bytes. Refuses it if too many wait. */
  const giveToWorker = (body: Uint8Array, finish: (result: WorkerResult) => void) => {
    const { startedMs } = request
    request.begin(startedMs)
    if (pool === undefined || pool.waiting >= TASKS_WAITING_MAX) {
      refuse(request, 'UNAVAILABLE')
      request.retryAfter = BUSY_RETRY_SECONDS
      return undefined
    }
    const sentMs = performance.now()
    const making = context.index.loans.lend(index => pool.run({ index, name, body: new Uint8Array(body) }))
    return making.then(
      result => {
        const workerMs = performance.now() - sentMs
        return (): undefined => {
          request.begin(startedMs)
          request.workerMs = workerMs
          finish(result)
        }
      },
      error => () => {
        throw error
      },
    )
  }

  const handleBulk: BodyHandler = body => {
    request.begin(performance.now())
    if (refuseStranger(request, endpoint, body)) return undefined
    if (pool !== undefined && body.length >= workerBytes)
      return giveToWorker(body, result => answerBulk(request, endpoint, result))
    answerBulk(request, endpoint, context.maker.make(name, body))
    return undefined
  }

  const makeHot = HOT_ANSWERS[name]
  const handleSingle: BodyHandler = body => {
    request.begin(performance.now())
    if (makeHot !== undefined && answerHot(request, endpoint, makeHot, body)) return undefined
    if (answerCold(request, endpoint, body)) return undefined
    const kept = body.slice()
    return giveToWorker(kept, result => void answerCold(request, endpoint, kept, result))
  }
  const handle = isBulk ? handleBulk : handleSingle
  return body => handleUntilLeased(handle, body)
}

/** Answers a bulk request that has been read. Key, limits and charge come in one synchronous step. */
function answerBulk(request: ApiRequest, endpoint: Endpoint, result: WorkerResult): void {
  request.takeSecret(result.apiKey)
  if (result.error === null) request.queries = result.count
  answerChecked(request, endpoint, isFault(result) ? result : null, () => keepAnswer(request, result))
}

/** Answers any other request from a parsed body. Returns false for one that a worker must answer first. */
export function answerCold(
  request: ApiRequest,
  endpoint: Endpoint,
  body: Uint8Array,
  result?: WorkerResult,
): boolean {
  const { codes, pool } = request.context
  const parsed = parsedObject(body)
  const fields = parsed ?? {}
  request.parsed = fields
  if (parsed !== undefined) request.takeSecret(secretIn(parsed))
  const malformed = parsed ? endpoint.check(codes, parsed) : UNREADABLE
  const key = acceptedKey(request, endpoint, malformed)
  if (key === undefined) return true
  const mayNeedWorker = result === undefined && pool !== undefined
  if (mayNeedWorker && paysForQuery(key.account.availableMicros) && endpoint.isLong(codes, fields))
    return false
  answerAndCharge(request, endpoint, key, () => keepAnswer(request, result ?? endpoint.run(codes, fields)))
  return true
}

function keepAnswer(request: ApiRequest, answer: object): Fault | null {
  if (isFault(answer)) return answer
  request.answer = answer
  return null
}

/**
 * Refuses a bulk request without a valid key before its records take time. Returns true if it is refused.
 * `answerBulk` finds the key that pays, after the records: it may be revoked meanwhile.
 */
function refuseStranger(request: ApiRequest, endpoint: Endpoint, bytes: Uint8Array): boolean {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  // Clients write keys first, last or into a header.
  if (isKeyPlain(request, body)) return false
  request.takeSecret(NO_SECRET)
  const ofHeader = request.context.charging.findKey(request.secret, 0, request.secretEnd)
  if (typeof ofHeader !== 'string') return false
  if (isIntricate(body)) {
    refuse(request, body.includes(KEY_NAME) ? 'INVALID_API_KEY' : 'MISSING_API_KEY')
    return true
  }
  const parsed = parsedObject(body)
  if (parsed !== undefined) request.takeSecret(secretIn(parsed))
  return acceptedKey(request, endpoint, parsed === undefined ? UNREADABLE : null) === undefined
}

/** Returns true for too many arrays and objects: parsing 1 MB of them takes a quarter of a second. */
function isIntricate(body: Uint8Array): boolean {
  if (body.length < BULK_THRESHOLD_BYTES) return false
  let openings = 0
  for (const byte of body) if (byte === BRACE_OPEN || byte === BRACKET_OPEN) openings++
  return openings > OPENINGS_MAX
}

/** Returns true if a valid key follows the first `"apiKey"` near the beginning, else the last one. */
function isKeyPlain({ context: { charging } }: ApiRequest, body: Buffer): boolean {
  const near = body.subarray(0, KEY_NEAR_BYTES).indexOf(KEY_NAME, 0, 'latin1')
  const name = near < 0 ? body.lastIndexOf(KEY_NAME, undefined, 'latin1') : near
  if (name < 0) return false
  const colon = spaceEnd(body, name + KEY_NAME.length)
  const quote = spaceEnd(body, colon + 1)
  if (body[colon] !== COLON || body[quote] !== QUOTE) return false
  return typeof charging.findKey(body, quote + 1, body.indexOf(QUOTE, quote + 1)) !== 'string'
}

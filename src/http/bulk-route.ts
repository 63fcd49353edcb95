/** The routes of batches, whose answers may come later than their bodies. */
import type { HttpResponse, TemplatedApp } from 'uWebSockets.js'
import { answerBulk, refuseBatch } from '../api/endpoints/bulk.ts'
import { fail } from '../api/response/respond.ts'
import type { BatchKind } from '../bulk/bulk-result.ts'
import type { BulkPool } from '../bulk/pool.ts'
import type { ErrorCode } from '../errors.ts'
import { BULK_BODY_BYTES_MAX, BULK_THRESHOLD_BYTES } from '../limits.ts'
import type { BodyReader } from './body.ts'
import { isFramed, notePacked } from './framing.ts'
import { hasPackedBody, isWhole, jsonBody, packedKey } from './packed.ts'
import { ignoreAbort, type Replies, refuseCrowded, refuseLarge } from './reply.ts'

export const BULK_PATHS: Readonly<Record<string, BatchKind>> = {
  '/api/validate-bulk': 'validate',
  '/api/lookup-bulk': 'lookup',
}

/** Seconds after which a client that met a full queue may try again: a full queue is empty within a fraction of one. */
const BUSY_RETRY_SECONDS = 1

/** Adds the routes of `BULK_PATHS`. */
export function addBulkRoutes(app: TemplatedApp, bodies: BodyReader, replies: Replies, bulk: BulkPool): void {
  for (const [path, kind] of Object.entries(BULK_PATHS)) addBulkRoute(app, bodies, replies, bulk, path, kind)
}

function addBulkRoute(
  app: TemplatedApp,
  bodies: BodyReader,
  replies: Replies,
  bulk: BulkPool,
  path: string,
  kind: BatchKind,
): void {
  const { request, unsent } = replies

  const replyLater = async (res: HttpResponse, body: Uint8Array, startedMs: number) => {
    let aborted = false
    res.onAborted(() => {
      aborted = true
    })
    // Copied, because the worker gets it and uWebSockets.js takes its own bytes back.
    const outcome = await bulk
      .validateLater(new Uint8Array(body), kind)
      .catch((error: unknown) => ({ failure: error }))
    const answerOrThrow = () => {
      if ('failure' in outcome) throw outcome.failure
      answerBulk(request, outcome, startedMs, kind)
    }
    // Nobody is charged for an answer that cannot be delivered.
    if (!aborted) replies.later(res, answerOrThrow, body)
    // What the socket has not taken yet, uWebSockets.js has copied.
    if (!('failure' in outcome)) bulk.reuse(outcome)
  }

  /** What is wrong with the key of a large body in MessagePack, which is not unpacked for strangers. */
  const keyError = (body: Uint8Array): ErrorCode | null => {
    if (!isWhole(body)) return 'INVALID_JSON'
    const { start, end } = packedKey
    if (start === end) return 'MISSING_API_KEY'
    return request.service.meter.authenticate(body, start, end) === undefined ? 'INVALID_API_KEY' : null
  }
  const failEarly = (error: ErrorCode, startedMs: number) => {
    request.begin(startedMs)
    fail(request, request.service.meter.healthy ? error : 'UNAVAILABLE')
  }

  app.post(path, (res, req) => {
    unsent.begun()
    if (!isFramed(req)) return void res.close()
    notePacked(res)
    const startedMs = performance.now()
    const answerNow = (body: Uint8Array) => answerBulk(request, bulk.validateNow(body, kind), startedMs, kind)
    const done = (_res: HttpResponse, received: Uint8Array) => {
      if (hasPackedBody(res) && received.length >= BULK_THRESHOLD_BYTES) {
        const refusal = keyError(received)
        if (refusal !== null) return replies.now(res, () => failEarly(refusal, startedMs), received)
      }
      const body = jsonBody(res, received)
      const isLarge = body.length >= BULK_THRESHOLD_BYTES
      if (isLarge && replies.nowIf(res, bytes => refuseBatch(request, bytes, startedMs), body)) return
      if (bulk.isImmediate(body.length)) replies.now(res, answerNow, body)
      else if (bulk.full) replies.now(res, () => failBusy(replies, startedMs), body)
      else replies.await(replyLater(res, body, startedMs))
    }
    res.onAborted(ignoreAbort)
    bodies.read(res, {
      bytesMax: BULK_BODY_BYTES_MAX,
      done,
      tooLarge: refuseLarge,
      crowdedOut: refuseCrowded,
    })
  })
}

/** Refuses work for a worker: as much is waiting as may. */
export function failBusy({ request }: Replies, startedMs: number): void {
  request.begin(startedMs)
  request.retryAfter = BUSY_RETRY_SECONDS
  fail(request, 'UNAVAILABLE')
}

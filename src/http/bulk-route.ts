/** The routes of batches, whose answers may come later than their bodies. */
import type { HttpResponse, TemplatedApp } from 'uWebSockets.js'
import { answerBulk, refuseBatch } from '../api/endpoints/bulk.ts'
import { fail } from '../api/response/respond.ts'
import type { BatchKind } from '../bulk/bulk-result.ts'
import type { BulkPool } from '../bulk/pool.ts'
import { BULK_BODY_BYTES_MAX, BULK_THRESHOLD_BYTES } from '../limits.ts'
import type { BodyReader } from './body.ts'
import { endpointAt } from './counted.ts'
import { isFramed, keepUnusual } from './framing.ts'
import { jsonBody } from './packed.ts'
import type { Replies } from './reply.ts'
import { ignoreAbort } from './send.ts'

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
  const endpoint = endpointAt(path)

  const replyLater = async (res: HttpResponse, body: Uint8Array, startedMs: number) => {
    let aborted = false
    res.onAborted(() => {
      aborted = true
    })
    const sentMs = performance.now()
    // Copied, because the worker gets it and uWebSockets.js takes its own bytes back.
    const outcome = await bulk
      .validateLater(new Uint8Array(body), kind)
      .catch((error: unknown) => ({ failure: error }))
    const doneMs = performance.now()
    const answerOrThrow = () => {
      if ('failure' in outcome) throw outcome.failure
      answerBulk(request, outcome, startedMs, kind)
      request.bulkStartedMs = sentMs
      request.bulkEndedMs = doneMs
    }
    // Nobody is charged for an answer that cannot be delivered.
    if (!aborted) replies.later(res, answerOrThrow, body, endpoint)
    // What the socket has not taken yet, uWebSockets.js has copied.
    if (!('failure' in outcome)) bulk.reuse(outcome)
  }

  app.post(path, (res, req) => {
    unsent.begun()
    if (!isFramed(req)) return replies.refuseFraming(res)
    keepUnusual(res)
    const startedMs = performance.now()
    const answerNow = (body: Uint8Array) => answerBulk(request, bulk.validateNow(body, kind), startedMs, kind)
    const done = (_res: HttpResponse, received: Uint8Array) => {
      const body = jsonBody(res, received, BULK_BODY_BYTES_MAX)
      const isLarge = body.length >= BULK_THRESHOLD_BYTES
      if (isLarge && replies.nowIf(res, bytes => refuseBatch(request, bytes, startedMs), body, endpoint))
        return
      if (bulk.isImmediate(body.length)) replies.now(res, answerNow, body, endpoint)
      else if (bulk.full) replies.now(res, () => failBusy(replies, startedMs), body, endpoint)
      else replies.await(replyLater(res, body, startedMs))
    }
    res.onAborted(ignoreAbort)
    bodies.read(res, {
      bytesMax: BULK_BODY_BYTES_MAX,
      done,
      tooLarge: (response, isRead) => replies.refuseLarge(response, isRead, endpoint),
      crowdedOut: response => replies.refuseCrowded(response, endpoint),
    })
  })
}

/** Refuses work for a worker: as much is waiting as may. */
export function failBusy({ request }: Replies, startedMs: number): void {
  request.begin(startedMs)
  request.retryAfter = BUSY_RETRY_SECONDS
  fail(request, 'UNAVAILABLE')
}

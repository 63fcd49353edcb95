/** The route of bulk validation: the only one whose answer may come later than its body. */
import type { HttpResponse, TemplatedApp } from 'uWebSockets.js'
import { answerBulk, refuseBatch } from '../api/endpoints/bulk.ts'
import { fail } from '../api/response/respond.ts'
import type { ApiRequest } from '../api/service.ts'
import type { BulkPool } from '../bulk/pool.ts'
import { BULK_BODY_BYTES_MAX, BULK_THRESHOLD_BYTES } from '../limits.ts'
import { readBody } from './body.ts'
import { isSound } from './framing.ts'
import { type Reply, refuseLarge, send } from './reply.ts'

export const BULK_PATH = '/api/validate-bulk'

/** Seconds after which a client that met a full queue may try again: a full queue is empty within a fraction of one. */
export const BUSY_RETRY_SECONDS = 1

export function addBulkRoute(app: TemplatedApp, request: ApiRequest, bulk: BulkPool, reply: Reply): void {
  app.post(BULK_PATH, (res, req) => {
    if (!isSound(req)) return void res.close()
    const startedMs = performance.now()
    let aborted = false
    res.onAborted(() => {
      aborted = true
    })
    const done = (_res: HttpResponse, body: Uint8Array) => {
      const isLarge = body.length >= BULK_THRESHOLD_BYTES
      if (isLarge && refuseBatch(request, body, startedMs)) send(res, request)
      else if (bulk.isImmediate(body.length)) reply(res, answerNow, body)
      else if (bulk.full) reply(res, () => failBusy(request, startedMs), body)
      else replyLater(res, body)
    }
    const answerNow = (body: Uint8Array) => answerBulk(request, bulk.validateNow(body), startedMs)
    const replyLater = async (res: HttpResponse, body: Uint8Array) => {
      // Copied, because the worker gets it and uWebSockets.js takes its own bytes back.
      const outcome = await bulk
        .validateLater(new Uint8Array(body))
        .catch((error: unknown) => ({ failure: error }))
      // Nobody is charged for an answer that cannot be delivered.
      if (!aborted) {
        res.cork(() =>
          reply(
            res,
            () => {
              if ('failure' in outcome) throw outcome.failure
              answerBulk(request, outcome, startedMs)
            },
            body,
          ),
        )
      }
      // What the socket has not taken yet, uWebSockets.js has copied.
      if (!('failure' in outcome)) bulk.reuse(outcome)
    }
    readBody(res, { bytesMax: BULK_BODY_BYTES_MAX, done, tooLarge: refuseLarge })
  })
}

function failBusy(request: ApiRequest, startedMs: number): void {
  request.begin(startedMs)
  request.retryAfter = BUSY_RETRY_SECONDS
  fail(request, 'UNAVAILABLE')
}

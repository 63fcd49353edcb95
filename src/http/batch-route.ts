/** Bodies of batches: small ones are answered at once, large ones by the pool. */
import type { HttpResponse } from 'uWebSockets.js'
import { answerBatch, refuseStranger } from '../api/batches.ts'
import { fail } from '../api/refuse.ts'
import type { BatchPool } from '../batch/pool.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { BATCH_BODY_BYTES_MAX } from '../limits.ts'
import type { BodyReceiver } from './body.ts'
import { LEFT, type Replies } from './replies.ts'

/** Seconds of `Retry-After` for a full queue, which empties in less than one. */
const BUSY_RETRY_SECONDS = 1

export function batchReceiver(
  endpoint: Endpoint,
  label: number,
  replies: Replies,
  batchPool: BatchPool,
): BodyReceiver {
  const { request } = replies
  const { name } = endpoint

  const answerLater = async (res: HttpResponse, body: Uint8Array<ArrayBuffer>, startedMs: number) => {
    let isAborted = false
    res.onAborted(() => {
      isAborted = true
    })
    const sentMs = performance.now()
    const outcome = await batchPool.readLater(name, body).catch((failure: unknown) => ({ failure }))
    const doneMs = performance.now()
    // An answer that cannot be delivered is not charged.
    if (isAborted) return
    replies.answerLater(res, label, () => {
      if ('failure' in outcome) throw outcome.failure
      answerBatch(request, endpoint, outcome, startedMs)
      request.batchStartedMs = sentMs
      request.batchEndedMs = doneMs
    })
  }

  const failBusy = (startedMs: number) => {
    request.begin(startedMs)
    fail(request, 'UNAVAILABLE')
    request.retryAfter = BUSY_RETRY_SECONDS
  }

  const done = (res: HttpResponse, body: Uint8Array) => {
    const startedMs = performance.now()
    if (batchPool.isImmediate(body.length)) {
      replies.answerNow(
        res,
        label,
        bytes => answerBatch(request, endpoint, batchPool.readNow(name, bytes), startedMs),
        body,
      )
      return
    }
    const check = (bytes: Uint8Array) => {
      if (refuseStranger(request, bytes, startedMs)) return undefined
      if (!batchPool.isFull) return LEFT
      return failBusy(startedMs)
    }
    if (replies.answerNow(res, label, check, body)) return
    // A copy, because uWebSockets.js reuses the bytes.
    replies.follow(answerLater(res, new Uint8Array(body), startedMs))
  }

  return { bytesMax: BATCH_BODY_BYTES_MAX, endpoint: label, done }
}

/** Receives bodies. Workers answer large bulk requests and other long requests. */

import type { HttpResponse } from 'uWebSockets.js'
import { BODY_BYTES_MAX } from '../api/body-scanner.ts'
import { answerBulk, bulkHandling, refuseStranger } from '../api/bulk-requests.ts'
import { answerCold, coldHandling } from '../api/cold.ts'
import { answerHot, HOT_ENDPOINTS } from '../api/hot.ts'
import { fail } from '../api/refuse.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import type { Made } from '../workers/made.ts'
import { BULK_BODY_BYTES_MAX } from '../workers/record-writer.ts'
import type { BodyReceiver } from './body.ts'
import type { Replies } from './replies.ts'

/** Seconds of `Retry-After` for a full queue, which empties in less than one. */
const BUSY_RETRY_SECONDS = 1

/** Writes the answer from the result of a worker. */
type Finish = (result: Made) => void

export function receiverOf(endpoint: Endpoint, label: number, replies: Replies): BodyReceiver {
  const { request } = replies
  const { service } = request
  const { name, isBulk } = endpoint
  const hot = HOT_ENDPOINTS[name]

  const answerLater = async (res: HttpResponse, body: Uint8Array<ArrayBuffer>, finish: Finish) => {
    let isAborted = false
    res.onAborted(() => {
      isAborted = true
    })
    const sentMs = performance.now()
    const outcome = await service.makeLater(name, body).catch((failure: unknown) => ({ failure }))
    const doneMs = performance.now()
    // An answer that cannot be delivered is not charged.
    if (isAborted) return
    replies.answerLater(res, label, () => {
      if ('failure' in outcome) throw outcome.failure
      finish(outcome)
      request.workerStartedMs = sentMs
      request.workerEndedMs = doneMs
    })
  }

  /** Leaves `body` to a worker, or refuses it if too many wait. Copies it, because uWebSockets.js reuses the bytes. */
  const leave = (res: HttpResponse, body: Uint8Array, startedMs: number, finish: Finish) => {
    request.begin(startedMs)
    request.isLeft = !service.isBusy
    if (request.isLeft) return replies.follow(answerLater(res, new Uint8Array(body), finish))
    fail(request, 'UNAVAILABLE')
    request.retryAfter = BUSY_RETRY_SECONDS
  }

  const ofBulk = bulkHandling(endpoint)
  const workOfBulk = (res: HttpResponse, body: Uint8Array) => {
    const startedMs = performance.now()
    const finish = (made: Made) => answerBulk(request, ofBulk, made, startedMs)
    if (service.isImmediate(endpoint, body.length)) return finish(service.makeNow(name, body))
    if (!refuseStranger(request, body, startedMs)) leave(res, body, startedMs, finish)
  }

  const cold = coldHandling(endpoint)
  const workOfOther = (res: HttpResponse, body: Uint8Array) => {
    const startedMs = performance.now()
    if (hot) answerHot(request, hot, body, startedMs, true)
    else answerCold(request, cold, body, startedMs, true)
    if (!request.isLeft) return
    const kept = body.slice()
    leave(res, kept, startedMs, made => answerCold(request, cold, kept, startedMs, false, made))
  }

  const work = isBulk ? workOfBulk : workOfOther
  return {
    bytesMax: isBulk ? BULK_BODY_BYTES_MAX : BODY_BYTES_MAX,
    endpoint: label,
    done(res, body) {
      replies.answerNow(res, label, work, body)
    },
  }
}

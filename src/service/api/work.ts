/** Answers a body on this thread, or lets a worker do it: a large bulk request, or another long request. */

import type { Endpoint } from '../endpoints/endpoint.ts'
import type { WorkerResult } from '../workers/worker-result.ts'
import { TASKS_WAITING_MAX } from '../workers/workers.ts'
import { answerBulk, bulkHandling, refuseStranger } from './bulk-requests.ts'
import { answerCold, coldHandling } from './cold.ts'
import { answerHot, HOT_ENDPOINTS } from './hot.ts'
import { fail } from './refuse.ts'
import type { ApiRequest } from './request.ts'

/** Seconds of `Retry-After` for a full queue, which empties in less than one. */
const BUSY_RETRY_SECONDS = 1

/** Writes the answer to `body` into the `ApiRequest`, or returns the work to do after a worker. */
export type Work = (body: Uint8Array) => Promise<Work> | undefined

export function workOf(endpoint: Endpoint, request: ApiRequest): Work {
  const { answering } = request
  const { tasks } = answering
  const { name, isBulk, workerBytes } = endpoint

  /** Gives a copy of `body` to a worker: uWebSockets.js reuses the bytes. Refuses it if too many wait. */
  const giveToWorker = (body: Uint8Array, finish: (result: WorkerResult) => void) => {
    const { startedMs } = request
    request.begin(startedMs)
    if (tasks === undefined || tasks.waiting >= TASKS_WAITING_MAX) {
      fail(request, 'UNAVAILABLE')
      request.retryAfter = BUSY_RETRY_SECONDS
      return undefined
    }
    const sentMs = performance.now()
    const making = answering.index.loans.lend(index => tasks.run({ index, name, body: new Uint8Array(body) }))
    return making.then(
      result => {
        const doneMs = performance.now()
        return (): undefined => {
          request.begin(startedMs)
          request.workerStartedMs = sentMs
          request.workerEndedMs = doneMs
          finish(result)
        }
      },
      error => () => {
        throw error
      },
    )
  }

  const ofBulk = bulkHandling(endpoint)
  const workOfBulk: Work = body => {
    request.begin(performance.now())
    const finish = (result: WorkerResult) => answerBulk(request, ofBulk, result)
    if (tasks !== undefined && body.length >= workerBytes)
      return refuseStranger(request, endpoint, body) ? undefined : giveToWorker(body, finish)
    finish(answering.maker.read(name, body))
    return undefined
  }

  const hot = HOT_ENDPOINTS[name]
  const cold = coldHandling(endpoint)
  const workOfOther: Work = body => {
    request.begin(performance.now())
    if (hot === undefined || !answerHot(request, hot, body)) answerCold(request, cold, body)
    if (!request.isForWorker) return undefined
    const kept = body.slice()
    return giveToWorker(kept, result => answerCold(request, cold, kept, result))
  }
  return isBulk ? workOfBulk : workOfOther
}

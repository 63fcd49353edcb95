/** Answers all endpoints but bulk requests from a parsed body: hot ones only when their body is unusual. */
import { dollars, QUERY_PRICE_MICROS } from '../../billing/money.ts'
import { parsedObject } from '../../postal/text/json-members.ts'
import { type Endpoint, isFault } from '../endpoints/endpoint.ts'
import { secretIn, type WorkerResult, withEnding } from '../workers/worker-result.ts'
import { answer, type Handling } from './checks.ts'
import type { ApiRequest, Cold } from './request.ts'
import { endingOf, endingText, shortPerformance } from './write-ending.ts'

export function coldHandling(endpoint: Endpoint): Handling {
  const ending = endingOf(endpoint)
  return {
    endpoint,
    malformed: request => endpoint.check(request.answering.codes, coldOf(request).parsed),
    needsWorker(request, key) {
      const { answering, workerResult } = request
      const isPaid = key.account.availableMicros >= QUERY_PRICE_MICROS
      const mayUseWorker = answering.tasks !== undefined && workerResult === null
      return mayUseWorker && isPaid && endpoint.isLong(answering.codes, coldOf(request).parsed)
    },
    run(request) {
      const cold = coldOf(request)
      const result = request.workerResult ?? endpoint.run(request.answering.codes, cold.parsed)
      if (isFault(result)) return result
      cold.answer = result
      return null
    },
    end(request, key) {
      const { answer, parsed } = coldOf(request)
      if (endpoint.usage === null) {
        const free = { balance: dollars(key.account.availableMicros), performance: shortPerformance(request) }
        request.body = JSON.stringify({ ...endpoint.run(request.answering.codes, parsed), ...free })
        return
      }
      // Shows the time of the worker as processing.
      const workerMs = request.workerEndedMs - request.workerStartedMs
      request.authenticatedMs -= workerMs
      request.limitedMs -= workerMs
      const text = endingText(request, ending, key)
      const { workerResult } = request
      request.body =
        workerResult?.error === null
          ? withEnding(workerResult, text)
          : JSON.stringify(answer).slice(0, -1) + text
    },
  }
}

function coldOf({ cold }: ApiRequest): Cold {
  if (cold === null) throw new Error('the request has not been parsed')
  return cold
}

/** Answers a request, unless `request.isForWorker` then says that a worker shall. */
export function answerCold(
  request: ApiRequest,
  handling: Handling,
  body: Uint8Array,
  workerResult: WorkerResult | null = null,
): void {
  request.workerResult = workerResult
  const parsed = parsedObject(body)
  request.isReadable = parsed !== undefined
  request.cold = { parsed: parsed ?? {}, answer: {} }
  if (parsed !== undefined) request.takeSecret(secretIn(parsed))
  answer(request, handling)
}

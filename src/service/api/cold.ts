/** Answers all endpoints but bulk requests from a parsed body: hot ones only when their body is unusual. */
import { performance } from 'node:perf_hooks'
import type { SharedKey } from '../../billing/accounts/charging/shared-key.ts'
import { dollars, QUERY_PRICE_MICROS } from '../../billing/money.ts'
import { parsedObject } from '../../postal/text/json-members.ts'
import { type Endpoint, isFault } from '../endpoints/endpoint.ts'
import { type Made, secretIn, withEnding } from '../workers/made.ts'
import { answer, type Handling } from './checks.ts'
import type { ApiRequest } from './service.ts'
import { endingOf, endingText, shortPerformance } from './write-ending.ts'

/** Returns the handling of an endpoint whose answer is an object. */
export function coldHandling(endpoint: Endpoint): Handling {
  const ending = endingOf(endpoint)
  return {
    endpoint,
    malformed: ({ service, parsed }) => endpoint.check(service.codes, parsed ?? {}),
    queries: ({ parsed }) => endpoint.queries(parsed ?? {}),
    leaves: ({ service, parsed, mayLeave }, key, queries) =>
      mayLeave &&
      key.account.availableMicros >= queries * QUERY_PRICE_MICROS &&
      endpoint.isLong(service.codes, parsed ?? {}),
    run(request) {
      const made = request.made ?? endpoint.run(request.service.codes, request.parsed ?? {})
      if (isFault(made)) return made
      request.answer = made
      return null
    },
    end(request, key) {
      if (endpoint.usage === null) return endFree(request, endpoint, key)
      const { made, workerMs } = request
      // Shows the time of the worker as processing.
      request.authenticatedMs -= workerMs
      request.limitedMs -= workerMs
      const text = endingText(request, ending, key)
      if (made?.error === null) request.body = withEnding(made, text)
      else request.body = JSON.stringify(request.answer).slice(0, -1) + text
    },
  }
}

/**
 * Answers `body` into `request.body`, or an error into `request.output`.
 * @param mayLeave true if a worker may answer a long request. `request.isLeft` tells if it shall
 * @param made answer of the worker to a request that was left
 */
export function answerCold(
  request: ApiRequest,
  handling: Handling,
  body: Uint8Array,
  mayLeave = false,
  made: Made | null = null,
  startedMs = performance.now(),
): void {
  request.begin(startedMs)
  request.mayLeave = mayLeave
  request.made = made
  request.workerMs = made === null ? 0 : performance.now() - startedMs
  const parsed = parsedObject(body)
  request.isReadable = parsed !== undefined
  if (parsed !== undefined) {
    request.parsed = parsed
    request.takeSecret(secretIn(parsed))
  }
  answer(request, handling)
}

function endFree(request: ApiRequest, { run }: Endpoint, { account }: SharedKey): void {
  const made = run(request.service.codes, request.parsed ?? {})
  const ending = { balance: dollars(account.availableMicros), performance: shortPerformance(request) }
  request.body = JSON.stringify({ ...made, ...ending })
}

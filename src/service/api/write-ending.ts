/** Completes answers with their times, rate limits and balance. */

import type { SharedKey } from '../../billing/accounts/charging/shared-key.ts'
import type { ShownLimits } from '../../billing/accounts/charging/shown-limits.ts'
import { dollars, QUERY_PRICE_MICROS } from '../../billing/money.ts'
import { type Piece, pieceOf } from '../../postal/index/output.ts'
import { BRACE_CLOSE } from '../../postal/text/json.ts'
import { RATE_LIMIT_OFF } from '../endpoints/endings.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { NEAR_SHARE } from '../limits.ts'
import { isWorkerAnswer, withEnding } from '../workers/worker-result.ts'
import type { ApiRequest } from './request.ts'

/** Below this, every time of a response rounds to `0ms`. */
const QUICK_MS = 0.5

const BALANCE = ',"balance":'
const BALANCE_PIECE = pieceOf(BALANCE)
const BULK_LIMITS_OFF = { enabled: false }

/** Times of the steps of a request. */
type StepTimes = Pick<ApiRequest, 'startedMs' | 'authenticatedMs' | 'limitedMs'>

/** Ending of an answer of one record. */
interface Ending {
  timesOf(times: StepTimes, nowMs: number): object
  /** Ready-made text before the balance, for answers within `QUICK_MS` and without limits. */
  readonly quick: string
  readonly quickPiece: Piece
}

function makeEnding(timesOf: Ending['timesOf']): Ending {
  const times = timesOf({ startedMs: 0, authenticatedMs: 0, limitedMs: 0 }, 0)
  const quick = membersOf({ ...times, rateLimit: RATE_LIMIT_OFF }) + BALANCE
  return { timesOf, quick, quickPiece: pieceOf(quick) }
}

const FULL = makeEnding((times, nowMs) => ({ performance: fullPerformance(times, nowMs) }))
const TIMED = makeEnding((times, nowMs) => {
  const short = shortPerformance(times, nowMs)
  return { responseTime: short.totalTime, performance: short }
})
const SINGLE = makeEnding((times, nowMs) => ({ performance: shortPerformance(times, nowMs) }))

/** Completes an answer: in `request.output`, or made as an object or by a worker. */
export function writeEnding(request: ApiRequest, endpoint: Endpoint, key: SharedKey): void {
  const { answer, output } = request
  const ending = endpoint.ending === 'full' ? FULL : endpoint.ending === 'timed' ? TIMED : SINGLE
  if (answer === null) {
    // Read last: a clock read stalls on pending loads.
    const nowMs = performance.now()
    request.endedMs = nowMs
    if (isQuick(request, key, nowMs)) output.piece(ending.quickPiece)
    else {
      output.utf8(slowMembers(request, ending, key, nowMs))
      output.piece(BALANCE_PIECE)
    }
    output.millionths(key.account.availableMicros)
    output.byte(BRACE_CLOSE)
    request.body = new Uint8Array(output.bytes.buffer, 0, output.length)
  } else if (endpoint.usageClass === null)
    request.body = JSON.stringify({
      ...answer,
      balance: dollars(key.account.availableMicros),
      performance: shortPerformance(request, performance.now()),
    })
  else {
    const text = endpoint.isBulk ? bulkEnding(request, key) : singleEnding(request, ending, key)
    request.body = isWorkerAnswer(answer)
      ? withEnding(answer, text)
      : JSON.stringify(answer).slice(0, -1) + text
  }
}

function singleEnding(request: ApiRequest, ending: Ending, key: SharedKey): string {
  const { startedMs, authenticatedMs, limitedMs, workerMs } = request
  // Shows the time of the worker as processing.
  const times = { startedMs, authenticatedMs: authenticatedMs - workerMs, limitedMs: limitedMs - workerMs }
  const nowMs = performance.now()
  const members = isQuick(request, key, nowMs)
    ? ending.quick
    : slowMembers(times, ending, key, nowMs) + BALANCE
  return `${members}${dollars(key.account.availableMicros)}}`
}

function bulkEnding(request: ApiRequest, { account, limited }: SharedKey): string {
  const members = membersOf({
    totalCost: dollars(request.queries * QUERY_PRICE_MICROS),
    performance: shortPerformance(request, performance.now()),
    rateLimit: limited.limits === null ? BULK_LIMITS_OFF : rateLimitView(limited),
    balance: dollars(account.availableMicros),
  })
  return `${members}}`
}

function isQuick({ startedMs }: ApiRequest, { limited }: SharedKey, nowMs: number): boolean {
  return limited.limits === null && nowMs - startedMs < QUICK_MS
}

function slowMembers(times: StepTimes, ending: Ending, key: SharedKey, nowMs: number): string {
  return membersOf({ ...ending.timesOf(times, nowMs), rateLimit: rateLimitView(key.limited) })
}

function membersOf(object: object): string {
  return `,${JSON.stringify(object).slice(1, -1)}`
}

/** `balanceTime` is always 0ms: a single comparison. */
function fullPerformance({ startedMs, authenticatedMs, limitedMs }: StepTimes, nowMs: number) {
  return {
    authTime: millis(startedMs, authenticatedMs),
    rateLimitCheckTime: millis(authenticatedMs, limitedMs),
    balanceTime: '0ms',
    processingTime: millis(limitedMs, nowMs),
    totalTime: millis(startedMs, nowMs),
  }
}

function shortPerformance({ startedMs }: StepTimes, nowMs: number): { totalTime: string } {
  return { totalTime: millis(startedMs, nowMs) }
}

function millis(fromMs: number, toMs: number): string {
  return `${Math.round(toMs - fromMs)}ms`
}

function rateLimitView({ limits, used }: ShownLimits) {
  if (limits === null) return RATE_LIMIT_OFF
  return {
    enabled: true,
    perMinute: windowView(limits.perMinute, used.perMinute),
    perHour: windowView(limits.perHour, used.perHour),
    perDay: windowView(limits.perDay, used.perDay),
  }
}

function windowView(limit: number | null, current: number) {
  return { limit, current, approachingLimit: limit !== null && current >= limit * NEAR_SHARE }
}

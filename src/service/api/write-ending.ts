import type { LimitState } from '../../billing/accounts/charging/limit-state.ts'
import type { SharedKey } from '../../billing/accounts/charging/shared-key.ts'
import { dollars } from '../../billing/money.ts'
import { BRACE_CLOSE } from '../../postal/text/json-bytes.ts'
import { type Piece, pieceOf } from '../../postal/text/piece.ts'
import { RATE_LIMIT_OFF } from '../endpoints/endings.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { NEAR_SHARE } from '../limits.ts'
import type { ApiRequest } from './request.ts'

/** Below this, every time of a response rounds to `0ms`. */
const QUICK_MS = 0.5

const BALANCE = ',"balance":'
const BALANCE_PIECE = pieceOf(BALANCE)

type Times = Pick<ApiRequest, 'startedMs' | 'authenticatedMs' | 'limitedMs'>

export interface Ending {
  timesOf(times: Times, nowMs: number): object
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

export function endingOf({ ending }: Endpoint): Ending {
  if (ending === 'full') return FULL
  return ending === 'timed' ? TIMED : SINGLE
}

export function writeEnding(request: ApiRequest, ending: Ending, key: SharedKey): void {
  const { output } = request
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
}

/** Returns the text that `writeEnding` writes. */
export function endingText(request: ApiRequest, ending: Ending, key: SharedKey): string {
  const nowMs = performance.now()
  const members = isQuick(request, key, nowMs)
    ? ending.quick
    : slowMembers(request, ending, key, nowMs) + BALANCE
  return `${members}${dollars(key.account.availableMicros)}}`
}

function isQuick({ startedMs }: ApiRequest, { limited }: SharedKey, nowMs: number): boolean {
  return limited.limits === null && nowMs - startedMs < QUICK_MS
}

function slowMembers(request: ApiRequest, ending: Ending, key: SharedKey, nowMs: number): string {
  return membersOf({ ...ending.timesOf(request, nowMs), rateLimit: rateLimitView(key.limited) })
}

function membersOf(object: object): string {
  return `,${JSON.stringify(object).slice(1, -1)}`
}

/** `balanceTime` is always 0ms: a single comparison. */
function fullPerformance({ startedMs, authenticatedMs, limitedMs }: Times, nowMs: number) {
  return {
    authTime: millis(startedMs, authenticatedMs),
    rateLimitCheckTime: millis(authenticatedMs, limitedMs),
    balanceTime: '0ms',
    processingTime: millis(limitedMs, nowMs),
    totalTime: millis(startedMs, nowMs),
  }
}

export function shortPerformance({ startedMs }: Times, nowMs = performance.now()): { totalTime: string } {
  return { totalTime: millis(startedMs, nowMs) }
}

function millis(fromMs: number, toMs: number): string {
  return `${Math.round(toMs - fromMs)}ms`
}

export function rateLimitView({ limits, used }: LimitState) {
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

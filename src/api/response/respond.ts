/** The parts that responses share: errors, performance, rate limit and balance. */
import { performance } from 'node:perf_hooks'
import type { Account, ApiKey, Limited } from '../../accounts/types.ts'
import { ERRORS, type ErrorCode } from '../../errors.ts'
import { LEASE_RETRY_SECONDS, QUERY_PRICE_MICROS } from '../../limits.ts'
import { dollarsJson, dollarsText } from '../../money.ts'
import { BRACE_CLOSE } from '../../text/json-bytes.ts'
import { type Piece, pieceOf } from '../../text/piece.ts'
import type { ApiRequest } from '../service.ts'

/** Share of a limit from which it counts as being approached. */
const APPROACHING = 0.8

/** Every error body without further fields, ready to be copied. */
const ERROR_BODIES = new Map<ErrorCode, Piece>(
  (Object.keys(ERRORS) as ErrorCode[]).map(code => [
    code,
    pieceOf(JSON.stringify({ error: ERRORS[code][1] })),
  ]),
)

const PERFORMANCE_AUTH = pieceOf(',"performance":{"authTime":"')
const PERFORMANCE_LIMIT = pieceOf('ms","rateLimitCheckTime":"')
/** The balance takes one comparison of two numbers, which no clock can measure. */
const PERFORMANCE_PROCESSING = pieceOf('ms","balanceTime":"0ms","processingTime":"')
const PERFORMANCE_TOTAL = pieceOf('ms","totalTime":"')
const PERFORMANCE_END = pieceOf('ms"}')
const WINDOW_OFF = '{"limit":null,"current":null,"approachingLimit":false}'
const RATE_LIMIT_OFF = `,"rateLimit":{"enabled":false,"perMinute":${WINDOW_OFF},"perHour":${WINDOW_OFF},"perDay":${WINDOW_OFF}}`
const BALANCE = pieceOf(',"balance":')

const ADD_FUNDS = 'Add funds in the account dashboard to continue.'
const RAISE_CAP =
  'The monthly spending cap of this API key is used up. Raise it under API keys in the account dashboard to continue.'

/** Below this, every time of a response rounds to `0ms`. */
const QUICK_MS = 0.5

/** How the response of an endpoint ends: its times, then rate limit and balance, which are the same for all. */
export interface Ending {
  /** Writes the times, each led by a comma. */
  writeTimes(request: ApiRequest, nowMs: number): void
  /** Everything up to the balance for a response in less than `QUICK_MS` and without limits, which is one copy, not a dozen. */
  readonly quick: Piece
}

/** @param quickTimes what `writeTimes` writes when every time is `0ms` */
export function ending(quickTimes: string, writeTimes: Ending['writeTimes']): Ending {
  return { writeTimes, quick: pieceOf(`${quickTimes}${RATE_LIMIT_OFF},"balance":`) }
}

/** With `,"performance":{…}` of all five times. */
export const FULL_ENDING: Ending = ending(
  ',"performance":{"authTime":"0ms","rateLimitCheckTime":"0ms","balanceTime":"0ms","processingTime":"0ms","totalTime":"0ms"}',
  writePerformance,
)

/** Ends a successful response. */
export function writeEnding(request: ApiRequest, { writeTimes, quick }: Ending, key: ApiKey): void {
  const { output } = request
  const { limited } = key
  // Read after the answer is written: reading a clock waits for everything that is still being fetched from memory.
  const nowMs = performance.now()
  request.endedMs = nowMs
  if (limited.limits === null && nowMs - request.startedMs < QUICK_MS) output.piece(quick)
  else {
    writeTimes(request, nowMs)
    output.utf8(`,"rateLimit":${JSON.stringify(rateLimitView(limited))}`)
    output.piece(BALANCE)
  }
  output.millionths(key.account.availableMicros)
  output.byte(BRACE_CLOSE)
}

/** Makes the response an error. */
export function fail(request: ApiRequest, code: ErrorCode): void {
  request.status = ERRORS[code][0]
  request.output.length = 0
  request.output.piece(ERROR_BODIES.get(code) as Piece)
}

/** 401 for the key `bytes[start, end)`, whose first characters are kept. */
export function failKey(request: ApiRequest, bytes: Uint8Array, start: number, end: number): void {
  const { failedKey } = request
  fail(request, 'INVALID_API_KEY')
  const length = Math.min(end - start, failedKey.length)
  for (let i = 0; i < length; i++) failedKey[i] = bytes[start + i]
  request.failedKeyLength = length
}

/** 402 with what its clients read next to `error`. */
export function failBalance(
  request: ApiRequest,
  code: ErrorCode,
  account: Account,
  message = ADD_FUNDS,
): void {
  failWith(request, code, { currentBalance: dollarsText(account.availableMicros), message })
}

/** Reports why `queries` could not be charged to `key`: the ledger, the key's cap, or the balance. */
export function failCharge(request: ApiRequest, key: ApiKey, queries: number, code: ErrorCode): void {
  if (!request.service.meter.healthy) return fail(request, 'UNAVAILABLE')
  if (awaitsLease(request)) return
  const isCapped = key.account.availableMicros >= queries * QUERY_PRICE_MICROS
  request.isCapped = isCapped
  failBalance(request, code, key.account, isCapped ? RAISE_CAP : ADD_FUNDS)
}

/**
 * 429, with the wait in the body and in the header; or, for more `queries` than a limit ever allows, with the largest number
 * that can pass.
 * @param wait whole seconds, at least 1
 */
export function failRateLimit(
  request: ApiRequest,
  code: ErrorCode,
  key: ApiKey,
  queries: number,
  wait: number,
): void {
  if (awaitsLease(request)) return
  const ofKey = key.own === null ? Number.POSITIVE_INFINITY : smallestLimit(key.own)
  const most = Math.min(ofKey, smallestLimit(key.account))
  if (queries > most) {
    const whose = ofKey === most ? 'API key' : 'account'
    const message = `The rate limits of this ${whose} allow at most ${most} records in one request.`
    return failWith(request, code, { message })
  }
  failWith(request, code, { retryAfter: wait })
  request.retryAfter = wait
}

/** Whether this refusal is only that of one node of a fleet. It is an answer all the same, in case that no lease comes in time. */
function awaitsLease(request: ApiRequest): boolean {
  request.wanted = request.service.meter.wanted
  if (request.wanted === null) return false
  fail(request, 'UNAVAILABLE')
  request.retryAfter = LEASE_RETRY_SECONDS
  return true
}

/** The most queries that one request may ever be; Infinity without limits. */
function smallestLimit({ limits }: Limited): number {
  const set = limits === null ? [] : [limits.perMinute, limits.perHour, limits.perDay]
  return Math.min(...set.filter(limit => limit !== null))
}

/** Makes the response an error with further fields. */
export function failWith(request: ApiRequest, code: ErrorCode, fields: object): void {
  request.status = ERRORS[code][0]
  request.output.length = 0
  request.output.utf8(JSON.stringify({ error: ERRORS[code][1], ...fields }))
}

/** `,"performance":{…}` with all five times, in whole milliseconds of the monotonic clock. */
function writePerformance(request: ApiRequest, nowMs: number): void {
  const { output, startedMs, authenticatedMs, limitedMs } = request
  output.piece(PERFORMANCE_AUTH)
  output.integer(Math.round(authenticatedMs - startedMs))
  output.piece(PERFORMANCE_LIMIT)
  output.integer(Math.round(limitedMs - authenticatedMs))
  output.piece(PERFORMANCE_PROCESSING)
  output.integer(Math.round(nowMs - limitedMs))
  output.piece(PERFORMANCE_TOTAL)
  output.integer(Math.round(nowMs - startedMs))
  output.piece(PERFORMANCE_END)
}

/** The end of a response that is made as text: `,"performance":{…},"rateLimit":{…},"balance":…}`. */
export function listEnding(request: ApiRequest, { availableMicros }: Account, rateLimit: object): string {
  const times = JSON.stringify(shortPerformance(request))
  return `,"performance":${times},"rateLimit":${JSON.stringify(rateLimit)},"balance":${dollarsJson(availableMicros)}}`
}

/** The short form of `performance`. */
export function shortPerformance({ startedMs }: ApiRequest): { totalTime: string } {
  return { totalTime: `${Math.round(performance.now() - startedMs)}ms` }
}

/** The `rateLimit` object, for responses that are made as text. */
export function rateLimitView(limited: Limited) {
  const { limits } = limited
  if (limits === null) return { enabled: false, perMinute: OFF, perHour: OFF, perDay: OFF }
  return {
    enabled: true,
    perMinute: windowView(limits.perMinute, limited.currentMinute),
    perHour: windowView(limits.perHour, limited.currentHour),
    perDay: windowView(limits.perDay, limited.currentDay),
  }
}

const OFF = JSON.parse(WINDOW_OFF)

function windowView(limit: number | null, current: number) {
  return { limit, current, approachingLimit: limit !== null && current >= limit * APPROACHING }
}

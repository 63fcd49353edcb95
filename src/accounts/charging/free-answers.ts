/**
 * Answers that cost a search and are free, counted by account and UTC minute. In memory only: after a restart a minute
 * begins again, which a bound this generous can afford.
 */
import type { LiveAccount } from './live.ts'

const MINUTE_MS = 60_000

/** Counts one free answer at `nowMs`. */
export function countFree(account: LiveAccount, nowMs: number): void {
  beginMinute(account, nowMs)
  account.freeAnswers++
}

/** Milliseconds until an account that has used up its free answers may ask again; 0 when a new minute has begun. */
export function freeWaitMs(account: LiveAccount, nowMs: number): number {
  beginMinute(account, nowMs)
  return account.freeAnswers === 0 ? 0 : MINUTE_MS - (nowMs % MINUTE_MS)
}

/** Any other minute begins again at zero, also an earlier one: a clock that was set back must not block an account. */
function beginMinute(account: LiveAccount, nowMs: number): void {
  const minute = Math.floor(nowMs / MINUTE_MS)
  if (account.freeMinute === minute) return
  account.freeMinute = minute
  account.freeAnswers = 0
}

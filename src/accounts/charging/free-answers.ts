/**
 * Answers that cost a search and are free, counted by account and UTC minute. In memory only: after a restart a minute
 * begins again, which a bound this generous can afford. The caller holds the account's lock.
 */
import { FREE_ANSWERS, FREE_MINUTE } from '../live/live-layout.ts'
import type { SharedAccount } from './shared-account.ts'

const MINUTE_MS = 60_000

/** Counts one free answer at `nowMs`. */
export function countFree(account: SharedAccount, nowMs: number): void {
  beginMinute(account, nowMs)
  account.words[account.word + FREE_ANSWERS]++
}

/** Milliseconds until an account that has used up its free answers may ask again; 0 when a new minute has begun. */
export function freeWaitMs(account: SharedAccount, nowMs: number): number {
  beginMinute(account, nowMs)
  return account.words[account.word + FREE_ANSWERS] === 0 ? 0 : MINUTE_MS - (nowMs % MINUTE_MS)
}

/** Any other minute begins again at zero, also an earlier one: a clock that was set back must not block an account. */
function beginMinute({ words, word }: SharedAccount, nowMs: number): void {
  const minute = Math.floor(nowMs / MINUTE_MS)
  if (words[word + FREE_MINUTE] === minute) return
  words[word + FREE_MINUTE] = minute
  words[word + FREE_ANSWERS] = 0
}

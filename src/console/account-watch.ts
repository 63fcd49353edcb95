/** Checks changed accounts from a timer, and all once a minute, because months end without a change. */
import type { Accounts } from '../billing/accounts/accounts.ts'
import type { Log } from '../platform/log.ts'
import { MINUTE_MS } from '../platform/time.ts'

interface WatchParts {
  accounts: Accounts
  log: Log
  atStart?: Iterable<string>
  watched(): Iterable<string>
  isWatched(id: string): boolean
  check(id: string, nowMs: number): void
  afterRound(nowMs: number): void
  roundMs: number
  checksPerRound: number
  nowMs?: () => number
}

export function watchAccounts(parts: WatchParts) {
  const { accounts, log, watched, isWatched, check, afterRound, checksPerRound, roundMs } = parts
  const changed = new Set<string>()
  /** Accounts that the check of every minute has not reached yet. */
  const swept = new Set(parts.atStart)
  let sweptMs = Number.NEGATIVE_INFINITY

  const round = (nowMs: number): void => {
    if (swept.size === 0 && Math.abs(nowMs - sweptMs) > MINUTE_MS) {
      sweptMs = nowMs
      for (const id of watched()) swept.add(id)
    }
    // Each set has its own number of checks: accounts that change in every round must not delay the sweep.
    for (const ids of [changed, swept]) {
      let checks = 0
      for (const id of ids) {
        if (++checks > checksPerRound) break
        ids.delete(id)
        try {
          check(id, nowMs)
        } catch (error) {
          log.error({ err: error, account: id }, 'an account could not be checked')
        }
      }
    }
    afterRound(nowMs)
  }
  const timer = setInterval(() => round((parts.nowMs ?? Date.now)()), roundMs).unref()
  const stopFollowing = accounts.onChange(ids => {
    for (const id of ids) if (isWatched(id)) changed.add(id)
  })
  return {
    mark(id: string): void {
      changed.add(id)
    },
    close(): void {
      stopFollowing()
      clearInterval(timer)
    },
  }
}

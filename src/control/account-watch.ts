/**
 * Checks changed accounts from a timer, so that requests and flushes do not wait. Checks all watched accounts once a minute,
 * because windows and months end without a change.
 */
import type { Accounts } from '../accounts/accounts.ts'
import type { Log } from '../platform/log.ts'
import { MINUTE_MS } from '../platform/time.ts'

interface WatchParts {
  accounts: Accounts
  log: Log
  watched(): Iterable<string>
  isWatched(id: string): boolean
  check(id: string, nowMs: number): void
  /** Called at the end of each turn. */
  afterTurn(nowMs: number): void
  turnMs: number
  checksPerTurn: number
  nowMs?: () => number
}

export class AccountWatch {
  readonly #parts: WatchParts
  readonly #changed = new Set<string>()
  /** Accounts that the check of every minute has not reached yet. */
  readonly #swept = new Set<string>()
  readonly #stopFollowing: () => void
  readonly #timer: NodeJS.Timeout
  #sweptMs = Number.NEGATIVE_INFINITY

  constructor(parts: WatchParts) {
    this.#parts = parts
    this.#stopFollowing = parts.accounts.onChange(accounts => {
      for (const id of accounts) if (parts.isWatched(id)) this.#changed.add(id)
    })
    this.#timer = setInterval(() => this.#turn(), parts.turnMs).unref()
  }

  mark(id: string): void {
    this.#changed.add(id)
  }

  close(): void {
    this.#stopFollowing()
    clearInterval(this.#timer)
  }

  #turn(): void {
    const { log, watched, check, afterTurn, checksPerTurn, nowMs: now = Date.now } = this.#parts
    const nowMs = now()
    if (this.#swept.size === 0 && Math.abs(nowMs - this.#sweptMs) > MINUTE_MS) {
      this.#sweptMs = nowMs
      for (const id of watched()) this.#swept.add(id)
    }
    // Each set has its own number of checks: accounts that change in every turn must not delay the sweep.
    for (const ids of [this.#changed, this.#swept]) {
      let checks = 0
      for (const id of ids) {
        if (++checks > checksPerTurn) break
        ids.delete(id)
        try {
          check(id, nowMs)
        } catch (error) {
          log.error({ err: error, account: id }, 'an account could not be checked')
        }
      }
    }
    afterTurn(nowMs)
  }
}

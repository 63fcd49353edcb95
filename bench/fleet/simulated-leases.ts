/** The lease policy of one node in virtual time: when it calls the database, and for how many accounts. */

import {
  AHEAD_MS,
  excessMicros,
  IDLE_MS,
  missingMicros,
  RecentSpend,
  wantedMicros,
} from '../../src/fleet/lease-policy.ts'
import { FLEET_HEARTBEAT_MS, FLEET_RETRY_MS } from '../../src/fleet/limits.ts'
import { QUERY_PRICE_MICROS } from '../../src/limits.ts'

export interface Costs {
  /** Milliseconds of an exchange, and what each account in it adds. */
  callMs: number
  rowMs: number
  /** Between two exchanges while accounts are charged. */
  exchangeMs: number
}

export interface Work {
  requests: number
  /** Requests that had to wait for a lease. */
  waited: number
  exchanges: number
  /** Accounts that were reported, wanted or returned. */
  rows: number
}

interface Held {
  left: number
  waiting: number
  used: number
  /** Null: nothing was spent for long. */
  recent: RecentSpend | null
  usedMs: number
}

export class SimulatedLeases {
  readonly #costs: Costs
  /** What the database may grant ahead of need: its part of half of an account's balance. */
  readonly #aheadMax: number
  readonly #held = new Map<number, Held>()
  /** By second: accounts that may be idle then. Each that is held is there once. */
  readonly #due = new Map<number, number[]>()
  #second = 0
  /** Those whose spend of the last seconds changes what the node would like to hold. */
  readonly #warm = new Map<number, Held>()
  /** To be used again. */
  readonly #cold: RecentSpend[] = []
  #changed = new Set<number>()
  #nextMs = 0
  #sentMs = 0
  /** The exchange in progress: when it ends, and what it will grant. */
  #endMs = Number.POSITIVE_INFINITY
  #grants: { held: Held; queries: number }[] = []
  work: Work = { requests: 0, waited: 0, exchanges: 0, rows: 0 }

  constructor(costs: Costs, aheadMax: number) {
    this.#costs = costs
    this.#aheadMax = aheadMax
  }

  /** A request at `nowMs`, which never goes back. */
  request(account: number, nowMs: number): void {
    this.advance(nowMs)
    this.work.requests++
    let held = this.#held.get(account)
    if (held === undefined) {
      held = { left: 0, waiting: 0, used: 0, recent: null, usedMs: nowMs }
      this.#held.set(account, held)
      this.#lookAgain(account, nowMs + IDLE_MS)
    }
    // One that was not used for long has nothing in its buckets.
    held.recent ??= this.#cold.pop() ?? new RecentSpend()
    this.#warm.set(account, held)
    this.#changed.add(account)
    if (held.left > 0) {
      held.left--
      held.used++
      held.usedMs = nowMs
      return
    }
    this.work.waited++
    held.waiting++
    if (this.#endMs === Number.POSITIVE_INFINITY) this.#nextMs = nowMs
  }

  /** Does what is due until `nowMs`. */
  advance(nowMs: number): void {
    for (;;) {
      if (this.#endMs <= nowMs) this.#finish(this.#endMs)
      else if (this.#endMs === Number.POSITIVE_INFINITY && this.#nextMs <= nowMs) this.#exchange(this.#nextMs)
      else return
    }
  }

  #exchange(nowMs: number): void {
    let rows = this.#changed.size
    rows += this.#expire(nowMs)
    for (const [account, held] of this.#warm) {
      held.recent ??= new RecentSpend()
      const { recent } = held
      recent.add(held.used * QUERY_PRICE_MICROS, nowMs)
      held.used = 0
      const wanted = wantedMicros(recent.micros(nowMs))
      if (held.waiting === 0 && nowMs - held.usedMs > 2 * AHEAD_MS) {
        this.#warm.delete(account)
        this.#cold.push(recent)
        held.recent = null
      }
      const excess = excessMicros(held.left * QUERY_PRICE_MICROS, wanted) / QUERY_PRICE_MICROS
      held.left -= excess
      const missing = missingMicros(held.left * QUERY_PRICE_MICROS, wanted) / QUERY_PRICE_MICROS
      if (excess === 0 && missing === 0 && held.waiting === 0) continue
      if (!this.#changed.has(account)) rows++
      this.#grants.push({ held, queries: held.waiting + Math.min(this.#aheadMax, missing) })
    }
    if (rows === 0 && nowMs - this.#sentMs < FLEET_HEARTBEAT_MS) {
      this.#nextMs = nowMs + (this.#held.size > 0 ? this.#costs.exchangeMs : FLEET_HEARTBEAT_MS)
      return
    }
    this.#changed = new Set()
    this.#sentMs = nowMs
    this.#endMs = nowMs + this.#costs.callMs + rows * this.#costs.rowMs
    this.work.exchanges++
    this.work.rows += rows
  }

  /** Returns what is held of idle accounts, within a second. Returns their number. */
  #expire(nowMs: number): number {
    let expired = 0
    for (; this.#second * 1000 <= nowMs; this.#second++) {
      for (const account of this.#due.get(this.#second) ?? []) {
        const held = this.#held.get(account)
        if (held === undefined) continue
        if (held.waiting > 0 || nowMs - held.usedMs <= IDLE_MS) {
          this.#lookAgain(account, held.usedMs + IDLE_MS)
          continue
        }
        this.#held.delete(account)
        expired++
      }
      this.#due.delete(this.#second)
    }
    return expired
  }

  #lookAgain(account: number, atMs: number): void {
    const second = Math.max(this.#second + 1, Math.ceil(atMs / 1000))
    const accounts = this.#due.get(second)
    if (accounts === undefined) this.#due.set(second, [account])
    else accounts.push(account)
  }

  #finish(nowMs: number): void {
    let isWaiting = false
    for (const { held, queries } of this.#grants) {
      held.left += queries
      const served = Math.min(held.waiting, held.left)
      held.left -= served
      held.used += served
      held.waiting -= served
      held.usedMs = nowMs
      isWaiting ||= held.waiting > 0
    }
    this.#grants = []
    this.#endMs = Number.POSITIVE_INFINITY
    this.#nextMs =
      nowMs + (isWaiting ? FLEET_RETRY_MS : this.#held.size > 0 ? this.#costs.exchangeMs : FLEET_HEARTBEAT_MS)
  }
}

/** The lease policy of one node in virtual time: when it calls the database, and for how many accounts. */

/** As `src/fleet/` has them: between two exchanges while requests wait, while nothing happens; then how long a lease should last. */
const RETRY_MS = 20
const HEARTBEAT_MS = 2000
const AHEAD_MS = 2000
const FIRST_QUERIES = 100
/** An account that was not charged for so long gives everything back. */
const IDLE_MS = 5000

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
  perMs: number
  countedMs: number
  usedMs: number
}

export class SimulatedLeases {
  readonly #costs: Costs
  /** What the database may grant ahead of need: its part of half of an account's balance. */
  readonly #aheadMax: number
  readonly #held = new Map<number, Held>()
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
    const held = this.#held.get(account) ?? {
      left: 0,
      waiting: 0,
      used: 0,
      perMs: 0,
      countedMs: nowMs,
      usedMs: nowMs,
    }
    this.#held.set(account, held)
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
    for (const [account, held] of this.#held) {
      held.perMs += 0.5 * (held.used / Math.max(1, nowMs - held.countedMs) - held.perMs)
      held.used = 0
      held.countedMs = nowMs
      if (held.waiting === 0 && nowMs - held.usedMs > IDLE_MS) {
        this.#held.delete(account)
        if (!this.#changed.has(account)) rows++
        continue
      }
      const ahead = Math.max(FIRST_QUERIES, Math.ceil(held.perMs * AHEAD_MS))
      if (held.waiting === 0 && held.left >= ahead / 2) continue
      if (!this.#changed.has(account)) rows++
      this.#grants.push({ held, queries: held.waiting + Math.min(this.#aheadMax, ahead - held.left) })
    }
    if (rows === 0 && nowMs - this.#sentMs < HEARTBEAT_MS) {
      this.#nextMs = nowMs + (this.#held.size > 0 ? this.#costs.exchangeMs : HEARTBEAT_MS)
      return
    }
    this.#changed = new Set()
    this.#sentMs = nowMs
    this.#endMs = nowMs + this.#costs.callMs + rows * this.#costs.rowMs
    this.work.exchanges++
    this.work.rows += rows
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
      nowMs + (isWaiting ? RETRY_MS : this.#held.size > 0 ? this.#costs.exchangeMs : HEARTBEAT_MS)
  }
}

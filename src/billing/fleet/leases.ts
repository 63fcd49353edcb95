/** Leases of this node: asks ahead of need, reports usage, returns excess. */
import type { WantedLease } from '../accounts/charging/charging.ts'
import type { Flusher } from '../accounts/charging/flusher.ts'
import type { AccountRecord } from '../ledger/book/record.ts'
import type { Ledger } from '../ledger/ledger.ts'
import {
  EXCHANGE_ACCOUNTS_MAX,
  EXCHANGE_REPORTS_MAX,
  FLEET_EXCHANGE_MS,
  FLEET_HEARTBEAT_MS,
  FLEET_RETRY_MS,
} from './fleet-bounds.ts'
import { countsOf } from './journal.ts'
import { IDLE_MS, LeasedAccount, type Waiting } from './lease-policy.ts'
import type { LeasedState } from './leased-state.ts'
import type { Exchange, ExchangeAnswer, KeyCounts, Return, Want } from './messages.ts'

/** Maximum share of time spent in exchanges. Long exchanges delay the next exchange. */
const BUSY_SHARE = 0.1

/** An exchange while it is put together. */
interface Sent {
  reports: Exchange['reports']
  admitted: Exchange['admitted'][number][]
  returns: Return[]
  wants: Want[]
}

interface LeasesParts {
  journal: Ledger
  flusher: Flusher
  state: LeasedState
  /** Sends an exchange until it is answered. @throws an error that ends the node */
  send(exchange: Omit<Exchange, 'number'>): Promise<ExchangeAnswer>
  isAway(): boolean
  onFail(error: Error): void
}

export class Leases {
  readonly #parts: LeasesParts
  readonly #state: LeasedState
  readonly #leased = new Map<number, LeasedAccount>()
  /** Slots of keys whose counts changed since the last report. */
  readonly #changed = new Set<number>()
  #running: Promise<void> | null = null
  #timer: NodeJS.Timeout | undefined
  #dueMs = Number.POSITIVE_INFINITY
  #sentMs = 0
  #tookMs = 0
  #isStopped = false

  constructor(parts: LeasesParts) {
    this.#parts = parts
    this.#state = parts.state
  }

  get size(): number {
    return this.#leased.size
  }

  /** True if the database knows all charges of an account that are in the journal. */
  isAtRest({ keys }: AccountRecord): boolean {
    return this.#running === null && keys.every(({ slot }) => !this.#changed.has(slot))
  }

  start(): void {
    this.#schedule(FLEET_HEARTBEAT_MS)
  }

  charged(keys: Iterable<{ slot: number; account: { slot: number } }>): void {
    for (const { slot, account } of keys) {
      this.#changed.add(slot)
      this.#follow(account.slot)
    }
    this.#schedule(FLEET_EXCHANGE_MS)
  }

  lease(wanted: WantedLease, msMax: number): Promise<boolean> {
    if (this.#isStopped || this.#parts.isAway()) return Promise.resolve(false)
    if (this.#state.isDecided(wanted)) return Promise.resolve(true)
    const leased = this.#follow(wanted.slot)
    return new Promise(resolve => {
      const waiting: Waiting = {
        wanted,
        resolve: isWorthIt => {
          clearTimeout(timer)
          leased.waiting.delete(waiting)
          resolve(isWorthIt)
        },
      }
      const timer = setTimeout(() => waiting.resolve(false), msMax)
      leased.waiting.add(waiting)
      this.#schedule(0)
    })
  }

  recall(account: number): void {
    const leased = this.#leased.get(account)
    if (leased === undefined) return
    leased.isRecalled = true
    this.#schedule(0)
  }

  /** Reports all usage and returns all leases. Nothing may be charged afterwards. Resolves when the database has them. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await this.#running?.catch(() => {})
    this.giveUp()
    do await this.#exchange()
    while (this.#leased.size + this.#changed.size > 0)
  }

  giveUp(): void {
    for (const { waiting } of this.#leased.values()) for (const one of waiting) one.resolve(false)
  }

  /** @param account slot of an account, or of a key with its own limits */
  #follow(account: number): LeasedAccount {
    const known = this.#leased.get(account)
    if (known !== undefined) return known
    const leased = new LeasedAccount(this.#parts.journal.book.slots[account], performance.now())
    this.#leased.set(account, leased)
    return leased
  }

  #schedule(ms: number): void {
    const dueMs = performance.now() + ms
    if (this.#isStopped || dueMs >= this.#dueMs) return
    this.#dueMs = dueMs
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#run(), ms).unref()
  }

  #run(): void {
    this.#dueMs = Number.POSITIVE_INFINITY
    // The exchange in progress schedules the next one.
    if (this.#running !== null) return
    this.#running = this.#exchange()
      .catch(error => this.#parts.onFail(error instanceof Error ? error : new Error(String(error))))
      .finally(() => {
        this.#running = null
        this.#schedule(this.#nextMs())
      })
  }

  #nextMs(): number {
    let isActive = this.#changed.size > 0
    for (const { waiting, isRecalled } of this.#leased.values()) {
      if (waiting.size > 0 || isRecalled) return FLEET_RETRY_MS
      isActive = true
    }
    return isActive ? Math.max(FLEET_EXCHANGE_MS, this.#tookMs / BUSY_SHARE) : FLEET_HEARTBEAT_MS
  }

  async #exchange(): Promise<void> {
    this.#flushNeeded()
    const nowMs = performance.now()
    const exchange: Sent = {
      reports: this.#reports(),
      admitted: [],
      returns: this.#state.takeDroppedCaps(),
      wants: [],
    }
    for (const leased of this.#nextAccounts()) this.#add(leased, exchange, nowMs)
    const isNothing = Object.values(exchange).every(part => part.length === 0)
    if (isNothing && !this.#isStopped && nowMs - this.#sentMs < FLEET_HEARTBEAT_MS) return
    this.#sentMs = nowMs
    const answer = await this.#parts.send(exchange)
    this.#tookMs = performance.now() - nowMs
    for (const { account, queries } of exchange.admitted) this.#state.admissions.confirm(account, queries)
    this.#apply(answer, nowMs)
  }

  /** Adds an account to an exchange: its use, what it returns, and what it wants. Forgets an idle account. */
  #add(leased: LeasedAccount, { admitted, returns, wants }: Sent, nowMs: number): void {
    const account = leased.record.slot
    const isWaiting = leased.waiting.size > 0
    leased.count(nowMs)
    const isIdle = this.#isStopped || (!isWaiting && nowMs - leased.usedMs > IDLE_MS)
    const gives = leased.isRecalled || isIdle || (isWaiting && this.#state.isShort(leased))
    const { used, left } = this.#state.admissions.report(account, gives)
    if (used > 0) admitted.push({ account, queries: used })
    if (gives) returns.push(this.#state.giveBack(account, left))
    else if (left > 0) returns.push({ account, micros: 0, admissions: left, caps: [] })
    else if (!isWaiting && nowMs - leased.servedMs > FLEET_EXCHANGE_MS)
      returns.push(...this.#state.giveBackExcess(account, leased.aheadMicros))
    if (isIdle) this.#leased.delete(account)
    else if (isWaiting || !leased.isRecalled) wants.push(...this.#state.want(leased))
    leased.isRecalled = false
  }

  /** Returns accounts with waiting requests or a recall, then others in turn, up to EXCHANGE_ACCOUNTS_MAX. */
  #nextAccounts(): LeasedAccount[] {
    const urgent: LeasedAccount[] = []
    const others: LeasedAccount[] = []
    for (const leased of this.#leased.values())
      (leased.waiting.size > 0 || leased.isRecalled ? urgent : others).push(leased)
    const next = urgent.slice(0, EXCHANGE_ACCOUNTS_MAX)
    for (const leased of others.slice(0, EXCHANGE_ACCOUNTS_MAX - next.length)) {
      next.push(leased)
      // Moves it to the end of the turn.
      this.#leased.delete(leased.record.slot)
      this.#leased.set(leased.record.slot, leased)
    }
    return next
  }

  #apply({ accounts, recalls, sequence }: ExchangeAnswer, sentMs: number): void {
    this.#state.sequence = sequence
    for (const share of accounts) {
      this.#state.addShare(share, sentMs, sequence)
      const leased = this.#leased.get(share.account)
      if (leased === undefined) continue
      // Keeps the grant: waiting requests are about to charge it.
      if (leased.waiting.size > 0) leased.servedMs = performance.now()
      for (const waiting of leased.waiting) if (this.#state.isDecided(waiting.wanted)) waiting.resolve(true)
    }
    for (const account of recalls) this.recall(account)
  }

  #flushNeeded(): void {
    for (const { waiting, isRecalled, record } of this.#leased.values()) {
      if (waiting.size > 0 || isRecalled)
        this.#parts.flusher.flushKeys(record.type === 'key' ? [record] : record.keys)
    }
  }

  #reports(): KeyCounts[] {
    const { book } = this.#parts.journal
    const reports: KeyCounts[] = []
    for (const key of this.#changed) {
      if (reports.length === EXCHANGE_REPORTS_MAX) break
      reports.push(countsOf(book.key(key)))
      this.#changed.delete(key)
    }
    return reports
  }
}

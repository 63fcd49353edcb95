/** What this node holds of the fleet's accounts: asks ahead of need, reports what was used, returns what is not needed. */
import type { Flusher } from '../accounts/charging/flusher.ts'
import type { Wanted } from '../accounts/types.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { HeldAccount, type Waiting } from './held-account.ts'
import { countsOf } from './journal.ts'
import { IDLE_MS } from './lease-policy.ts'
import type { LeasedState } from './leased-state.ts'
import { LeftAccounts } from './left-accounts.ts'
import {
  EXCHANGE_ACCOUNTS_MAX,
  EXCHANGE_REPORTS_MAX,
  FLEET_EXCHANGE_MS,
  FLEET_HEARTBEAT_MS,
  FLEET_LEAVE_MS,
  FLEET_RETRY_MS,
} from './limits.ts'
import {
  type Exchange,
  type ExchangeAnswer,
  GivenUpError,
  type KeyCounts,
  type Return,
  type Want,
} from './store.ts'

/** An exchange may take this part of the time at most: with many accounts, the next one comes later. */
const BUSY_SHARE = 0.1

/** Sends an exchange, and repeats it until it is answered. @throws only what ends the node */
export type Send = (exchange: Omit<Exchange, 'number'>) => Promise<ExchangeAnswer>

export class Leases {
  readonly #journal: Ledger
  readonly #flusher: Flusher
  readonly #state: LeasedState
  readonly #send: Send
  /** Whether the database has answered the last time. */
  readonly #isAway: () => boolean
  readonly #held = new Map<number, HeldAccount>()
  /** Slots of keys whose counts have changed since they were last reported. */
  readonly #changed = new Set<number>()
  #running: Promise<void> | null = null
  #timer: NodeJS.Timeout | undefined
  #dueMs = Number.POSITIVE_INFINITY
  #sentMs = 0
  /** How long the last exchange took. */
  #tookMs = 0
  #stopped = false
  readonly left = new LeftAccounts()
  onFail: (error: Error) => void = () => {}
  /** Begins another epoch, after what this node held was given up. @throws what ends the node */
  onGivenUp: (error: GivenUpError) => Promise<void> = error => Promise.reject(error)

  constructor(parts: {
    journal: Ledger
    flusher: Flusher
    state: LeasedState
    send: Send
    isAway: () => boolean
  }) {
    this.#journal = parts.journal
    this.#flusher = parts.flusher
    this.#state = parts.state
    this.#send = parts.send
    this.#isAway = parts.isAway
  }

  /** Accounts that this node holds something of. */
  get size(): number {
    return this.#held.size
  }

  /** Whether the part of the balance that is elsewhere is kept up to date by exchanges. */
  holds(account: number): boolean {
    return this.#held.has(account)
  }

  start(): void {
    this.#schedule(FLEET_HEARTBEAT_MS)
  }

  /** The flusher has moved charges of these keys into the journal. */
  charged(keys: Iterable<{ slot: number; account: { slot: number } }>): void {
    for (const { slot, account } of keys) {
      this.#changed.add(slot)
      this.#hold(account.slot)
    }
    this.#schedule(FLEET_EXCHANGE_MS)
  }

  /** As `Meter.lease`. */
  lease(wanted: Wanted, msMax: number): Promise<boolean> {
    if (this.#stopped || this.#isAway()) return Promise.resolve(false)
    if (this.#state.isDecided(wanted)) return Promise.resolve(true)
    // Many that wait in vain would leave no room for requests of other accounts.
    if (this.left.isStuck(wanted.account)) return Promise.resolve(false)
    const held = this.#hold(wanted.account)
    return new Promise(resolve => {
      const waiting: Waiting = {
        wanted,
        resolve: isWorthIt => {
          clearTimeout(timer)
          held.waiting.delete(waiting)
          resolve(isWorthIt)
        },
      }
      const timer = setTimeout(() => waiting.resolve(false), msMax)
      held.waiting.add(waiting)
      this.#schedule(0)
    })
  }

  /** Another node needs what this one holds of an account. */
  recall(account: number): void {
    const held = this.#held.get(account)
    if (held === undefined) return
    held.isRecalled = true
    this.#schedule(0)
  }

  /** Reports everything and returns everything. Nothing may be charged any more. Resolves when the database has it. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await this.#running?.catch(() => {})
    for (const held of this.#held.values()) held.giveUp()
    const endMs = performance.now() + FLEET_LEAVE_MS
    for (;;) {
      await this.#exchange()
      if (this.#held.size + this.#changed.size === 0) return
      // What another transaction holds until then is for the next start.
      if (!this.left.isAny) continue
      if (performance.now() > endMs) return
      await new Promise(resolve => setTimeout(resolve, FLEET_RETRY_MS))
    }
  }

  /** Lets all that wait go, since the database is away. */
  giveUp(): void {
    for (const held of this.#held.values()) held.giveUp()
  }

  /** @param account its slot, or that of a key with limits of its own */
  #hold(account: number): HeldAccount {
    const known = this.#held.get(account)
    if (known !== undefined) return known
    const held = new HeldAccount(this.#journal.book.slots[account], performance.now())
    this.#held.set(account, held)
    return held
  }

  /** Exchanges in `ms` at the latest. */
  #schedule(ms: number): void {
    const dueMs = performance.now() + ms
    if (this.#stopped || dueMs >= this.#dueMs) return
    this.#dueMs = dueMs
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#run(), ms).unref()
  }

  #run(): void {
    this.#dueMs = Number.POSITIVE_INFINITY
    // The one in progress looks again at its end.
    if (this.#running !== null) return
    this.#running = this.#exchange()
      .catch((error: unknown) => {
        if (!(error instanceof GivenUpError) || this.#stopped) throw error
        return this.onGivenUp(error)
      })
      .catch(error => this.onFail(error instanceof Error ? error : new Error(String(error))))
      .finally(() => {
        this.#running = null
        this.#schedule(this.#nextMs())
      })
  }

  #nextMs(): number {
    let isActive = this.#changed.size > 0
    for (const { waiting, isRecalled } of this.#held.values()) {
      if (waiting.size > 0 || isRecalled) return FLEET_RETRY_MS
      isActive = true
    }
    return isActive ? Math.max(FLEET_EXCHANGE_MS, this.#tookMs / BUSY_SHARE) : FLEET_HEARTBEAT_MS
  }

  async #exchange(): Promise<void> {
    this.#flushNeeded()
    const nowMs = performance.now()
    const reports = this.#reports()
    const admitted: { account: number; queries: number }[] = []
    const returns = this.#state.droppedCaps()
    const wants: Want[] = []
    for (const held of this.#nextAccounts()) {
      const account = held.record.slot
      held.count(nowMs)
      const isIdle = this.#stopped || (held.waiting.size === 0 && nowMs - held.usedMs > IDLE_MS)
      const gives = held.isRecalled || isIdle || (held.waiting.size > 0 && this.#state.isShort(held))
      const admissions = this.#state.admissions.settle(account, gives)
      if (admissions.used > 0) admitted.push({ account, queries: admissions.used })
      if (gives) returns.push(this.#state.giveBack(account, admissions.left))
      else if (held.waiting.size === 0 && nowMs - held.servedMs > FLEET_EXCHANGE_MS)
        returns.push(...this.#state.giveBackExcess(account, held.aheadMicros))
      if (isIdle) this.#held.delete(account)
      else if (held.waiting.size > 0 || !held.isRecalled) wants.push(...this.#state.wants(held))
      held.isRecalled = false
    }
    const isNothing = reports.length + admitted.length + returns.length + wants.length === 0
    if (isNothing && !this.#stopped && nowMs - this.#sentMs < FLEET_HEARTBEAT_MS) return
    this.#sentMs = nowMs
    const answer = await this.#send({ reports, admitted, returns, wants })
    this.#tookMs = performance.now() - nowMs
    const left = new Set(answer.left)
    for (const { account, queries } of admitted)
      if (!left.has(account)) this.#state.admissions.confirm(account, queries)
    this.#apply(answer, nowMs)
    if (left.size > 0) this.#keepLeft(left, reports, returns)
    this.left.exchanged(answer.left)
  }

  /** What was sent of accounts that another transaction holds goes with the next exchange. */
  #keepLeft(left: ReadonlySet<number>, reports: readonly KeyCounts[], returns: readonly Return[]): void {
    for (const { key } of reports)
      if (left.has(this.#journal.book.key(key).account.slot)) this.#changed.add(key)
    for (const returned of returns) if (left.has(returned.account)) this.#state.restore(returned)
    for (const account of left) this.#settle(this.#hold(account))
  }

  /** Those that somebody waits for, and as many others as an exchange may have, each in its turn. */
  #nextAccounts(): HeldAccount[] {
    const urgent: HeldAccount[] = []
    const others: HeldAccount[] = []
    for (const held of this.#held.values())
      (held.waiting.size > 0 || held.isRecalled ? urgent : others).push(held)
    const next = urgent.slice(0, EXCHANGE_ACCOUNTS_MAX)
    for (const held of others.slice(0, EXCHANGE_ACCOUNTS_MAX - next.length)) {
      next.push(held)
      // Behind those that this exchange has no room for.
      this.#held.delete(held.record.slot)
      this.#held.set(held.record.slot, held)
    }
    return next
  }

  #apply({ accounts, recalls, sequence }: ExchangeAnswer, sentMs: number): void {
    for (const share of accounts) {
      this.#state.take(share, sentMs, sequence)
      const held = this.#held.get(share.account)
      if (held === undefined) continue
      // The requests charge in a moment what was granted for them.
      if (held.waiting.size > 0) held.servedMs = performance.now()
      this.#settle(held)
    }
    for (const account of recalls) this.recall(account)
  }

  /** Lets those go whose requests can be decided now. */
  #settle(held: HeldAccount): void {
    for (const waiting of held.waiting) {
      if (this.#state.isDecided(waiting.wanted)) waiting.resolve(true)
    }
  }

  /** What other nodes or requests wait for should know of the newest charges. */
  #flushNeeded(): void {
    for (const { waiting, isRecalled, record } of this.#held.values()) {
      if (waiting.size > 0 || isRecalled)
        this.#flusher.flushKeys(record.type === 'key' ? [record] : record.keys)
    }
  }

  #reports(): KeyCounts[] {
    const { book } = this.#journal
    const reports: KeyCounts[] = []
    for (const key of this.#changed) {
      if (reports.length === EXCHANGE_REPORTS_MAX) break
      reports.push(countsOf(book.key(key)))
      this.#changed.delete(key)
    }
    return reports
  }
}

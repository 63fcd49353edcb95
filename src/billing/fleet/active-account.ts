/** An account that this node charges: its waiting requests, and the reserve leased ahead of need. */
import type { Shortfall } from '../accounts/charging/charging.ts'
import type { AccountRecord } from '../ledger/book/record.ts'
import { QUERY_PRICE_MICROS } from '../money.ts'

/** Time between exchanges of a node while accounts are charged. */
export const FLEET_EXCHANGE_MS = 200
/** Time whose spend is the reserve of a node. That bounds the amount in doubt when its disk is lost. */
export const RESERVE_MS = 2000
/** Smallest reserve. A node returns its excess only if it holds this many queries more than its reserve. */
export const RESERVE_QUERIES_MIN = 100
/** Time without a charge after which an account's lease is returned. */
const IDLE_MS = 30_000
/** Time in which requests charge what was granted for them. */
export const SERVE_MS = 50

/** By step, what an exchange returns of an account's leases, and if it asks for more. It always reports use. */
export const LEASE_STEPS = {
  // The account is idle, or the node stops.
  forget: { returns: 'all', asks: 'never' },
  // They are recalled, but first requests charge what was granted for them. Otherwise two nodes could recall
  // the account from each other for ever. What was granted now would be returned before it is charged.
  serve: { returns: 'nothing', asks: 'never' },
  // They are recalled.
  return: { returns: 'all', asks: 'for waiting' },
  trim: { returns: 'excess', asks: 'always' },
  keep: { returns: 'nothing', asks: 'always' },
} as const

export function reserveQueriesOf(recentMicros: number): number {
  return Math.max(RESERVE_QUERIES_MIN, Math.ceil(recentMicros / QUERY_PRICE_MICROS))
}

interface Waiting {
  shortfall: Shortfall
  /** @param isDecided true if the request can be charged now, or refused finally */
  resolve(isDecided: boolean): void
}

export class ActiveAccount {
  /** Record of the ledger: its spend is charged by this node. */
  readonly record: AccountRecord
  /** Slots of keys that were used here. */
  readonly keySlots = new Set<number>()
  readonly waiting = new Set<Waiting>()
  /** True until everything is returned. */
  isRecalled = false
  /** Time of the last charge, by the monotonic clock. */
  usedMs: number
  /** Time of the last grant for waiting requests, by the monotonic clock. */
  servedMs = Number.NEGATIVE_INFINITY
  readonly #recent: { atMs: number; micros: number }[] = []
  #spentMicros: number
  #countedMs: number
  #reserveQueries = RESERVE_QUERIES_MIN

  constructor(record: AccountRecord, nowMs: number) {
    this.record = record
    this.usedMs = nowMs
    this.#countedMs = nowMs
    this.#spentMicros = record.spentMicros
  }

  get isUrgent(): boolean {
    return this.waiting.size > 0 || this.isRecalled
  }

  /** Lets a request wait. Resolves with true to charge or refuse it finally, with false after `msMax`. */
  wait(shortfall: Shortfall, msMax: number): Promise<boolean> {
    this.keySlots.add(shortfall.keySlot)
    return new Promise(resolve => {
      const waiting: Waiting = {
        shortfall,
        resolve: isDecided => {
          clearTimeout(timer)
          this.waiting.delete(waiting)
          resolve(isDecided)
        },
      }
      const timer = setTimeout(() => waiting.resolve(false), msMax)
      this.waiting.add(waiting)
    })
  }

  /** Moves the requests of the first key behind the others: a refused want blocks no other key. */
  rotate(): void {
    const [first] = this.waiting
    for (const one of [...this.waiting].filter(one => one.shortfall.keySlot === first.shortfall.keySlot)) {
      this.waiting.delete(one)
      this.waiting.add(one)
    }
  }

  /** Returns what the next exchange does with the leases of the account. */
  leaseStep(nowMs: number): keyof typeof LEASE_STEPS {
    const isWaiting = this.waiting.size > 0
    const servedMs = nowMs - this.servedMs
    if (!isWaiting && nowMs - this.usedMs > IDLE_MS) return 'forget'
    if (this.isRecalled) return servedMs < SERVE_MS ? 'serve' : 'return'
    return !isWaiting && servedMs > FLEET_EXCHANGE_MS ? 'trim' : 'keep'
  }

  /** Returns the queries that fill the reserve; 0 while the node holds half of it. */
  missingQueries(held: number): number {
    return held < this.#reserveQueries / 2 ? this.#reserveQueries - held : 0
  }

  excessQueries(held: number): number {
    return held > this.#reserveQueries + RESERVE_QUERIES_MIN ? held - this.#reserveQueries : 0
  }

  countSpend(nowMs: number): void {
    const micros = this.record.spentMicros - this.#spentMicros
    this.#spentMicros = this.record.spentMicros
    if (micros > 0) this.usedMs = nowMs
    // With many accounts, exchanges are rare for each.
    const elapsedMs = nowMs - this.#countedMs
    this.#countedMs = nowMs
    if (micros > 0)
      this.#recent.push({ atMs: nowMs, micros: micros * Math.min(1, RESERVE_MS / Math.max(1, elapsedMs)) })
    // A spend is counted up to one exchange late.
    while (this.#recent.length > 0 && this.#recent[0].atMs <= nowMs - RESERVE_MS + FLEET_EXCHANGE_MS)
      this.#recent.shift()
    this.#reserveQueries = reserveQueriesOf(this.#recent.reduce((sum, spend) => sum + spend.micros, 0))
  }
}

/** The hot path: from the bytes of a key to a charge. Every request runs through here, most of it in nanoseconds. */
import type { Ledger } from '../../ledger/ledger.ts'
import { QUERY_PRICE_MICROS } from '../../limits.ts'
import type { Account, ApiKey, Charge, Meter, UsageClass } from '../types.ts'
import type { Flusher } from './flusher.ts'
import { countFree, freeWaitMs } from './free-answers.ts'
import type { KeyCache } from './key-cache.ts'
import { renewCap } from './key-cap.ts'
import type { LiveAccount, LiveKey } from './live.ts'
import { countQueries, isAhead, uncountQueries } from './meter-reading.ts'
import { admitQueries } from './rate-window.ts'

/**
 * Charges against the balance in memory and counts in the mapped meter; the flusher moves the counts to the ledger. The
 * accounts and keys that come in are always those that `authenticate` returned, hence the casts.
 */
export class Charging implements Meter {
  /** A plain field, so that a request pays nothing for the watch over the disk. */
  healthy = true
  #isStopped = false
  protected readonly ledger: Ledger
  protected readonly flusher: Flusher
  latest: Charge | null = null
  readonly #cache: KeyCache
  /** Free answers that an account may get in a minute. */
  readonly #freeAnswersMax: number
  /** What `latest` points to: one object, filled again by each charge. */
  #charge: Charge | null = null

  protected constructor(ledger: Ledger, flusher: Flusher, cache: KeyCache, freeAnswersMax: number) {
    this.ledger = ledger
    this.flusher = flusher
    this.#cache = cache
    this.#freeAnswersMax = freeAnswersMax
  }

  authenticate(bytes: Uint8Array, start: number, end: number): ApiKey | undefined {
    return this.#cache.find(bytes, start, end)
  }

  admit(account: Account, queries: number): number {
    const live = account as LiveAccount
    if (live.freeAnswers >= this.#freeAnswersMax) {
      const waitMs = freeWaitMs(live, this.ledger.timeline.nowMs())
      if (waitMs > 0) return Math.ceil(waitMs / 1000)
    }
    if (account.limits === null) return 0
    const { meter, timeline } = this.ledger
    const nowMs = timeline.nowMs()
    meter.setClock(nowMs)
    const waitMs = admitQueries(meter.cells, live, account.limits, queries, nowMs)
    if (waitMs === 0) return 0
    // A refusal may come from a clock that has not seen the machine sleep.
    return timeline.follow() ? this.admit(account, queries) : Math.ceil(waitMs / 1000)
  }

  canPay(key: ApiKey, queries: number): boolean {
    const live = key as LiveKey
    const micros = queries * QUERY_PRICE_MICROS
    if (live.account.availableMicros < micros) return false
    return live.capLeftMicros >= micros || this.#capAllows(live, micros)
  }

  charge(key: ApiKey, usage: UsageClass, queries: number): boolean {
    const live = key as LiveKey
    if (!this.#take(live, queries)) return false
    this.#count(live, usage, queries)
    this.#remember(key, usage, queries)
    return true
  }

  takeBack({ key, usage, queries }: Charge): boolean {
    const live = key as LiveKey
    const { cells } = this.ledger.meter
    if (!this.healthy || !isAhead(live, cells, usage, queries)) return false
    const micros = queries * QUERY_PRICE_MICROS
    live.account.availableMicros += micros
    live.capLeftMicros += micros
    uncountQueries(cells, live.cell, usage, queries)
    return true
  }

  countFree(account: Account): void {
    countFree(account as LiveAccount, this.ledger.timeline.nowMs())
  }

  /** Nothing is charged from now on. */
  protected stop(): void {
    this.#isStopped = true
    this.healthy = false
  }

  /** Nothing is charged while the disk owes a sync for too long. */
  protected stall(isStalled: boolean): void {
    this.healthy = !isStalled && !this.#isStopped
  }

  /** Takes the price from the balance and the cap, when both allow it. */
  #take(key: LiveKey, queries: number): boolean {
    if (!this.healthy || !this.canPay(key, queries)) return false
    const micros = queries * QUERY_PRICE_MICROS
    key.account.availableMicros -= micros
    key.capLeftMicros -= micros
    return true
  }

  /** The slow path of a cap that seems used up: perhaps a new month has begun. */
  #capAllows(key: LiveKey, micros: number): boolean {
    renewCap(key, this.ledger.meter.cells, this.ledger.timeline.nowMs())
    return key.capLeftMicros >= micros
  }

  #remember(key: ApiKey, usage: UsageClass, queries: number): void {
    this.#charge ??= { key, usage, queries }
    this.#charge.key = key
    this.#charge.usage = usage
    this.#charge.queries = queries
    this.latest = this.#charge
  }

  #count(key: LiveKey, usage: UsageClass, queries: number): void {
    countQueries(this.ledger.meter.cells, key.cell, usage, queries)
    if (!key.dirty) this.flusher.mark(key)
  }
}

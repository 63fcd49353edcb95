/** The hot path: from the bytes of a key to a charge. Every request runs through here, most of it in nanoseconds. */
import { ROW_CELLS } from '../../ledger/meter/meter-layout.ts'
import type { MeterRows } from '../../ledger/meter/meter-rows.ts'
import type { Timeline } from '../../ledger/timeline.ts'
import { QUERY_PRICE_MICROS } from '../../limits.ts'
import { viewOf } from '../../text/bytes.ts'
import {
  AVAILABLE,
  CAP,
  CAP_LEFT,
  CLOCK_AHEAD_MS,
  ELSEWHERE,
  FREE_ANSWERS,
  HEALTH,
  HEALTHY,
  IN_FLEET,
  LIMITED_MS,
  NEXT_ROW,
  WINDOWS_ROW,
} from '../live/live-layout.ts'
import type { LiveState } from '../live/live-state.ts'
import { lock, unlock } from '../live/lock.ts'
import type { Account, ApiKey, Charge, Meter, UsageClass, Wanted } from '../types.ts'
import { countFree, freeWaitMs } from './free-answers.ts'
import { KeyCache } from './key-cache.ts'
import { capAllows } from './key-cap.ts'
import { LeaseDeadline } from './lease-deadline.ts'
import { admitLeased, unadmit } from './leased-window.ts'
import { countingMs, countQueries, waitMsOf } from './rate-window.ts'
import type { SharedAccount } from './shared-account.ts'
import { SharedKey } from './shared-key.ts'
import { ThreadRows } from './thread-rows.ts'

/** What charging works on, in the memory of this thread. */
export interface ChargingParts {
  live: LiveState
  rows: MeterRows
  timeline: Timeline
  /** Number of this thread; the ledger thread is 0. */
  thread: number
  freeAnswersMax: number
  /** Tells the ledger thread that there is usage to move into the ledger. */
  wake(): void
  /** Has the ledger thread lease more, in a fleet. As `Meter.lease`. */
  lease(wanted: Wanted, msMax: number): Promise<boolean>
}

/**
 * Charges against the balances that all threads share, and counts in the rows of the mapped meter that are this thread's; the
 * ledger thread moves the counts to the ledger. Whatever changes an account happens under its lock. The accounts and keys
 * that come in are always those that `authenticate` returned, hence the casts.
 */
export class Charging implements Meter {
  protected readonly live: LiveState
  protected readonly timeline: Timeline
  latest: Charge | null = null
  wanted: Wanted | null = null
  readonly lease: (wanted: Wanted, msMax: number) => Promise<boolean>
  /** Number of the thread that charges here; that of the ledger is 0. */
  readonly thread: number
  readonly #rows: MeterRows
  readonly #threadRows: ThreadRows
  readonly #cache: KeyCache
  readonly #inFleet: boolean
  readonly #deadline: LeaseDeadline
  /** Free answers that an account may get in a minute. */
  readonly #freeAnswersMax: number
  /** What `latest` points to: one object, filled again by each charge. */
  #charge: Charge | null = null

  constructor({ live, rows, timeline, thread, freeAnswersMax, wake, lease }: ChargingParts) {
    this.live = live
    this.lease = lease
    this.#inFleet = live.header[IN_FLEET] === 1
    this.#deadline = new LeaseDeadline(live.header, timeline)
    this.timeline = timeline
    this.#rows = rows
    this.thread = thread
    this.#threadRows = new ThreadRows(rows, live, thread, wake)
    this.#freeAnswersMax = freeAnswersMax
    this.#cache = new KeyCache(
      hash => {
        const found = live.keys.find(hash)
        return found && new SharedKey(live, found.slot, found.secret)
      },
      key => this.#isValid(key),
    )
  }

  /** False also while there is no unused row that this thread could need next: milliseconds, until the ledger thread has made more. */
  get healthy(): boolean {
    const { header } = this.live
    return (
      header[HEALTH] === HEALTHY &&
      header[NEXT_ROW] < this.#rows.capacity &&
      !this.#deadline.isKnownToHavePassed()
    )
  }

  authenticate(bytes: Uint8Array, start: number, end: number, view = viewOf(bytes)): ApiKey | undefined {
    const key = this.#cache.find(bytes, view, start, end)
    key?.account.refresh()
    return key
  }

  isActive(key: ApiKey): boolean {
    return this.#cache.isActive(key as SharedKey)
  }

  admit(key: ApiKey, queries: number): number {
    const shared = key as SharedKey
    const { account } = shared
    this.wanted = null
    account.refresh()
    if (account.words[account.word + FREE_ANSWERS] >= this.#freeAnswersMax) {
      const waitMs = this.#freeWaitMs(account)
      if (waitMs > 0) return Math.ceil(waitMs / 1000)
    }
    if (account.limits === null && shared.own === null) return 0
    const waitMs = this.admitQueries(account, shared, queries)
    if (waitMs === 0) return 0
    // A refusal may come from a clock that has not seen the machine sleep.
    return this.timeline.follow() ? this.admit(key, queries) : Math.ceil(waitMs / 1000)
  }

  /**
   * Passes `queries` through the limits of an account and of one of its keys: 0 and counted for both, or the milliseconds
   * until they could pass, and counted for neither.
   * @param key null for the account alone
   */
  protected admitQueries(account: SharedAccount, key: SharedKey | null, queries: number): number {
    const { words, word, cells, cell, limits } = account
    const own = key === null ? null : key.own
    const rows = this.#rows.cells
    lock(this.live.header, words, word, this.thread)
    const nowMs = countingMs(this.timeline.nowMs(), cells[cell + LIMITED_MS])
    cells[cell + LIMITED_MS] = nowMs
    const row = words[word + WINDOWS_ROW]
    const keyRow = key === null ? 0 : key.windowsRow
    let waitMs = 0
    if (this.#inFleet) waitMs = this.#admitLeased(account, row, key, keyRow, queries, nowMs)
    else {
      if (own !== null) waitMs = waitMsOf(rows, keyRow * ROW_CELLS, own, own.limits, queries, nowMs)
      if (limits !== null)
        waitMs = Math.max(waitMs, waitMsOf(rows, row * ROW_CELLS, account, limits, queries, nowMs))
      if (waitMs === 0 && limits !== null) countQueries(rows, row * ROW_CELLS, account, queries)
      if (waitMs === 0 && own !== null) countQueries(rows, keyRow * ROW_CELLS, own, queries)
    }
    unlock(words, word)
    if (own !== null) key?.effective?.compare(account, own)
    if (waitMs < 0) return 1
    this.#rows.setClock(this.thread, nowMs)
    return waitMs
  }

  /** As `admitQueries`, of what this node has leased; -1: the database has to be asked for what `wanted` then says. */
  #admitLeased(
    account: SharedAccount,
    row: number,
    key: SharedKey | null,
    keyRow: number,
    queries: number,
    nowMs: number,
  ): number {
    const own = key?.own ?? null
    const ownWaitMs = own === null ? 0 : admitLeased(this.#rows, keyRow, own, queries, nowMs)
    if (ownWaitMs !== 0) {
      if (ownWaitMs < 0) this.wanted = { account: key?.slot ?? -1, key: -1, queries }
      return ownWaitMs
    }
    if (account.limits === null) return 0
    const waitMs = admitLeased(this.#rows, row, account, queries, nowMs)
    if (waitMs !== 0 && own !== null) unadmit(this.#rows, keyRow, own, queries)
    if (waitMs < 0) this.wanted = { account: account.slot, key: -1, queries }
    return waitMs
  }

  /** Only a fleet has requests that are tried again. */
  readmit(key: ApiKey, queries: number): void {
    const { account, own, windowsRow } = key as SharedKey
    const { limits, words, word } = account
    if (limits === null && own === null) return
    lock(this.live.header, words, word, this.thread)
    if (limits !== null) unadmit(this.#rows, words[word + WINDOWS_ROW], account, queries)
    if (own !== null) unadmit(this.#rows, windowsRow, own, queries)
    unlock(words, word)
  }

  canPay(key: ApiKey, queries: number): boolean {
    const shared = key as SharedKey
    const { account } = shared
    const micros = queries * QUERY_PRICE_MICROS
    lock(this.live.header, account.words, account.word, this.thread)
    const availableMicros = account.cells[account.cell + AVAILABLE]
    account.availableMicros = availableMicros + account.cells[account.cell + ELSEWHERE]
    const isPaid = availableMicros >= micros && capAllows(shared, micros, this.timeline, this.#inFleet)
    unlock(account.words, account.word)
    if (!isPaid) this.#want(shared, queries)
    return isPaid
  }

  charge(key: ApiKey, usage: UsageClass, queries: number): boolean {
    const shared = key as SharedKey
    const { account } = shared
    const { words, word, cells, cell } = account
    const micros = queries * QUERY_PRICE_MICROS
    this.wanted = null
    if (this.live.header[HEALTH] !== HEALTHY || this.#deadline.hasPassed()) return false
    if (!this.#threadRows.prepare(shared, usage, queries)) return false
    lock(this.live.header, words, word, this.thread)
    const availableMicros = cells[cell + AVAILABLE]
    if (availableMicros < micros || !capAllows(shared, micros, this.timeline, this.#inFleet)) {
      unlock(words, word)
      account.availableMicros = availableMicros + cells[cell + ELSEWHERE]
      this.#want(shared, queries)
      return false
    }
    cells[cell + AVAILABLE] = availableMicros - micros
    shared.cells[shared.cell + CAP_LEFT] -= micros
    this.#threadRows.count(shared, usage, queries)
    unlock(words, word)
    account.availableMicros = availableMicros - micros + cells[cell + ELSEWHERE]
    this.#remember(key, usage, queries)
    return true
  }

  takeBack({ key, usage, queries }: Charge): boolean {
    const shared = key as SharedKey
    const { account } = shared
    const { words, word, cells, cell } = account
    if (this.live.header[HEALTH] !== HEALTHY) return false
    lock(this.live.header, words, word, this.thread)
    const isUndone = this.#threadRows.takeBack(shared, usage, queries)
    if (isUndone) {
      const micros = queries * QUERY_PRICE_MICROS
      cells[cell + AVAILABLE] += micros
      shared.cells[shared.cell + CAP_LEFT] += micros
    }
    account.availableMicros = cells[cell + AVAILABLE] + cells[cell + ELSEWHERE]
    unlock(words, word)
    return isUndone
  }

  hold(): void {
    this.#threadRows.hold()
  }

  release(): void {
    this.#threadRows.release()
  }

  countFree(account: Account): void {
    const shared = account as SharedAccount
    const { words, word } = shared
    lock(this.live.header, words, word, this.thread)
    countFree(shared, this.timeline.nowMs())
    unlock(words, word)
  }

  /** Whether a key with rules is answered now. */
  #isValid(key: SharedKey): boolean {
    const { live, thread, timeline } = this
    if (key.isValid(live, thread, timeline.nowMs() + live.header[CLOCK_AHEAD_MS])) return true
    // A refusal may come from a clock that was ahead and has been set right.
    return timeline.follow() && key.isValid(live, thread, timeline.nowMs() + live.header[CLOCK_AHEAD_MS])
  }

  #freeWaitMs(account: SharedAccount): number {
    const { words, word } = account
    lock(this.live.header, words, word, this.thread)
    const waitMs = freeWaitMs(account, this.timeline.nowMs())
    unlock(words, word)
    return waitMs
  }

  /** Decides whether a refusal is final: it is, unless the other nodes or the database hold enough for it. */
  #want({ slot, cells, cell, account }: SharedKey, queries: number): void {
    this.wanted = null
    if (!this.#inFleet) return
    const micros = queries * QUERY_PRICE_MICROS
    if (account.availableMicros < micros || cells[cell + CAP_LEFT] + cells[cell + CAP] < micros) return
    this.wanted = { account: account.slot, key: slot, queries }
  }

  #remember(key: ApiKey, usage: UsageClass, queries: number): void {
    this.#charge ??= { key, usage, queries }
    this.#charge.key = key
    this.#charge.usage = usage
    this.#charge.queries = queries
    this.latest = this.#charge
  }
}

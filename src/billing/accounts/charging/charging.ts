/** Hot path of every request: from the bytes of a key to a charge. Most steps take nanoseconds. */
import { addToCount, COUNTS, type MeterRows, ROW_CELLS } from '../../ledger/meter/meter-layout.ts'
import type { Timeline } from '../../ledger/timeline.ts'
import { QUERY_PRICE_MICROS } from '../../money.ts'
import { KEY_REFUSAL_NAMES, type KeyRefusal } from '../key-refusals.ts'
import {
  availableAt,
  ENOUGH,
  ENOUGH_ELSEWHERE,
  LEFT,
  putBackWindows,
  renewFunds,
  renewWindows,
  takeWindows,
  waitOf,
} from '../live/counter.ts'
import { HEALTHY, LIVE_HEADER, SOURCE_ANSWERS, SOURCE_LOST } from '../live/live-layout.ts'
import type { Line, LiveState } from '../live/live-state.ts'
import { lock, unlock } from '../live/lock.ts'
import { KeyCache, SharedAccount, type SharedKey } from './shared-key.ts'
import { copyUsed, type ShownLimits, showStricter } from './shown-limits.ts'

/** Request whose counters have too little here, while elsewhere there may be enough. */
export interface Shortfall {
  keySlot: number
  queries: number
  /** True if it passed the rate limits, and needs balance and cap too. */
  pays: boolean
}

/** Reason why nothing was charged. `cap`: the key's cap. A shortfall: a lease may allow it. */
export type Unpaid = 'unavailable' | 'cap' | 'balance' | Shortfall

/** Resolves within `msMax`, with true if a retry will be charged or finally refused. Never rejects. */
export type WaitForLease = (shortfall: Shortfall, msMax: number) => Promise<boolean>

/** Calls of charging threads to the ledger thread. */
export type LedgerCalls = { wake(): void; waitForLease: WaitForLease }

type ChargingParts = LedgerCalls & { live: LiveState; rows: MeterRows; timeline: Timeline; thread: number }

/** Takes from the counters of accounts and keys. A `SharedStateError`, the only error, ends the process. */
export class Charging {
  readonly waitForLease: WaitForLease
  readonly thread: number
  readonly #live: LiveState
  readonly #rows: MeterRows
  readonly #timeline: Timeline
  readonly #wake: () => void
  readonly #cache: KeyCache

  constructor({ live, rows, timeline, thread, wake, waitForLease }: ChargingParts) {
    this.#live = live
    this.#rows = rows
    this.#timeline = timeline
    this.thread = thread
    this.#wake = wake
    this.waitForLease = waitForLease
    this.#cache = new KeyCache(live, thread)
  }

  /** False while a sync hangs, and for ever after a write or sync of the ledger failed. */
  get healthy(): boolean {
    return this.#live.words[LIVE_HEADER.health] === HEALTHY && !this.#isOverdue()
  }

  /** Returns true after the deadline for charges. Reads the wall clock, which goes on during a suspend. */
  #isOverdue(): boolean {
    const untilS = this.#live.words[LIVE_HEADER.chargeUntilS] >>> 0
    return untilS !== 0 && this.#timeline.wallMs() >= untilS * 1000
  }

  /** False if the source of refills has been silent for some seconds. What is here is still charged. */
  get canLease(): boolean {
    return this.#live.words[LIVE_HEADER.source] !== SOURCE_LOST
  }

  /** Returns the key with the secret `bytes[start, end)`, or why it is refused. A revocation acts at once. */
  findKey(bytes: Uint8Array, start: number, end: number): SharedKey | KeyRefusal {
    const key = this.#cache.find(bytes, start, end)
    if (key === undefined) return 'unknown'
    const { state } = key
    if (state > 0) return KEY_REFUSAL_NAMES[state - 1]
    const refusal = state < 0 ? this.#refusalByRules(key) : null
    if (refusal !== null) return refusal
    key.account.refresh()
    return key
  }

  /** Takes `queries` from the rate limits, and returns null. Else returns the seconds to wait or a shortfall. */
  takeFromLimits(key: SharedKey, queries: number): number | Shortfall | null {
    const { account } = key
    account.refresh()
    if (account.limits === null && key.ownLimits === null) return null
    const waitMs = this.#takeFromWindows(account, key, queries)
    if (waitMs === ENOUGH) return null
    // The clock lags after a suspend. Tries again if it was corrected.
    if (this.#timeline.correct()) return this.takeFromLimits(key, queries)
    if (waitMs !== ENOUGH_ELSEWHERE) return Math.ceil(waitMs / 1000)
    return { keySlot: key.slot, queries, pays: false }
  }

  currentQueries(slot: number): ShownLimits {
    const account = new SharedAccount(this.#live, slot)
    if (account.limits === null) return account
    this.#lock(account)
    renewWindows(account, this.#rows, this.#timeline.nowMs())
    copyUsed(account, account.cells, account.windows)
    unlock(account.words, account.word)
    return account
  }

  /** Takes `queries` from all windows, if all have enough. Returns the stricter result of `waitOf`. */
  #takeFromWindows(account: SharedAccount, key: SharedKey, queries: number): number {
    const { limits } = account
    const { ownLimits } = key
    this.#lock(account)
    const nowMs = this.#timeline.nowMs()
    this.#rows.noteTime(nowMs)
    const ofAccount = limits === null ? ENOUGH : waitOf(account, this.#rows, queries, nowMs)
    const ofKey = ownLimits === null ? ENOUGH : waitOf(key, this.#rows, queries, nowMs)
    const waitMs = Math.max(ofAccount, ofKey)
    const taken = waitMs === ENOUGH ? queries : 0
    if (limits !== null) this.#takeAndShow(account, account, taken)
    if (ownLimits !== null) this.#takeAndShow(key, ownLimits, taken)
    unlock(account.words, account.word)
    if (ownLimits !== null) showStricter(key.limited, account, ownLimits)
    return waitMs
  }

  #takeAndShow(line: Line, state: ShownLimits, queries: number): void {
    if (queries > 0) takeWindows(line, this.#rows, queries)
    copyUsed(state, line.cells, line.windows)
  }

  /** Undoes `takeFromLimits` before a request is retried. */
  putBackIntoLimits(key: SharedKey, queries: number): void {
    const { account, ownLimits } = key
    if (account.limits === null && ownLimits === null) return
    this.#lock(account)
    if (account.limits !== null) putBackWindows(account, queries)
    if (ownLimits !== null) putBackWindows(key, queries)
    unlock(account.words, account.word)
  }

  /** Returns null if the balance and the key's cap can pay for `queries`. Charges nothing. */
  checkFunds(key: SharedKey, queries: number): Unpaid | null {
    const { account } = key
    this.#lock(account)
    const isPaid = this.#hasFunds(key, queries * QUERY_PRICE_MICROS)
    account.availableMicros = availableAt(account.cells, account.funds)
    unlock(account.words, account.word)
    return isPaid ? null : (this.#whyUnpaid(key, queries) ?? this.checkFunds(key, queries))
  }

  /** Charges all `queries`, and returns null. Otherwise charges nothing. */
  charge(key: SharedKey, usageClass: number, queries: number): Unpaid | null {
    const { account } = key
    const { words, word, cells, funds } = account
    const rows = this.#rows.cells
    const micros = queries * QUERY_PRICE_MICROS
    if (this.#live.words[LIVE_HEADER.health] !== HEALTHY || this.#isOverdue()) return 'unavailable'
    this.#lock(account)
    if (!this.#hasFunds(key, micros)) {
      account.availableMicros = availableAt(cells, funds)
      unlock(words, word)
      return this.#whyUnpaid(key, queries) ?? this.charge(key, usageClass, queries)
    }
    cells[funds + LEFT] -= micros
    key.cells[key.funds + LEFT] -= micros
    // From this store on, the charge survives the process. A start computes the balance from the counts.
    const count = key.slot * ROW_CELLS + COUNTS + usageClass
    rows[count] = addToCount(rows[count], queries)
    const isFirst = this.#live.markChanged(key.slot)
    // Read under the lock. Later, another thread may have charged, and two answers would show one balance.
    account.availableMicros = availableAt(cells, funds)
    unlock(words, word)
    if (isFirst && Atomics.exchange(this.#live.words, LIVE_HEADER.awake, 1) === 0) this.#wake()
    return null
  }

  #lock({ words, word }: SharedAccount): void {
    lock(words, word, this.thread)
  }

  /** True if this process may take `micros` from balance and cap. Keys without a cap need no clock. */
  #hasFunds({ cells, funds, account }: SharedKey, micros: number): boolean {
    if (account.cells[account.funds + LEFT] < micros) return false
    if (cells[funds + LEFT] === Number.POSITIVE_INFINITY) return true
    renewFunds(cells, funds, this.#timeline.nowMs())
    return cells[funds + LEFT] >= micros
  }

  #refusalByRules(key: SharedKey): KeyRefusal | null {
    const live = this.#live
    const refusalNow = () =>
      key.refusal(live, this.thread, this.#timeline.nowMs() + live.words[LIVE_HEADER.clockAheadMs])
    const refusal = refusalNow()
    // The clock may have been ahead. Tries again if it was corrected.
    return refusal !== null && this.#timeline.correct() ? refusalNow() : refusal
  }

  /** Returns why balance or cap cannot pay; null if the clock was corrected, which may begin a month. */
  #whyUnpaid({ slot, cells, funds, account }: SharedKey, queries: number): Unpaid | null {
    const micros = queries * QUERY_PRICE_MICROS
    const isCap = account.availableMicros >= micros
    if (isCap && this.#timeline.correct()) return null
    const isFinal = !isCap || availableAt(cells, funds) < micros
    // While the source of refills is away, credit may have arrived there.
    if (isFinal && this.#live.words[LIVE_HEADER.source] === SOURCE_ANSWERS) return isCap ? 'cap' : 'balance'
    return { keySlot: slot, queries, pays: true }
  }
}

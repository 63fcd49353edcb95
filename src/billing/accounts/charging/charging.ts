/** Hot path of every request: from the bytes of a key to a charge. Most steps take nanoseconds. */
import { addToCount, COUNTS, type MeterRows, ROW_CELLS } from '../../ledger/meter/meter-layout.ts'
import type { Timeline } from '../../ledger/timeline.ts'
import { QUERY_PRICE_MICROS } from '../../money.ts'
import {
  AVAILABLE,
  AWAKE,
  CAP,
  CAP_LEFT,
  CHARGE_UNTIL_S,
  CLOCK_AHEAD_MS,
  DATABASE_AWAY,
  ELSEWHERE,
  HEALTH,
  HEALTHY,
  IN_FLEET,
  LIMITED_MS,
} from '../live/live-layout.ts'
import type { LiveState } from '../live/live-state.ts'
import { lock, unlock } from '../live/lock.ts'
import { KeyCache } from './key-cache.ts'
import { capAllows } from './key-cap.ts'
import { returnLeased, takeLeased } from './leased-window.ts'
import { countingMs, countQueries, type Limited, renewWindows } from './rate-window.ts'
import { SharedAccount, type SharedKey } from './shared-key.ts'

/** Lease that a node of a fleet needs to decide a request. */
export interface WantedLease {
  /** Slot of the account, or of the key for the key's own rate limit. */
  slot: number
  /** Slot of the key with its cap; -1 for a rate limit alone. */
  capKey: number
  queries: number
}

/** Resolves within `msMax`: with true if a retry may succeed, else with false. Never rejects. */
export type RequestLease = (wanted: WantedLease, msMax: number) => Promise<boolean>

/** Wait in ms while a lease is requested. Any number above 0, because no client sees it. */
const LEASE_MS = 1

interface ChargingParts {
  live: LiveState
  rows: MeterRows
  timeline: Timeline
  thread: number
  wake(): void
  lease: RequestLease
  close(): void
}

/** Charges shared balances in the mapped meter, under the account's lock. Methods throw only `SharedStateError`, which ends the process. */
export class Charging {
  /** Lease that may allow the last refused request. Null if none can, or without a fleet. */
  wanted: WantedLease | null = null
  /** Reason of the last refusal of `canPay` or `charge`. `unavailable`: nothing can be charged now. `cap`: the key's cap. */
  refusal: 'unavailable' | 'cap' | 'balance' = 'balance'
  readonly lease: RequestLease
  readonly close: () => void
  readonly thread: number
  readonly #live: LiveState
  /** Without `#`, so that a test can watch its stores. */
  private readonly rows: MeterRows
  readonly #timeline: Timeline
  readonly #wake: () => void
  readonly #cache: KeyCache
  readonly #isInFleet: boolean
  #wasLeaseExpired = false

  constructor({ live, rows, timeline, thread, wake, lease, close }: ChargingParts) {
    this.#live = live
    this.rows = rows
    this.#timeline = timeline
    this.thread = thread
    this.#wake = wake
    this.lease = lease
    this.close = close
    this.#isInFleet = live.header[IN_FLEET] === 1
    this.#cache = new KeyCache(live, key => this.#isValid(key))
  }

  /** False while a sync hangs, and for ever after a write or sync of the ledger failed. */
  get healthy(): boolean {
    // The clock is read only if `charge` has found the lease expired.
    return this.#live.header[HEALTH] === HEALTHY && !(this.#wasLeaseExpired && this.#isLeaseExpired())
  }

  /** Returns true if this node's lease has expired. Reads the wall clock each time: after a suspend, the first charge must notice. */
  #isLeaseExpired(): boolean {
    if (!this.#isInFleet) return false
    this.#wasLeaseExpired = this.#timeline.wallMs() >= (this.#live.header[CHARGE_UNTIL_S] >>> 0) * 1000
    return this.#wasLeaseExpired
  }

  /** False in a fleet whose database has been silent for some seconds. Leased credit is still charged. */
  get canLease(): boolean {
    return this.#live.header[DATABASE_AWAY] < 2
  }

  /** Returns the active key with the secret `bytes[start, end)`. A key stops working with the revoking command. */
  authenticate(bytes: Uint8Array, start: number, end: number): SharedKey | undefined {
    const key = this.#cache.find(bytes, start, end)
    key?.account.refresh()
    return key
  }

  /** Counts `queries` for the key and its account. Returns 0, or the seconds to wait, having counted nothing. */
  admit(key: SharedKey, queries: number): number {
    const { account } = key
    this.wanted = null
    account.refresh()
    if (account.limits === null && key.own === null) return 0
    const waitMs = this.#admit(account, key, queries)
    if (waitMs === 0) return 0
    // The clock lags after a suspend. Tries again if it was corrected.
    return this.#timeline.follow() ? this.admit(key, queries) : Math.ceil(waitMs / 1000)
  }

  currentQueries(slot: number): Limited {
    const account = new SharedAccount(this.#live, slot)
    // Counting zero queries ends past windows.
    if (account.limits !== null) this.#admit(account, null, 0)
    return account
  }

  /** Counts `queries` for an account and its key and returns 0. Otherwise counts nothing and returns the wait in ms. */
  #admit(account: SharedAccount, key: SharedKey | null, queries: number): number {
    const { words, word, cells, cell, limits } = account
    const own = key === null ? null : key.own
    const rows = this.rows.cells
    lock(this.#live.header, words, word, this.thread)
    const nowMs = countingMs(this.#timeline.nowMs(), cells[cell + LIMITED_MS])
    cells[cell + LIMITED_MS] = nowMs
    const row = account.slot * ROW_CELLS
    const keyRow = (key?.slot ?? 0) * ROW_CELLS
    let waitMs = 0
    if (this.#isInFleet) waitMs = this.#admitLeased(account, key, queries, nowMs)
    else {
      if (own !== null) waitMs = renewWindows(rows, keyRow, own, own.limits, queries, nowMs)
      if (limits !== null) waitMs = Math.max(waitMs, renewWindows(rows, row, account, limits, queries, nowMs))
      if (waitMs === 0 && limits !== null) countQueries(rows, row, account, queries)
      if (waitMs === 0 && own !== null) countQueries(rows, keyRow, own, queries)
    }
    unlock(words, word)
    if (own !== null) key?.stricter?.compare(account, own)
    this.rows.noteTime(nowMs)
    return waitMs
  }

  /** Counts like `#admit` from this node's leased admissions. If more must be leased first, sets `wanted`. */
  #admitLeased(account: SharedAccount, key: SharedKey | null, queries: number, nowMs: number): number {
    const own = key?.own ?? null
    const keySlot = key?.slot ?? -1
    const rows = this.rows.cells
    const keyRow = keySlot * ROW_CELLS
    const ownWaitMs = own === null ? 0 : takeLeased(rows, keyRow, own, queries, nowMs)
    if (ownWaitMs < 0) return this.#waitForLease(keySlot, queries)
    if (ownWaitMs > 0) return ownWaitMs
    if (account.limits === null) return 0
    const waitMs = takeLeased(rows, account.slot * ROW_CELLS, account, queries, nowMs)
    if (waitMs !== 0 && own !== null) returnLeased(rows, keyRow, own, queries)
    return waitMs < 0 ? this.#waitForLease(account.slot, queries) : waitMs
  }

  #waitForLease(slot: number, queries: number): number {
    this.wanted = { slot, capKey: -1, queries }
    return LEASE_MS
  }

  /** Undoes `admit` before a request is retried. Only in a fleet. */
  unadmit({ slot, account, own }: SharedKey, queries: number): void {
    const { limits, words, word } = account
    if (limits === null && own === null) return
    lock(this.#live.header, words, word, this.thread)
    if (limits !== null) returnLeased(this.rows.cells, account.slot * ROW_CELLS, account, queries)
    if (own !== null) returnLeased(this.rows.cells, slot * ROW_CELLS, own, queries)
    unlock(words, word)
  }

  /** Returns true if the balance and the key's cap can pay for `queries`. Charges nothing. */
  canPay(key: SharedKey, queries: number): boolean {
    const { account } = key
    const micros = queries * QUERY_PRICE_MICROS
    lock(this.#live.header, account.words, account.word, this.thread)
    const availableMicros = account.cells[account.cell + AVAILABLE]
    account.availableMicros = availableMicros + account.cells[account.cell + ELSEWHERE]
    const isPaid = availableMicros >= micros && capAllows(key, micros, this.#timeline, this.#isInFleet)
    unlock(account.words, account.word)
    if (isPaid) return true
    this.#refuse(key, queries)
    return this.#mayBeNextMonth() && this.canPay(key, queries)
  }

  /** Charges all `queries`, or returns false and charges nothing. */
  charge(key: SharedKey, usage: number, queries: number): boolean {
    const { account } = key
    const { words, word, cells, cell } = account
    const rows = this.rows.cells
    const micros = queries * QUERY_PRICE_MICROS
    this.wanted = null
    this.refusal = 'unavailable'
    if (this.#live.header[HEALTH] !== HEALTHY || this.#isLeaseExpired()) return false
    lock(this.#live.header, words, word, this.thread)
    const availableMicros = cells[cell + AVAILABLE]
    if (availableMicros < micros || !capAllows(key, micros, this.#timeline, this.#isInFleet)) {
      unlock(words, word)
      account.availableMicros = availableMicros + cells[cell + ELSEWHERE]
      this.#refuse(key, queries)
      return this.#mayBeNextMonth() && this.charge(key, usage, queries)
    }
    cells[cell + AVAILABLE] = availableMicros - micros
    key.cells[key.cell + CAP_LEFT] -= micros
    // From this store on, the charge survives the process. A start computes the balance from the counts.
    const count = key.slot * ROW_CELLS + COUNTS + usage
    rows[count] = addToCount(rows[count], queries)
    const isFirst = this.#live.markChanged(key.slot)
    unlock(words, word)
    account.availableMicros = availableMicros - micros + cells[cell + ELSEWHERE]
    if (isFirst && Atomics.exchange(this.#live.header, AWAKE, 1) === 0) this.#wake()
    return true
  }

  #isValid(key: SharedKey): boolean {
    const live = this.#live
    const isValidNow = (): boolean =>
      key.isValid(live, this.thread, this.#timeline.nowMs() + live.header[CLOCK_AHEAD_MS])
    // The clock may have been ahead. Tries again if it was corrected.
    return isValidNow() || (this.#timeline.follow() && isValidNow())
  }

  /** True if a cap has refused, and the clock has been corrected since. */
  #mayBeNextMonth(): boolean {
    return this.refusal === 'cap' && this.#timeline.follow()
  }

  /** Sets `refusal` and, in a fleet, `wanted`. */
  #refuse({ slot, cells, cell, account }: SharedKey, queries: number): void {
    const micros = queries * QUERY_PRICE_MICROS
    this.wanted = null
    this.refusal = account.availableMicros >= micros ? 'cap' : 'balance'
    if (!this.#isInFleet) return
    const isShort = account.availableMicros < micros || cells[cell + CAP_LEFT] + cells[cell + CAP] < micros
    // The database has reported that there is no more.
    if (isShort && this.#live.header[DATABASE_AWAY] === 0) return
    this.wanted = { slot: account.slot, capKey: slot, queries }
  }
}

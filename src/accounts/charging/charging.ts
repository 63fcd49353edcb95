/** The hot path: from the bytes of a key to a charge. Every request comes through here; most steps take nanoseconds. */
import { COUNT_STEP, COUNTS, type MeterRows, ROW_CELLS } from '../../ledger/meter/meter-layout.ts'
import type { Timeline } from '../../ledger/timeline.ts'
import { QUERY_PRICE_MICROS } from '../../limits.ts'
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
import type { ApiKey, Limited, Meter, Wanted } from '../types.ts'
import { KeyCache } from './key-cache.ts'
import { capAllows } from './key-cap.ts'
import { admitLeased, unadmit } from './leased-window.ts'
import { countingMs, countQueries, waitMsOf } from './rate-window.ts'
import { SharedAccount, SharedKey } from './shared-key.ts'

interface ChargingParts {
  live: LiveState
  rows: MeterRows
  timeline: Timeline
  thread: number
  /** Tells the ledger thread that there is usage to move into the ledger. */
  wake(): void
  /** Has the ledger thread lease more, in a fleet. As `Meter.lease`. */
  lease: Meter['lease']
  close(): void
}

/** Charges the balances that all threads share, and counts in the mapped meter. An account changes only under its lock. */
export class Charging implements Meter {
  wanted: Wanted | null = null
  refusal: Meter['refusal'] = 'balance'
  readonly lease: Meter['lease']
  readonly close: () => void
  readonly thread: number
  readonly #live: LiveState
  private readonly rows: MeterRows
  readonly #timeline: Timeline
  readonly #wake: () => void
  readonly #cache: KeyCache
  readonly #inFleet: boolean
  #isPastDeadline = false

  constructor({ live, rows, timeline, thread, wake, lease, close }: ChargingParts) {
    this.#live = live
    this.rows = rows
    this.#timeline = timeline
    this.thread = thread
    this.#wake = wake
    this.lease = lease
    this.close = close
    this.#inFleet = live.header[IN_FLEET] === 1
    this.#cache = new KeyCache(
      hash => {
        const found = live.keys.find(hash)
        return found && new SharedKey(live, found.slot, found.secret)
      },
      key => this.#isValid(key),
    )
  }

  get healthy(): boolean {
    // Asks the clock only after `charge` has found the lease expired.
    return this.#live.header[HEALTH] === HEALTHY && !(this.#isPastDeadline && this.#hasPassed())
  }

  /** True if this node's lease has expired. Asks the wall clock each time: after a suspend, the first charge must notice. */
  #hasPassed(): boolean {
    if (!this.#inFleet) return false
    this.#isPastDeadline = this.#timeline.wallMs() >= this.#live.header[CHARGE_UNTIL_S] * 1000
    return this.#isPastDeadline
  }

  get canLease(): boolean {
    return this.#live.header[DATABASE_AWAY] < 2
  }

  authenticate(bytes: Uint8Array, start: number, end: number): ApiKey | undefined {
    const key = this.#cache.find(bytes, start, end)
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
    if (account.limits === null && shared.own === null) return 0
    const waitMs = this.#admit(account, shared, queries)
    if (waitMs === 0) return 0
    // After a suspend the clock may lag. Corrects it; if it moved, tries again.
    return this.#timeline.follow() ? this.admit(key, queries) : Math.ceil(waitMs / 1000)
  }

  /** Queries counted in the present windows of an account; zeros while it has no limits. */
  presentUse(slot: number): Limited {
    const account = new SharedAccount(this.#live, slot)
    // Zero queries count nothing, but this ends windows whose time is over.
    if (account.limits !== null) this.#admit(account, null, 0)
    return account
  }

  /** Counts `queries` for an account and one of its keys and returns 0; or counts nothing and returns the wait in ms. */
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
    if (this.#inFleet) waitMs = this.#admitLeased(account, key, queries, nowMs)
    else {
      if (own !== null) waitMs = waitMsOf(rows, keyRow, own, own.limits, queries, nowMs)
      if (limits !== null) waitMs = Math.max(waitMs, waitMsOf(rows, row, account, limits, queries, nowMs))
      if (waitMs === 0 && limits !== null) countQueries(rows, row, account, queries)
      if (waitMs === 0 && own !== null) countQueries(rows, keyRow, own, queries)
    }
    unlock(words, word)
    if (own !== null) key?.stricter?.compare(account, own)
    if (waitMs < 0) return 1
    this.rows.noteTime(nowMs)
    return waitMs
  }

  /** Like `#admit`, but uses the queries leased to this node. Returns -1 if more must be leased; `wanted` says which. */
  #admitLeased(account: SharedAccount, key: SharedKey | null, queries: number, nowMs: number): number {
    const own = key?.own ?? null
    const keySlot = key?.slot ?? -1
    const ownWaitMs = own === null ? 0 : admitLeased(this.rows, keySlot, own, queries, nowMs)
    if (ownWaitMs !== 0) {
      if (ownWaitMs < 0) this.wanted = { account: keySlot, key: -1, queries }
      return ownWaitMs
    }
    if (account.limits === null) return 0
    const waitMs = admitLeased(this.rows, account.slot, account, queries, nowMs)
    if (waitMs !== 0 && own !== null) unadmit(this.rows, keySlot, own, queries)
    if (waitMs < 0) this.wanted = { account: account.slot, key: -1, queries }
    return waitMs
  }

  /** Takes back what `admit` counted, before a request is retried. Fleet only. */
  unadmit(key: ApiKey, queries: number): void {
    const { slot, account, own } = key as SharedKey
    const { limits, words, word } = account
    if (limits === null && own === null) return
    lock(this.#live.header, words, word, this.thread)
    if (limits !== null) unadmit(this.rows, account.slot, account, queries)
    if (own !== null) unadmit(this.rows, slot, own, queries)
    unlock(words, word)
  }

  canPay(key: ApiKey, queries: number): boolean {
    const shared = key as SharedKey
    const { account } = shared
    const micros = queries * QUERY_PRICE_MICROS
    lock(this.#live.header, account.words, account.word, this.thread)
    const availableMicros = account.cells[account.cell + AVAILABLE]
    account.availableMicros = availableMicros + account.cells[account.cell + ELSEWHERE]
    const isPaid = availableMicros >= micros && capAllows(shared, micros, this.#timeline, this.#inFleet)
    unlock(account.words, account.word)
    if (!isPaid) this.#refuse(shared, queries)
    return isPaid
  }

  charge(key: ApiKey, usage: number, queries: number): boolean {
    const shared = key as SharedKey
    const { account } = shared
    const { words, word, cells, cell } = account
    const rows = this.rows.cells
    const micros = queries * QUERY_PRICE_MICROS
    this.wanted = null
    this.refusal = 'unavailable'
    if (this.#live.header[HEALTH] !== HEALTHY || this.#hasPassed()) return false
    lock(this.#live.header, words, word, this.thread)
    const availableMicros = cells[cell + AVAILABLE]
    if (availableMicros < micros || !capAllows(shared, micros, this.#timeline, this.#inFleet)) {
      unlock(words, word)
      account.availableMicros = availableMicros + cells[cell + ELSEWHERE]
      this.#refuse(shared, queries)
      return false
    }
    cells[cell + AVAILABLE] = availableMicros - micros
    shared.cells[shared.cell + CAP_LEFT] -= micros
    // From this store on the charge survives the process. The balance does not: a start computes it from the counts.
    const count = shared.slot * ROW_CELLS + COUNTS + usage
    rows[count] = (rows[count] || 1) + queries * COUNT_STEP
    const isFirst = this.#live.markChanged(shared.slot)
    unlock(words, word)
    account.availableMicros = availableMicros - micros + cells[cell + ELSEWHERE]
    if (isFirst && Atomics.exchange(this.#live.header, AWAKE, 1) === 0) this.#wake()
    return true
  }

  #isValid(key: SharedKey): boolean {
    const live = this.#live
    const isNow = (): boolean =>
      key.isValid(live, this.thread, this.#timeline.nowMs() + live.header[CLOCK_AHEAD_MS])
    // The clock may have been ahead: sets it right and tries once more.
    return isNow() || (this.#timeline.follow() && isNow())
  }

  /** Notes why a charge is refused and, in a fleet, which lease could change that. */
  #refuse({ slot, cells, cell, account }: SharedKey, queries: number): void {
    const micros = queries * QUERY_PRICE_MICROS
    this.wanted = null
    this.refusal = account.availableMicros >= micros ? 'cap' : 'balance'
    if (!this.#inFleet) return
    const isShort = account.availableMicros < micros || cells[cell + CAP_LEFT] + cells[cell + CAP] < micros
    if (isShort && this.#live.header[DATABASE_AWAY] === 0) return
    this.wanted = { account: account.slot, key: slot, queries }
  }
}

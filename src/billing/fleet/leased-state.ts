/** Leases of this node, in the memory that its threads charge. All changes are under the account's lock. */

import { DAY_MS } from '../../platform/time.ts'
import { AccountError } from '../accounts/account-error.ts'
import { StaleError } from '../accounts/account-store.ts'
import type { WantedLease } from '../accounts/charging/charging.ts'
import { setCapLeft, UNKNOWN_CAP_MICROS } from '../accounts/charging/key-cap.ts'
import { clearWindow } from '../accounts/charging/leased-window.ts'
import { AVAILABLE, CAP, CAP_LEFT, CAP_UNTIL_MS, ELSEWHERE } from '../accounts/live/live-layout.ts'
import type { LiveState } from '../accounts/live/live-state.ts'
import { type Balances, withLock } from '../accounts/registry.ts'
import type { Book } from '../ledger/book/book.ts'
import { type AccountRecord, balanceMicros, type KeyRecord } from '../ledger/book/record.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { ROW_CELLS } from '../ledger/meter/meter-layout.ts'
import { QUERY_PRICE_MICROS } from '../money.ts'
import { excessMicros, type LeasedAccount, missingMicros } from './lease-policy.ts'
import { type LeasedAdmissions, leasedAdmissions } from './leased-admissions.ts'
import type { AccountShare, CapShare, Return, Want } from './messages.ts'

export class LeasedState implements Balances {
  readonly #live: LiveState
  readonly #book: Book
  readonly #journal: Ledger
  readonly admissions: LeasedAdmissions
  /** Free credit of an account after its leases were recalled for a debit, unless a silent node keeps some. */
  free: { account: number; micros: number; isLeased: boolean } | null = null
  /** Accounts whose balance in the book changed since it was shown. */
  readonly stale = new Set<AccountRecord>()
  sequence = 0
  readonly #capChangedAt = new Map<number, number>()
  #droppedCaps: Return[] = []

  constructor(live: LiveState, book: Book, journal: Ledger) {
    this.#live = live
    this.#book = book
    this.#journal = journal
    this.admissions = leasedAdmissions(live, book, journal)
  }

  open(account: AccountRecord): void {
    const { cells, cell } = this.#live.lineOf(account.slot)
    cells[cell + ELSEWHERE] = balanceMicros(account)
  }

  available(account: AccountRecord): number {
    return balanceMicros(account)
  }

  /** Does nothing: a node adds a credit when it applies the event, as all nodes do. */
  add(): void {}

  /** @throws AccountError UNAVAILABLE for more than the free credit while a node keeps the rest: it would become a balance beside a debt */
  take(account: AccountRecord, micros: number): number {
    if (this.free?.account !== account.slot) throw new StaleError()
    if (micros > this.free.micros && this.free.isLeased)
      throw new AccountError(
        'UNAVAILABLE',
        `A silent node holds credit of ${account.id}. Start the node, or write it off, and try again.`,
      )
    return Math.min(this.free.micros, micros)
  }

  /** Needs the account's lock. */
  renewCap(key: KeyRecord): void {
    const { cells, cell } = this.#live.lineOf(key.slot)
    const isCapped = key.capMicros !== null
    const micros = cells[cell + CAP_LEFT]
    if (micros > 0 && Number.isFinite(micros)) {
      const caps = [{ key: key.slot, micros }]
      this.#droppedCaps.push({ account: key.account.slot, micros: 0, admissions: 0, caps })
    }
    cells[cell + CAP] = isCapped ? UNKNOWN_CAP_MICROS : 0
    if (isCapped) setCapLeft(cells, cell, 0, this.#journal.timeline.nowMs())
    else cells[cell + CAP_LEFT] = Number.POSITIVE_INFINITY
  }

  resetAdmissions(record: AccountRecord | KeyRecord): void {
    const account = record.type === 'key' ? record.account : record
    withLock(this.#live, account, () => clearWindow(this.#journal.meter.rows.cells, record.slot * ROW_CELLS))
  }

  resetCap(key: KeyRecord, at: number): void {
    this.#capChangedAt.set(key.slot, at)
    withLock(this.#live, key.account, () => this.renewCap(key))
  }

  addElsewhere(account: AccountRecord, micros: number): void {
    this.stale.add(account)
    withLock(this.#live, account, ({ cells, cell }) => {
      cells[cell + ELSEWHERE] = Math.max(0, cells[cell + ELSEWHERE] + micros)
    })
  }

  /** Sets ELSEWHERE by the fleet's book, unless charges of the account are not in the journal yet. */
  renewElsewhere(account: AccountRecord): void {
    withLock(this.#live, account, ({ cells, cell }) => {
      if (account.keys.some(({ slot }) => this.#live.isChanged(slot))) return
      this.stale.delete(account)
      cells[cell + ELSEWHERE] = Math.max(0, balanceMicros(account) - cells[cell + AVAILABLE])
    })
  }

  /** Adds a grant, and notes the credit elsewhere. @param sentMs time of the exchange, by the monotonic clock */
  addShare(
    { account, grantedMicros, elsewhereMicros, cap, admission }: AccountShare,
    sentMs: number,
    sequence: number,
  ): void {
    if (admission !== null) this.admissions.take(account, admission, this.#askedMs(sentMs))
    const record = this.#book.slots[account]
    if (record.type === 'key') return
    withLock(this.#live, record, ({ cells, cell }) => {
      cells[cell + AVAILABLE] += grantedMicros
      cells[cell + ELSEWHERE] = elsewhereMicros
      // A grant of an earlier cap is void.
      const changedAt = cap === null ? 0 : (this.#capChangedAt.get(cap.key) ?? 0)
      if (cap !== null && changedAt <= sequence) this.#takeCap(cap, sentMs)
    })
  }

  /** Takes out everything that the node holds of an account, or the `admissions` of a key. */
  giveBack(account: number, admissions: number): Return {
    const record = this.#book.slots[account]
    if (record.type === 'key') return { account, micros: 0, admissions, caps: [] }
    return withLock(this.#live, record, ({ cells, cell }) => {
      const micros = cells[cell + AVAILABLE]
      cells[cell + AVAILABLE] = 0
      cells[cell + ELSEWHERE] += micros
      const caps = record.keys.flatMap(({ slot }) => {
        const { cells: keyCells, cell: keyCell } = this.#live.lineOf(slot)
        const left = keyCells[keyCell + CAP_LEFT]
        if (!(left > 0) || !Number.isFinite(left)) return []
        keyCells[keyCell + CAP_LEFT] = 0
        keyCells[keyCell + CAP] += left
        return [{ key: slot, micros: left }]
      })
      return { account, micros, admissions, caps }
    })
  }

  giveBackExcess(account: number, wantedMicros: number): Return[] {
    const record = this.#book.slots[account]
    if (record.type === 'key') return []
    return withLock(this.#live, record, ({ cells, cell }) => {
      const micros = excessMicros(cells[cell + AVAILABLE], wantedMicros)
      if (micros === 0) return []
      cells[cell + AVAILABLE] -= micros
      cells[cell + ELSEWHERE] += micros
      return [{ account, micros, admissions: 0, caps: [] }]
    })
  }

  takeDroppedCaps(): Return[] {
    const dropped = this.#droppedCaps
    this.#droppedCaps = []
    return dropped
  }

  /** Returns the want of an account; none if it wants nothing. A key with a cap is asked for alone, in its turn. */
  want(leased: LeasedAccount): Want[] {
    const record = this.#book.slots[leased.record.slot]
    const want: Want = {
      account: record.slot,
      key: null,
      neededMicros: 0,
      aheadMicros: 0,
      ...this.admissions.wanted(leased),
    }
    const isAdmission = want.neededAdmissions + want.aheadAdmissions > 0
    if (record.type === 'key') return isAdmission ? [want] : []
    const needed = [...this.#needed(record, leased)]
    const isCapped = (key: number): boolean => this.#book.key(key).capMicros !== null
    const { cells, cell } = this.#live.lineOf(record.slot)
    if (cells[cell + ELSEWHERE] > 0)
      want.aheadMicros = missingMicros(cells[cell + AVAILABLE], leased.aheadMicros)
    if (needed.length > 0 && isCapped(needed[0][0])) {
      ;[want.key, want.neededMicros] = needed[0]
      want.aheadMicros = leased.aheadMicros
    } else {
      for (const [key, micros] of needed) if (!isCapped(key)) want.neededMicros += micros
    }
    return isAdmission || want.neededMicros + want.aheadMicros > 0 ? [want] : []
  }

  /** True if waiting requests need the credit here and elsewhere together. The node then returns its lease and asks for the whole. */
  isShort(leased: LeasedAccount): boolean {
    const record = this.#book.slots[leased.record.slot]
    if (record.type === 'key') return false
    const { cells, cell } = this.#live.lineOf(record.slot)
    let micros = 0
    for (const [key, needed] of this.#needed(record, leased)) {
      micros += needed
      const { cells: keyCells, cell: keyCell } = this.#live.lineOf(key)
      if (keyCells[keyCell + CAP_LEFT] !== Number.POSITIVE_INFINITY && needed > keyCells[keyCell + CAP])
        return true
    }
    return micros > cells[cell + ELSEWHERE]
  }

  /** True if a waiting request can be answered now, or refused finally. */
  isDecided({ slot, capKey, queries }: WantedLease): boolean {
    if (capKey < 0) return this.admissions.isDecided(slot, queries)
    const record = this.#book.account(slot)
    const micros = queries * QUERY_PRICE_MICROS
    const { cells, cell } = this.#live.lineOf(record.slot)
    const { cells: keyCells, cell: keyCell } = this.#live.lineOf(capKey)
    const left = keyCells[keyCell + CAP_LEFT]
    if (cells[cell + AVAILABLE] >= micros && left >= micros) return true
    return (
      cells[cell + AVAILABLE] + cells[cell + ELSEWHERE] < micros || left + keyCells[keyCell + CAP] < micros
    )
  }

  /** Returns the micros that waiting requests need, by key, in order, as far as balance and caps can pay. */
  #needed(record: AccountRecord, leased: LeasedAccount): Map<number, number> {
    const { cells, cell } = this.#live.lineOf(record.slot)
    let left = cells[cell + AVAILABLE] + cells[cell + ELSEWHERE]
    const byKey = new Map<number, number>()
    for (const { wanted } of leased.waiting) {
      if (wanted.capKey < 0) continue
      const micros = wanted.queries * QUERY_PRICE_MICROS
      const soFar = byKey.get(wanted.capKey) ?? 0
      const { cells: keyCells, cell: keyCell } = this.#live.lineOf(wanted.capKey)
      if (micros > left || soFar + micros > keyCells[keyCell + CAP_LEFT] + keyCells[keyCell + CAP]) continue
      left -= micros
      byKey.set(wanted.capKey, soFar + micros)
    }
    return byKey
  }

  #takeCap({ key, grantedMicros, elsewhereMicros, validMs }: CapShare, sentMs: number): void {
    const { cells, cell } = this.#live.lineOf(key)
    if (cells[cell + CAP_LEFT] === Number.POSITIVE_INFINITY) return
    const untilMs = this.#askedMs(sentMs) + Math.floor(validMs)
    // The rest of an earlier month is void.
    const isSameMonth = Math.abs(untilMs - cells[cell + CAP_UNTIL_MS]) < DAY_MS
    cells[cell + CAP_LEFT] = (isSameMonth ? cells[cell + CAP_LEFT] : 0) + grantedMicros
    cells[cell + CAP_UNTIL_MS] = isSameMonth ? Math.min(untilMs, cells[cell + CAP_UNTIL_MS]) : untilMs
    cells[cell + CAP] = elsewhereMicros
  }

  /** Returns the time of an exchange by the node's own clock. Leases that count from it end a little early. */
  #askedMs(sentMs: number): number {
    return this.#journal.timeline.nowMs() - Math.ceil(performance.now() - sentMs)
  }
}

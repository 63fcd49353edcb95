/**
 * Counters of this node: what it leases, in the memory that its threads charge, under the account's lock.
 *
 *   the database has 100 an hour, 30 used, 20 leased here, 15 leased by another node
 *   this node has LEFT 20, ELSEWHERE 50, and takes 5: LEFT 15, USED 5
 *   its next exchange sends used 5. If it was recalled, also returned 15. Then ELSEWHERE is 65
 */

import { DAY_MS } from '../../platform/time.ts'
import {
  CELLS_PER_WINDOW,
  type CounterState,
  ELSEWHERE,
  LEFT,
  renewFunds,
  renewWindows,
  setCounter,
  UNTIL_MS,
  USED,
  windowLimits,
} from '../accounts/live/counter.ts'
import { type LiveState, withLock } from '../accounts/live/live-state.ts'
import { WINDOWS } from '../accounts/windows.ts'
import type { Book } from '../ledger/book/book.ts'
import {
  type AccountRecord,
  balanceMicros,
  type KeyRecord,
  limitsOf,
  ownerOf,
} from '../ledger/book/record.ts'
import type { MeterRows } from '../ledger/meter/meter-layout.ts'
import { QUERY_PRICE_MICROS } from '../money.ts'
import type { ActiveAccount } from './active-account.ts'
import { BALANCE, type CounterGrant, FIRST_WINDOW, KEY_CAP, type TakenOut } from './messages.ts'
import type { Counter, ReadCounter } from './wants.ts'

/** By kind of counter: ends of periods that differ by less are of one period, and the earlier one is kept. */
const SAME_PERIOD_MS = [0, DAY_MS, ...WINDOWS.map(({ ms }) => ms / 2)]

const UNCAPPED = { limit: Number.POSITIVE_INFINITY, left: Number.POSITIVE_INFINITY, elsewhere: 0 }

const WINDOW_KINDS = WINDOWS.map((_, window) => FIRST_WINDOW + window)

export type NodeCounters = ReturnType<typeof nodeCounters>

/**
 * Returns the source of refills of a node (`Refills`), and what it exchanges with the database. Changes and
 * answers come by two ways, in any order: each counter shows the newest.
 * @param newestAt sequence of the newest change, for a balance also of the newest answer, by the first cell
 */
export function nodeCounters(
  live: LiveState,
  { timeline, meter }: { timeline: { nowMs(): number }; meter: { rows: MeterRows } },
  replica: { readonly book: Book; readonly sequence: number },
  newestAt = new Map<number, number>(),
) {
  const { book } = replica
  const { cells } = live
  /** Accounts whose balance in the book changed since it was shown. */
  const stale = new Set<AccountRecord>()
  /** Leases that a changed limit has ended, for the next exchange. */
  const ended: TakenOut[] = []

  /** After a change of a cap, the next exchange returns the old lease, and requests ask until then. */
  function refillFunds(record: AccountRecord | KeyRecord): void {
    if (record.type === 'key')
      return change(record, KEY_CAP, record.capMicros === null ? UNCAPPED : { limit: record.capMicros })
    const state = { untilMs: Number.POSITIVE_INFINITY, elsewhere: balanceMicros(record) }
    setCounter(cells, cellOf(record.slot, BALANCE), state)
  }

  function refillWindows(record: AccountRecord | KeyRecord): void {
    const limits = windowLimits(limitsOf(record))
    for (const [window, kind] of WINDOW_KINDS.entries()) change(record, kind, { limit: limits[window] ?? 0 })
  }

  /** Shows a credit, or a debit, which is negative, unless an answer already did. */
  function changeBalance(account: AccountRecord, micros: number): void {
    stale.add(account)
    withLock(live, account, ({ cells, funds }) => {
      if (replica.sequence <= newest(funds)) return
      newestAt.set(funds, replica.sequence)
      cells[funds + ELSEWHERE] = Math.max(0, cells[funds + ELSEWHERE] + micros)
    })
  }

  function newest(at: number): number {
    return newestAt.get(at) ?? 0
  }

  /** Shows the balance of the fleet's book, unless charges of the account are not in the ledger yet. */
  function showBalance(account: AccountRecord): void {
    withLock(live, account, ({ cells, funds }) => {
      if (account.keys.some(({ slot }) => live.isChanged(slot))) return
      stale.delete(account)
      cells[funds + ELSEWHERE] = Math.max(0, balanceMicros(account) - cells[funds + LEFT])
    })
  }

  /** Adds a grant, and notes what is elsewhere. @param askedMs time of the exchange, by the node's own clock */
  function addGrant(grant: CounterGrant, askedMs: number, sequence: number): void {
    const { holder, kind, granted, validMs } = grant
    const at = cellOf(holder, kind)
    if (validMs === null) addCredit(grant, at, sequence)
    else if (sequence >= newest(at)) addToPeriod(grant, at, askedMs + Math.floor(validMs))
    // The limit has changed since.
    else if (granted > 0) ended.push({ holder, kind, used: 0, returned: granted })
  }

  function addCredit({ holder, granted, elsewhere }: CounterGrant, at: number, sequence: number): void {
    const isNewest = sequence >= newest(at)
    withLock(live, book.account(holder), () => {
      cells[at + LEFT] += granted
      // A change that the node has read since is in ELSEWHERE.
      cells[at + ELSEWHERE] = isNewest ? elsewhere : Math.max(0, cells[at + ELSEWHERE] - granted)
    })
    if (isNewest) newestAt.set(at, sequence)
  }

  function addToPeriod(
    { holder, kind, granted, elsewhere }: CounterGrant,
    at: number,
    untilMs: number,
  ): void {
    withLock(live, ownerOf(book.slots[holder]), () => {
      const before = cells[at + UNTIL_MS]
      const isSame = Math.abs(untilMs - before) < SAME_PERIOD_MS[kind]
      // The rest of another period is void.
      cells[at + LEFT] = isSame ? cells[at + LEFT] + granted : granted
      cells[at + UNTIL_MS] = isSame ? Math.min(untilMs, before) : untilMs
      if (!isSame && kind >= FIRST_WINDOW) cells[at + USED] = 0
      cells[at + ELSEWHERE] = elsewhere
    })
  }

  /** Takes out what was used since the last exchange. @param returns part of the leases that is returned */
  function takeOut(active: ActiveAccount, returns: 'all' | 'excess' | 'nothing'): TakenOut[] {
    const counters = countersOf(active.record.slot, active.keySlots)
    return withRenewed(active.record, counters, () =>
      counters.flatMap(({ holder, kind, unit }) => {
        const at = cellOf(holder, kind)
        const left = cells[at + LEFT]
        const excess = returns === 'nothing' ? 0 : active.excessQueries(Math.floor(left / unit))
        const returned = returns === 'all' ? left : excess * unit
        const used = kind < FIRST_WINDOW ? 0 : cells[at + USED]
        if (used + returned === 0) return []
        if (used > 0) cells[at + USED] = 0
        cells[at + LEFT] -= returned
        cells[at + ELSEWHERE] += returned
        return { holder, kind, used, returned }
      }),
    )
  }

  /** Returns the counters of an account and some of its keys that limit something. */
  function countersOf(accountSlot: number, keySlots: Iterable<number>): Counter[] {
    return [accountSlot, ...keySlots].flatMap(holder => {
      const record = book.slots[holder]
      const isOfAccount = record.type === 'account'
      const funds = isOfAccount ? [BALANCE] : record.capMicros === null ? [] : [KEY_CAP]
      const kinds = limitsOf(record) === null ? funds : [...funds, ...WINDOW_KINDS]
      return kinds.map(kind => {
        return { holder, kind, isOfAccount, unit: kind < FIRST_WINDOW ? QUERY_PRICE_MICROS : 1 }
      })
    })
  }

  /** Returns the first cell of a counter. */
  function cellOf(holder: number, kind: number): number {
    const { funds, windows } = live.lineOf(holder)
    return kind < FIRST_WINDOW ? funds : windows + (kind - FIRST_WINDOW) * CELLS_PER_WINDOW
  }

  /** Runs `act` under the account's lock, after ended periods have begun anew. */
  function withRenewed<T>(account: AccountRecord, counters: readonly Counter[], act: () => T): T {
    const nowMs = timeline.nowMs()
    return withLock(live, account, () => {
      for (const { holder, kind } of counters)
        if (kind === KEY_CAP) renewFunds(cells, cellOf(holder, kind), nowMs)
        else if (kind === FIRST_WINDOW) renewWindows(live.lineOf(holder), meter.rows, nowMs)
      return act()
    })
  }

  /** Reads counters. Server threads wait for the lock meanwhile, so nothing is decided under it. */
  function read({ record, keySlots }: { record: AccountRecord; keySlots: Iterable<number> }): ReadCounter[] {
    const counters = countersOf(record.slot, keySlots)
    return withRenewed(record, counters, () =>
      counters.map(counter => {
        const at = cellOf(counter.holder, counter.kind)
        return { ...counter, left: cells[at + LEFT], elsewhere: cells[at + ELSEWHERE] }
      }),
    )
  }

  function change(record: AccountRecord | KeyRecord, kind: number, state: CounterState): void {
    const at = cellOf(record.slot, kind)
    newestAt.set(at, replica.sequence)
    withLock(live, ownerOf(record), ({ cells }) => {
      const used = kind < FIRST_WINDOW ? 0 : cells[at + USED]
      const returned = Number.isFinite(cells[at + LEFT]) ? cells[at + LEFT] : 0
      if (used + returned > 0) ended.push({ holder: record.slot, kind, used, returned })
      setCounter(cells, at, state)
      if (kind >= FIRST_WINDOW) cells[at + USED] = 0
    })
  }

  return {
    book,
    stale,
    refillFunds,
    refillWindows,
    changeBalance,
    showBalance,
    addGrant,
    takeOut,
    takeEnded: () => ended.splice(0),
    read,
  }
}

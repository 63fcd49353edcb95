/** Leased admissions of the present minute, by slot of an account or key. All access is under the account's lock. */
import {
  confirmWindow,
  grantWindow,
  reportWindow,
  windowLeft,
  windowRefusedMs,
} from '../accounts/charging/leased-window.ts'
import type { LiveState } from '../accounts/live/live-state.ts'
import { withLock } from '../accounts/registry.ts'
import type { Book } from '../ledger/book/book.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { ROW_CELLS } from '../ledger/meter/meter-layout.ts'
import { QUERY_PRICE_MICROS } from '../money.ts'
import type { LeasedAccount } from './lease-policy.ts'
import type { Admission, Want } from './messages.ts'

type WantedAdmissions = Pick<Want, 'neededAdmissions' | 'aheadAdmissions'>

export type LeasedAdmissions = ReturnType<typeof leasedAdmissions>

export function leasedAdmissions(live: LiveState, book: Book, { meter, timeline }: Ledger) {
  const { cells } = meter.rows
  /** Queries that the present exchange asks for, by slot. They are granted or refused together. */
  const asked = new Map<number, number>()

  const isLimited = (slot: number): boolean => {
    const record = book.slots[slot]
    return (record.type === 'key' ? (record.rules?.limits ?? null) : record.limits) !== null
  }
  const inRow = <T>(slot: number, act: (cell: number) => T): T => {
    const record = book.slots[slot]
    return withLock(live, record.type === 'key' ? record.account : record, () => act(slot * ROW_CELLS))
  }

  return {
    /** Returns the queries admitted since the last answer. Takes out the unused ones if `all`, or if their minute ended. */
    report(slot: number, all: boolean): { used: number; left: number } {
      const nowMs = timeline.nowMs()
      return inRow(slot, cell => reportWindow(cells, cell, nowMs, all))
    },
    confirm(slot: number, queries: number): void {
      inRow(slot, cell => confirmWindow(cells, cell, queries))
    },
    /** Adds granted admissions, or keeps the refusal. @param askedMs time of the exchange, by the node's own time */
    take(slot: number, { granted, validMs, waitMs, counts }: Admission, askedMs: number): void {
      const refusedQueries = asked.get(slot) ?? 0
      asked.delete(slot)
      const untilMs = askedMs + Math.floor(validMs)
      const refusedUntilMs = waitMs > 0 ? askedMs + Math.ceil(waitMs) : 0
      const lease = { granted, untilMs, refusedUntilMs, refusedQueries, counts }
      inRow(slot, cell => grantWindow(cells, cell, lease))
    },
    /** Returns the needs of the smallest waiting request, so that a large one refuses no other. The rest is asked for ahead of need. */
    wanted(leased: LeasedAccount): WantedAdmissions {
      const { slot } = leased.record
      if (!isLimited(slot)) return { neededAdmissions: 0, aheadAdmissions: 0 }
      const nowMs = timeline.nowMs()
      const cell = slot * ROW_CELLS
      const left = windowLeft(cells, cell, nowMs)
      const waiting = [...leased.waiting]
        .map(({ wanted }) => (wanted.capKey < 0 ? wanted.queries : 0))
        .filter(queries => queries > 0 && windowRefusedMs(cells, cell, queries, nowMs) === 0)
      const sum = waiting.reduce((total, queries) => total + queries, 0)
      // The database has counted the held admissions. It can only refuse further ones.
      const neededAdmissions = waiting.length === 0 ? 0 : Math.max(0, Math.min(...waiting) - left)
      const ahead = Math.ceil(leased.aheadMicros / QUERY_PRICE_MICROS)
      const isLow = left < ahead / 2 && windowRefusedMs(cells, cell, left + 1, nowMs) === 0
      const aheadAdmissions = Math.max(0, sum - left - neededAdmissions) + (isLow ? ahead - left : 0)
      asked.set(slot, neededAdmissions)
      return { neededAdmissions, aheadAdmissions }
    },
    isDecided(slot: number, queries: number): boolean {
      const nowMs = timeline.nowMs()
      const cell = slot * ROW_CELLS
      if (!isLimited(slot) || windowLeft(cells, cell, nowMs) >= queries) return true
      return windowRefusedMs(cells, cell, queries, nowMs) > 0
    },
  }
}

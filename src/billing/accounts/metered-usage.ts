import { USAGE_CLASSES_MAX } from '../../platform/limits.ts'
import type { AccountRecord, KeyRecord } from '../ledger/book/record.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { COUNTS, countOf, ROW_CELLS } from '../ledger/meter/meter-layout.ts'
import { QUERY_PRICE_MICROS } from '../money.ts'
import type { LiveState } from './live/live-state.ts'

/** Usage that is not in the book yet. Exact while the account's lock is held. */
export interface UsageAhead {
  aheadOf(account: AccountRecord): number
  aheadMicros(key: KeyRecord): number
  queries(key: KeyRecord): number[]
}

/** Reads usage from the meter. Only a key with its bit set is ahead: the flusher takes the bit and books the counts in one turn. */
export function meteredUsage({ book, meter }: Ledger, live: LiveState): UsageAhead {
  const { cells } = meter.rows
  const queries = ({ slot }: KeyRecord): number[] => {
    const first = slot * ROW_CELLS + COUNTS
    return Array.from({ length: USAGE_CLASSES_MAX }, (_, usage) => countOf(cells[first + usage]))
  }
  const aheadMicros = (key: KeyRecord): number => {
    if (!live.isChanged(key.slot)) return 0
    const known = book.key(key.slot).queries
    return queries(key).reduce((sum, count, usage) => sum + count - known[usage], 0) * QUERY_PRICE_MICROS
  }
  const aheadOf = ({ slot }: AccountRecord): number =>
    book.account(slot).keys.reduce((micros, key) => micros + aheadMicros(key), 0)
  return { queries, aheadMicros, aheadOf }
}

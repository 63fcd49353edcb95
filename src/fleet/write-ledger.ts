/** Writes a new ledger that is equal to the book of a fleet. */

import { HOUR_MS } from '../ledger/book/history.ts'
import { Ledger } from '../ledger/ledger.ts'
import { appendUsageRow, usageEvents } from '../ledger/usage-rows.ts'
import { QUERY_PRICE_MICROS } from '../limits.ts'
import { bookDifferences } from './book-differences.ts'
import { bookEvents } from './book-events.ts'
import { usageHours } from './book-usage.ts'
import { MOVED_EVENTS_PER_CALL, MOVED_KEYS_PER_CALL } from './limits.ts'
import type { ReadBack } from './move-connection.ts'
import { expectSame } from './move-report.ts'
import type { KeyHour } from './store.ts'
import { WrittenTime } from './written-time.ts'

/**
 * In the empty folder `dir`, with the times when things happened; usage by hour and day. Then opens it again, and compares.
 * @throws MoveRefusedError when it is not the same; LedgerError
 */
export async function writeLedger(dir: string, { book, sources }: ReadBack): Promise<void> {
  const nowMs = Date.now()
  const time = new WrittenTime(nowMs)
  let failure: Error | null = null
  const options = {
    dir,
    priceMicros: QUERY_PRICE_MICROS,
    onFail(error: Error) {
      failure = error
    },
  }
  const ledger = await Ledger.open({ ...options, clock: time })
  try {
    let appended = 0
    const append = async (...[event, timeMs]: [Parameters<Ledger['append']>[0][number], number]) => {
      time.set(ledger.timeline, timeMs)
      ledger.append([event])
      if (++appended % MOVED_EVENTS_PER_CALL === 0) await ledger.settled()
    }
    for (const { timeMs, event } of bookEvents(book, sources)) await append(event, timeMs)
    for (const part of usageHours(book, MOVED_KEYS_PER_CALL))
      for (const [hour, rows] of rowsByHour(part))
        for (const event of usageEvents(rows)) await append(event, hour * HOUR_MS)
    time.set(ledger.timeline, nowMs)
    await ledger.settled()
  } finally {
    // With a snapshot, so that the first start is a short one.
    await ledger.close(async () => {})
  }
  if (failure !== null) throw failure
  const opened = await Ledger.open({ ...options, mayCreate: false })
  try {
    expectSame(bookDifferences(book, opened.book, nowMs))
  } finally {
    await opened.close()
  }
  if (failure !== null) throw failure
}

/** The rows of one usage event after another, from counts that ascend by hour. */
function* rowsByHour(hours: readonly KeyHour[]): Generator<[hour: number, rows: number[]]> {
  let rows: number[] = []
  for (const [at, { hour, key, queries }] of hours.entries()) {
    const spentMicros = queries.reduce((sum, count) => sum + count, 0) * QUERY_PRICE_MICROS
    appendUsageRow(
      rows,
      key,
      queries.map(count => count || undefined),
      spentMicros,
    )
    if (hours[at + 1]?.hour === hour) continue
    yield [hour, rows]
    rows = []
  }
}

/** What the keys of a book have used, as the cumulative counts by hour that rebuild their histories. */
import type { Book } from '../ledger/book/book.ts'
import type { History } from '../ledger/book/history.ts'
import type { KeyRecord } from '../ledger/book/record.ts'
import type { KeyHour } from './store.ts'

const HOURS_PER_DAY = 24
const HOUR_MS = 3_600_000
const DAY_MS = HOURS_PER_DAY * HOUR_MS

interface Row {
  /** Hours or days since 1970. */
  at: number
  queries: number[]
}

/** The hours of all keys that were used, some keys at a time, each part ascending by hour and then by key. */
export function* usageHours(book: Book, keysMax: number): Generator<KeyHour[]> {
  let part: KeyHour[] = []
  let keys = 0
  for (const key of book.keys.values()) {
    if (key.spentMicros === 0) continue
    part.push(...keyHours(key))
    if (++keys % keysMax > 0) continue
    yield inOrder(part)
    part = []
  }
  if (part.length > 0) yield inOrder(part)
}

/**
 * A key keeps its last hours and its last days, which overlap: the hours of a day are taken off that day, and the rest of the day
 * lies before them. What was used before the oldest day lies in the hour before it.
 * @throws Error when the days add up to more than the key has used
 */
export function keyHours(key: KeyRecord): KeyHour[] {
  const hours = rowsOf(key.hours, HOUR_MS)
  const days = rowsOf(key.days, DAY_MS)
  const total = key.queries
  const before = total.map((count, usage) => days.reduce((rest, day) => rest - day.queries[usage], count))
  if (before.some(count => count < 0))
    throw new Error(
      `key ${key.id} has used ${total.join(', ')} by class, and its days add up to more: the ledger is damaged. ` +
        'Ask `postrie ledger verify`, or restore a backup.',
    )
  const first = days[0]?.at ?? Math.floor(key.createdMs / DAY_MS)
  const rows: Row[] = [{ at: first * HOURS_PER_DAY - 1, queries: before }]
  for (const day of days) rows.push(...splitDay(day, hours))
  const sum = total.map(() => 0)
  return rows.filter(isUsed).map(({ at, queries }) => {
    for (const [usage, count] of queries.entries()) sum[usage] += count
    return { hour: at, key: key.slot, queries: [...sum] }
  })
}

/** A day as its hours that are known, and the rest of it. A clock that was wrong may have put more into the hours than into the day. */
function splitDay(day: Row, hours: readonly Row[]): Row[] {
  const start = day.at * HOURS_PER_DAY
  const rest = [...day.queries]
  const known = hours
    .filter(({ at }) => at >= start && at < start + HOURS_PER_DAY)
    .map(({ at, queries }) => ({ at, queries: queries.map((count, usage) => take(rest, usage, count)) }))
  if (known.length === 0) return [{ at: start + HOURS_PER_DAY - 1, queries: rest }]
  if (known[0].at > start) return [{ at: known[0].at - 1, queries: rest }, ...known]
  for (const [usage, count] of rest.entries()) known[0].queries[usage] += count
  return known
}

function take(rest: number[], usage: number, count: number): number {
  const taken = Math.min(rest[usage], count)
  rest[usage] -= taken
  return taken
}

function rowsOf(history: History, bucketMs: number): Row[] {
  const rows: Row[] = []
  history.each((startMs, queries) => rows.push({ at: startMs / bucketMs, queries: [...queries] }))
  return rows
}

function isUsed({ queries }: Row): boolean {
  return queries.some(count => count > 0)
}

function inOrder(hours: KeyHour[]): KeyHour[] {
  return hours.sort((a, b) => a.hour - b.hour || a.key - b.key)
}

/** UTC months, counted from January 1970, which is 0. */
import { DAY_MS } from './history.ts'

/** The last answer of `monthOf`: a replay asks for the same day millions of times, and a `Date` costs 100 ns. */
const lastMonth = { day: -1, month: 0 }

/** The month of `timeMs`. */
export function monthOf(timeMs: number): number {
  const day = Math.floor(timeMs / DAY_MS)
  if (day !== lastMonth.day) {
    const date = new Date(timeMs)
    lastMonth.day = day
    lastMonth.month = (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth()
  }
  return lastMonth.month
}

/** The first moment of a month, in milliseconds since 1970. */
export function monthStartMs(month: number): number {
  return Date.UTC(1970 + Math.floor(month / 12), month % 12)
}

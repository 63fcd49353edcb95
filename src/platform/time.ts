/** Units of time, months in UTC, and clocks. */

export const SECOND_MS = 1000
export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000

/** Maximum seconds by which another clock may be ahead of ours. */
const CLOCK_SKEW_SECONDS_MAX = 300

/** Returns the UTC month of a time, counted from January 1970, which is 0. */
export function monthOf(timeMs: number): number {
  const date = new Date(timeMs)
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth()
}

export function monthStartMs(month: number): number {
  return Date.UTC(1970 + Math.floor(month / 12), month % 12)
}

/** Returns the milliseconds of a clock that never goes back and is the same on all threads. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1000 + nanoseconds / 1e6
}

/**
 * Refuses what is dated in the future: it could be used for years. Libraries refuse only what is old.
 * @param seconds since 1970 @throws Error
 */
export function expectTimely(what: string, seconds: number): void {
  const ahead = Math.round(seconds - Date.now() / 1000)
  if (ahead > CLOCK_SKEW_SECONDS_MAX)
    throw new Error(`${what} is dated ${ahead} s ahead; expected at most ${CLOCK_SKEW_SECONDS_MAX} s`)
}

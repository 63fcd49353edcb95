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

/** Resolves with true when `work` is done, or with false after `ms`. @throws the error of `work` */
export async function finishesWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>(resolve => {
    timer = setTimeout(() => resolve(false), ms)
  })
  const isDone = await Promise.race([work.then(() => true), late])
  clearTimeout(timer)
  return isDone
}

/** Refuses what is dated in the future, and could be used for years. Libraries refuse only what is old. @param seconds since 1970 @throws Error */
export function expectTimely(what: string, seconds: number): void {
  const ahead = Math.round(seconds - Date.now() / 1000)
  if (ahead > CLOCK_SKEW_SECONDS_MAX)
    throw new Error(`${what} is dated ${ahead} s ahead; expected at most ${CLOCK_SKEW_SECONDS_MAX} s`)
}

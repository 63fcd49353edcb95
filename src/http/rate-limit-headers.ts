/**
 * `RateLimit-Policy` and `RateLimit` as draft-ietf-httpapi-ratelimit-headers-10 has them: lists of structured fields, one item for
 * each limit that is set. `q` is the quota and `w` the seconds of its window, `r` what is left of it and `t` the seconds until the
 * window ends.
 */
import type { Limited, RateLimits } from '../accounts/types.ts'

const SECOND_MS = 1000

interface Window {
  readonly name: string
  readonly seconds: number
  limit(limits: RateLimits): number | null
  current(limited: Limited): number
}

const WINDOWS: readonly Window[] = [
  { name: 'minute', seconds: 60, limit: l => l.perMinute, current: l => l.currentMinute },
  { name: 'hour', seconds: 3600, limit: l => l.perHour, current: l => l.currentHour },
  { name: 'day', seconds: 86_400, limit: l => l.perDay, current: l => l.currentDay },
]

/**
 * Both headers, each led by the end of the line before it; '' when no limit is set.
 * @param limited whose windows have just been counted
 */
export function rateLimitHeaders(limits: RateLimits, limited: Limited, nowMs: number): string {
  let policy = ''
  let left = ''
  for (const { name, seconds, limit, current } of WINDOWS) {
    const most = limit(limits)
    if (most === null) continue
    const comma = policy === '' ? '' : ', '
    const windowMs = seconds * SECOND_MS
    const untilEnd = Math.ceil((windowMs - (nowMs % windowMs)) / SECOND_MS)
    policy += `${comma}"${name}";q=${most};w=${seconds}`
    left += `${comma}"${name}";r=${Math.max(0, most - current(limited))};t=${untilEnd}`
  }
  return policy === '' ? '' : `\r\nRateLimit-Policy: ${policy}\r\nRateLimit: ${left}`
}

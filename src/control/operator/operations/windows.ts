import type { RateLimits } from '../../../accounts/types.ts'

/** Rate limits with some windows replaced: undefined keeps one, null lifts it. Null when none is left. */
export function mergedLimits(
  limits: RateLimits | null,
  windows: { [window in keyof RateLimits]: RateLimits[window] | undefined },
): RateLimits | null {
  const keep = (window: keyof RateLimits) =>
    windows[window] === undefined ? (limits?.[window] ?? null) : windows[window]
  const next = { perMinute: keep('perMinute'), perHour: keep('perHour'), perDay: keep('perDay') }
  // Lifting the last limit is what an operator means by switching limits off.
  return Object.values(next).every(value => value === null) ? null : next
}

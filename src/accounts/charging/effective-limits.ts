import type { Limited, RateLimits } from '../types.ts'

/** What the answers for a key with limits of its own say: in each window those that leave less, of the key or of its account. */
export class EffectiveLimits implements Limited {
  readonly limits: RateLimits = { perMinute: null, perHour: null, perDay: null }
  currentMinute = 0
  currentHour = 0
  currentDay = 0

  /** Compares what the present request has left of both. */
  compare(account: Limited, own: OwnLimits): void {
    const { limits } = this
    const { limits: key } = own
    const of = account.limits
    const isMinute = leavesLess(of, key.perMinute, own.currentMinute, of?.perMinute, account.currentMinute)
    limits.perMinute = isMinute ? key.perMinute : (of?.perMinute ?? null)
    this.currentMinute = isMinute ? own.currentMinute : account.currentMinute
    const isHour = leavesLess(of, key.perHour, own.currentHour, of?.perHour, account.currentHour)
    limits.perHour = isHour ? key.perHour : (of?.perHour ?? null)
    this.currentHour = isHour ? own.currentHour : account.currentHour
    const isDay = leavesLess(of, key.perDay, own.currentDay, of?.perDay, account.currentDay)
    limits.perDay = isDay ? key.perDay : (of?.perDay ?? null)
    this.currentDay = isDay ? own.currentDay : account.currentDay
  }
}

/** The limits of a key, as `Account` has those of an account. */
export class OwnLimits implements Limited {
  readonly limits: RateLimits
  currentMinute = 0
  currentHour = 0
  currentDay = 0

  constructor(limits: RateLimits) {
    this.limits = limits
  }
}

/** Whether a key leaves less of a window than its account, whose limits are `of`. */
function leavesLess(
  of: RateLimits | null,
  keyLimit: number | null,
  keyCurrent: number,
  accountLimit: number | null | undefined,
  accountCurrent: number,
): boolean {
  if (of === null) return true
  if (keyLimit === null) return false
  return (
    accountLimit === null ||
    accountLimit === undefined ||
    keyLimit - keyCurrent < accountLimit - accountCurrent
  )
}

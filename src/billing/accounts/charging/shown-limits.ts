/** Rate limits and their counts, for answers. The counters decide. */

import type { RateLimits } from '../../ledger/event.ts'
import { CELLS_PER_WINDOW, usedAt } from '../live/counter.ts'
import { WINDOWS } from '../windows.ts'

/** Rate limits and their counts. Fields change in place: keep no copy. */
export interface ShownLimits {
  /** Limits; null without limits. Valid right after `findKey` and `takeFromLimits`. */
  readonly limits: RateLimits | null
  /** Queries in the current windows. Valid right after `takeFromLimits`. */
  readonly used: Record<keyof RateLimits, number>
}

export const noneUsed = (): ShownLimits['used'] => ({ perMinute: 0, perHour: 0, perDay: 0 })

export function copyUsed({ used }: ShownLimits, cells: Float64Array, at: number): void {
  used.perMinute = usedAt(cells, at)
  used.perHour = usedAt(cells, at + CELLS_PER_WINDOW)
  used.perDay = usedAt(cells, at + 2 * CELLS_PER_WINDOW)
}

/** Sets `shown` to the stricter of the account's and the key's limits, per window. */
export function showStricter({ limits, used }: ShownLimits, account: ShownLimits, key: ShownLimits): void {
  if (limits === null) return
  for (const { limit } of WINDOWS) {
    const keyLeft = (key.limits?.[limit] ?? Number.POSITIVE_INFINITY) - key.used[limit]
    const accountLeft = (account.limits?.[limit] ?? Number.POSITIVE_INFINITY) - account.used[limit]
    const stricter = account.limits === null || keyLeft < accountLeft ? key : account
    limits[limit] = stricter.limits?.[limit] ?? null
    used[limit] = stricter.used[limit]
  }
}

import type { ShownLimits } from '../../billing/accounts/charging/shown-limits.ts'
import { perWindow } from '../../billing/accounts/live/counter.ts'
import type { AccountView } from '../../billing/accounts/views.ts'
import { count } from '../words.ts'

/** Returns the use of each window, while limits are on. @param isLive true on the account's own pages */
export function limitHints({ limits }: AccountView, { used }: ShownLimits, isLive = false) {
  if (limits === null) return undefined
  return perWindow(({ limit, name }) => [
    <span data-live={isLive ? limit : undefined}>{count(used[limit])}</span>,
    ` counted ${name === 'day' ? 'today' : `this ${name}`}`,
  ])
}

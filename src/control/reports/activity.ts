/** An account's latest requests, and how many were refused. Both are in memory only, since the start of the service. */
import type { Accounts } from '../../accounts/accounts.ts'
import type { DataPlane, ErrorHour, LoggedRequest } from '../../data-plane.ts'
import { QUERY_PRICE_MICROS } from '../../limits.ts'

export type RequestRow = Omit<LoggedRequest, 'key' | 'queries'> & { keyId: string; chargeMicros: number }

/** Returns the newest requests with a valid key, at most 1,000, the newest first. @throws ACCOUNT_NOT_FOUND */
export function requestRows(accounts: Accounts, dataPlane: DataPlane, account: string): RequestRow[] {
  const slot = accounts.slotOf(account)
  const requests = dataPlane.activity?.requests(slot) ?? []
  const own = new Set(accounts.listKeys(account).map(({ id }) => id))
  const slots = [...new Set(requests.map(({ key }) => key))]
  const ids = new Map(slots.map(key => [key, accounts.viewOf({ slot: key }).id]))
  return requests.flatMap(({ key, queries, ...request }) => {
    const keyId = ids.get(key) ?? ''
    // The log belongs to the account. Should that ever be wrong, nobody sees what another one has asked.
    if (!own.has(keyId)) return []
    return { ...request, keyId, chargeMicros: queries * QUERY_PRICE_MICROS }
  })
}

export function errorsOf(hours: readonly ErrorHour[]): number {
  return hours
    .flatMap(({ startMs, ...counts }) => Object.values(counts))
    .reduce((sum, count) => sum + count, 0)
}

/**
 * Returns the errors of the last 48 UTC hours, the oldest first, without gaps. 401 are requests with keys that are revoked or
 * mistyped, but begin like one of the account. @throws ACCOUNT_NOT_FOUND
 */
export function errorRows(
  accounts: Accounts,
  dataPlane: DataPlane,
  account: string,
  nowMs: number,
): ErrorHour[] {
  const slot = accounts.slotOf(account)
  const starts = accounts
    .listKeys(account)
    .flatMap(({ start, earlier }) => (earlier === null ? [start] : [start, earlier.start]))
  return dataPlane.activity?.errors(slot, starts, nowMs) ?? []
}

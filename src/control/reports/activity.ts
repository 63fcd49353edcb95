/** An account's latest requests, and how many were refused. Both are in memory only, since the start of the service. */
import type { Accounts } from '../../accounts/accounts.ts'
import type { DataPlane, ErrorHour, LoggedRequest } from '../../data-plane.ts'
import { QUERY_PRICE_MICROS } from '../../limits.ts'
import { sumOf } from './usage-series.ts'

export type RequestRow = Omit<LoggedRequest, 'key' | 'queries'> & { keyId: string; chargeMicros: number }

/** Returns the last answered and the last refused requests with a valid key, the newest first. @throws ACCOUNT_NOT_FOUND */
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

/** Statuses that are counted, with what each means, in short and to whoever opens such a request. */
export const ERRORS = [
  [400, 'malformed', 'A field is missing, or has another form than the reference says.'],
  [401, 'unknown, revoked or expired key', 'The key is unknown, was revoked, or has expired.'],
  [402, 'no funds, or a cap', 'The balance, or the monthly cap of the key, does not cover it.'],
  [403, 'rules of a key', 'The rules of the key allow neither this endpoint nor this address.'],
  [404, 'no such code or city', 'Nothing in the index is what was asked for.'],
  [429, 'rate limit', 'A rate limit of the account or of the key was reached.'],
  [503, 'service busy', 'The service could not answer; the same request may be sent again.'],
] as const

export function errorTotals(hours: readonly ErrorHour[]) {
  return ERRORS.map(([status, meaning]) => ({
    status,
    meaning,
    requests: sumOf(hours.map(hour => hour[status])),
  }))
}

/** Returns true for a request that has `wanted` in its code, its country or the reason of its refusal; `''` is in all. */
export function holds({ code, country, error }: RequestRow, wanted: string): boolean {
  const text = wanted.toLowerCase()
  return [code, country, error].some(each => each?.toLowerCase().includes(text))
}

/** Returns how many answered requests were about each country, the most frequent first. */
export function countryCounts(rows: readonly RequestRow[]): [country: string, requests: number][] {
  const counts = new Map<string, number>()
  for (const { country, status } of rows)
    if (status === 200 && /^[A-Z]{2}$/.test(country)) counts.set(country, (counts.get(country) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)
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

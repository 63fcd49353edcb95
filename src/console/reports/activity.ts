/** An account's latest requests and counts of refused ones, which the data plane keeps in memory. */
import type { Accounts } from '../../billing/accounts/accounts.ts'
import type { KeyView } from '../../billing/accounts/views.ts'
import { QUERY_PRICE_MICROS } from '../../billing/money.ts'
import { ERROR_HOURS } from '../../platform/limits.ts'
import { HOUR_MS, SECOND_MS } from '../../platform/time.ts'
import type { DataPlane, ErrorHour, LoggedRequest } from '../../service/data-plane.ts'
import { ERRORS } from '../../service/errors.ts'
import type { Dashboard } from '../dashboard.ts'
import { limitText, utcMinute } from '../words.ts'
import { sumOf } from './usage-series.ts'

export type RequestRow = Omit<LoggedRequest, 'key' | 'queries'> & {
  keyId: string
  chargeMicros: number
  /** Beginning of `error`, without its time or address, so that there are few; '' for an answered request. */
  reason: string
}

/** Returns the latest answered and refused requests with a valid key, newest first. @throws ACCOUNT_NOT_FOUND */
export function requestRows(accounts: Accounts, dataPlane: DataPlane, account: string): RequestRow[] {
  const slot = accounts.slotOf(account)
  const requests = dataPlane.activity.requests(slot)
  const own = new Set(accounts.listKeys(account).map(({ id }) => id))
  const slots = [...new Set(requests.map(({ key }) => key))]
  const ids = new Map(slots.map(key => [key, accounts.viewOf({ slot: key }).id]))
  return requests.flatMap(({ key, queries, ...request }) => {
    const keyId = ids.get(key) ?? ''
    // A safeguard: nobody may see requests of another account.
    if (!own.has(keyId)) return []
    const [reason, detail] = reasonOf(request)
    const error = request.error && reason + detail
    return { ...request, error, reason, keyId, chargeMicros: queries * QUERY_PRICE_MICROS }
  })
}

/** Returns the reason of a refusal, and its detail: the address, or the time when a limit has room again. */
function reasonOf({
  error,
  bound,
  timeMs,
  client,
}: Omit<LoggedRequest, 'key' | 'queries'>): [string, string] {
  if (error === null) return ['', '']
  if (error === ERRORS.KEY_ADDRESS[1]) return [error, `: ${client ?? 'it is not known'}`]
  if (bound === null) return [error, '']
  const { of, window, most, wait } = bound
  if (most === null) return ['The monthly cap of the key is used up', '']
  const limit = `${error}: the limit of the ${of}, ${limitText(most, window)}`
  if (wait === null) return [`${limit}, is too small for so many records`, '']
  // The rounded wait is added to the end of the request. Windows end with a minute.
  return [limit, `, has room again at ${new Date(timeMs + wait * SECOND_MS).toISOString().slice(11, 16)}:00`]
}

export function groupByReason(rows: readonly RequestRow[]): Map<string, RequestRow[]> {
  const groups = new Map<string, RequestRow[]>()
  for (const row of rows) {
    const group = groups.get(row.reason)
    if (group === undefined) groups.set(row.reason, [row])
    else group.push(row)
  }
  return groups
}

/** Returns the start of the counts of errors: ERROR_HOURS ago, or later if the service was killed since. */
export function countedSinceMs({ activity }: DataPlane, nowMs: number): number {
  return Math.max(nowMs - ERROR_HOURS * HOUR_MS, activity.sinceMs)
}

/** Returns the time that errors are counted for, as a part of a sentence. */
export function countedText({ activity }: DataPlane, nowMs: number): string {
  const isWhole = activity.sinceMs <= nowMs - ERROR_HOURS * HOUR_MS
  return isWhole ? `in the last ${ERROR_HOURS} hours` : `since ${utcMinute(activity.sinceMs)} UTC`
}

/** Counted statuses with their short meanings, and what to do. */
export const COUNTED_ERRORS = [
  [400, 'malformed', 'Compare the request with the fields of its endpoint. `error` names the wrong one.'],
  [401, 'unknown, revoked or expired key', 'Send the whole secret of an active key, or create another key.'],
  [402, 'no funds, or a cap', 'Recharge the balance, or raise the cap of the key.'],
  [403, 'rules of a key', 'Allow the address or the endpoint in the rules of the key.'],
  [404, 'no such code or city', 'Check the code and its country. Coverage shows how codes are written.'],
  [429, 'rate limit', 'Wait for `retryAfter` seconds, send fewer records at once, or change the limits.'],
  [503, 'service busy', 'Wait for the seconds of `Retry-After`, and send the request again.'],
] as const

/** True for a request with `wanted` as its status or id, or in its code, country, address or reason. Always true for `''`. */
export function matches(row: RequestRow, wanted: string): boolean {
  const { code, country, client, requestId, status, error } = row
  const text = wanted.toLowerCase()
  if (String(status) === text || requestId === wanted) return true
  return [code, country, client, error].some(each => each?.toLowerCase().includes(text))
}

/**
 * Returns the errors of the last ERROR_HOURS UTC hours, oldest first, without gaps. 401 counts revoked or mistyped keys that begin like a
 * key of the account. @throws ACCOUNT_NOT_FOUND
 */
export function errorRows(
  accounts: Accounts,
  dataPlane: DataPlane,
  account: string,
  nowMs: number,
): ErrorHour[] {
  const starts = accounts.listKeys(account).flatMap(startsOf)
  return dataPlane.activity.errors(accounts.slotOf(account), starts, nowMs)
}

function startsOf({ start, formerStart }: KeyView): string[] {
  return formerStart === null ? [start] : [start, formerStart]
}

/**
 * Returns the starts of the secrets of `keys` that got 401, with their requests and their last hour. A rolled key has two secrets.
 * @param isWanted true for the start of an hour that counts
 */
export function failedKeys(
  { activity }: DataPlane,
  keys: readonly KeyView[],
  nowMs: number,
  isWanted = (_startMs: number) => true,
) {
  return keys.flatMap(key =>
    startsOf(key).flatMap(start => {
      const all = activity.errors(null, [start], nowMs)
      const hours = all.filter(hour => hour[401] > 0 && isWanted(hour.startMs))
      const last = hours.at(-1)
      if (last === undefined) return []
      return [{ key, start, requests: sumOf(hours.map(hour => hour[401])), lastHourMs: last.startMs }]
    }),
  )
}

/** Returns the refused requests of a key: those with a valid secret, and those with 401. */
export function refusedOf({ accounts, dataPlane }: Pick<Dashboard, 'accounts' | 'dataPlane'>, key: KeyView) {
  const sightings = dataPlane.activity.sightings(accounts.keySlotOf(key.id))
  const failed = sumOf(failedKeys(dataPlane, [key], Date.now()).map(({ requests }) => requests))
  return { sightings, failed, refused: failed + sumOf(sightings.map(({ refused }) => refused)) }
}

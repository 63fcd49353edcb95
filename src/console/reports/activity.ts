/** An account's latest requests and counts of refused ones, which the data plane keeps in memory. */
import type { Accounts } from '../../billing/accounts/accounts.ts'
import { KEY_REFUSALS } from '../../billing/accounts/key-refusals.ts'
import type { KeyView } from '../../billing/accounts/views.ts'
import { QUERY_PRICE_MICROS } from '../../billing/money.ts'
import { isListed, parseNetwork } from '../../platform/networks.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../platform/time.ts'
import type { DataPlane, KeySender, LoggedRequest, RefusalCount } from '../../service/data-plane.ts'
import { ERRORS } from '../../service/errors.ts'
import { ERROR_HOURS } from '../../service/limits.ts'
import type { Planes } from '../control-plane-parts.ts'
import { sumOf } from '../sums.ts'
import { headline, limitText, plural, utcMinute } from '../words.ts'
import type { Spend } from './spend.ts'

/** Time from the first request with a key in which no address is new. */
const SET_UP_MS = 5 * MINUTE_MS

type LoggedRow = Omit<LoggedRequest, 'sender' | 'queries'>
export type RequestRow = LoggedRow & { keyId: string; chargeMicros: number }

/** Returns the latest requests, newest first, also those with a former secret. @throws ACCOUNT_NOT_FOUND */
export function requestRows({ accounts, dataPlane }: Planes, account: string): RequestRow[] {
  const { idOf, secrets } = sendersOf(accounts, account)
  const requests = dataPlane.activity.requests(accounts.slotOf(account), secrets)
  const senders = new Set(requests.map(({ sender }) => sender))
  const shared = new Set([...senders].filter(sender => isShared(accounts, sender)))
  return requests.flatMap(({ sender, queries, ...request }) => {
    const keyId = idOf(sender)
    // A safeguard: nobody may see requests of another account.
    if (keyId === undefined) return []
    const error = request.error && reasonOf(request, sender) + detailOf(request)
    if (shared.has(sender))
      return { ...request, error, client: null, requestId: null, keyId, chargeMicros: 0 }
    return { ...request, error, keyId, chargeMicros: queries * QUERY_PRICE_MICROS }
  })
}

export type Refusal = Omit<RefusalCount, 'sender'> & {
  keyId: string
  /** Beginning of the errors of such requests. */
  reason: string
}

/** Returns counts of the last ERROR_HOURS, by hour, key and reason. @throws ACCOUNT_NOT_FOUND */
export function refusalRows({ accounts, dataPlane }: Planes, account: string, nowMs = Date.now()): Refusal[] {
  const { idOf, secrets } = sendersOf(accounts, account)
  return dataPlane.activity
    .refusals(accounts.slotOf(account), secrets, nowMs)
    .flatMap(({ sender, ...count }) => {
      const keyId = sender === null ? undefined : idOf(sender)
      return keyId === undefined ? [] : { ...count, keyId, reason: reasonOf(count, sender) }
    })
}

/** Returns the keys of the senders of an account, and its secrets: requests with a former one get 401. */
function sendersOf(accounts: Accounts, account: string) {
  const ids = new Map<KeySender, string>()
  for (const key of accounts.listKeys(account))
    for (const sender of sendersOfKey(accounts, key)) ids.set(sender, key.id)
  const secrets = [...ids.keys()].filter(sender => typeof sender === 'string')
  return { idOf: (sender: KeySender) => ids.get(sender), secrets }
}

function sendersOfKey(accounts: Accounts, { id, starts }: KeyView): KeySender[] {
  return [accounts.keySlotOf(id), ...starts]
}

/** True for the beginning of secrets of several accounts, which must not see each other's addresses. */
function isShared(accounts: Accounts, sender: KeySender): boolean {
  return typeof sender === 'string' && accounts.isShared(sender)
}

/** True if rules allow a network of a sighting; undefined without rules. */
export const isInRules = (network: string, rules: readonly string[] | null) =>
  isListed(network.replace('/64', ''), rules)

export type Sighting = ReturnType<typeof sightingsOf>[number]

/**
 * Returns where requests of a key came from, those with 401 last. `isNew`: first seen in the last day, but not in the first minutes of
 * the key's use, in which its owner sets it up.
 */
export function sightingsOf({ accounts, dataPlane }: Planes, key: KeyView) {
  const senders = sendersOfKey(accounts, key).filter(sender => !isShared(accounts, sender))
  const all = senders.flatMap(sender =>
    dataPlane.activity.sightings(sender).map(each => ({ ...each, isFailed: typeof sender === 'string' })),
  )
  const used = all.filter(({ isFailed }) => !isFailed)
  const firstMs = Math.min(...used.map(({ firstMs }) => firstMs))
  const sinceMs = Math.max(Date.now() - DAY_MS, firstMs + SET_UP_MS)
  const known = used.filter(({ firstMs }) => firstMs <= sinceMs).map(({ network }) => network)
  const isOpen = (key.offMs ?? key.rules.addresses) === null
  return all.map(each => {
    const isPresent = key.revokedMs === null && [key.start, key.previous?.start].includes(each.start)
    const isUsable = isPresent && !each.isFailed && each.network !== ''
    const isBarred = isUsable && isInRules(each.network, key.rules.addresses) === false
    return { ...each, isUsable, isBarred, isNew: isUsable && isOpen && !known.includes(each.network) }
  })
}

export type Leak = ReturnType<typeof leaksOf>[number]

/** Returns why keys may have leaked: a surge, or a new address with a tenth of the key's queries. */
export function leaksOf(planes: Planes, spend: Spend, keys: readonly KeyView[]) {
  return keys.flatMap(key => {
    const all = sightingsOf(planes, key).sort((a, b) => b.queries - a.queries)
    const most = all.find(({ isNew }) => isNew)
    const isMuch =
      most !== undefined && most.queries > 0 && most.queries * 10 >= sumOf(all.map(({ queries }) => queries))
    const from =
      isMuch &&
      `is used from ${most.network}, first seen ${utcMinute(most.firstMs)} UTC: ${plural(most.requests, 'request')}, ${headline(most.queries * QUERY_PRICE_MICROS)}`
    const text = [spend.surges([key])[0]?.text, from].filter(Boolean).join('. It ')
    return text === '' ? [] : { key, text }
  })
}

type Refused = Pick<LoggedRequest, 'error' | 'bound' | 'keyRefusal'>

/** Returns the reason of a refusal, as it was then; `''` for an answered request. */
function reasonOf({ error, bound, keyRefusal }: Refused, sender: KeySender | null): string {
  if (keyRefusal !== null) return `${error}: ${sender}…, ${KEY_REFUSALS[keyRefusal]}`
  if (error === null || bound === null) return error ?? ''
  if (bound.most === null) return 'The monthly cap of the key is used up'
  const limit = `${error}: the limit of the ${bound.of}, ${limitText(bound.most, bound.window)}`
  return bound.wait === null ? `${limit}, is too small for so many records` : limit
}

/** Returns what follows the reason: the address, or the time when a limit has room again. */
function detailOf({ error, bound, timeMs, client }: LoggedRow): string {
  if (error === ERRORS.KEY_ADDRESS.text) return `: ${client ?? 'it is not known'}`
  if (bound === null || bound.most === null || bound.wait === null) return ''
  // The rounded wait is added to the end of the request. Windows end with a minute.
  return `, has room again at ${new Date(timeMs + bound.wait * SECOND_MS).toISOString().slice(11, 16)}:00`
}

/** Returns the time that errors are counted for: ERROR_HOURS, or less if the service was killed since. */
export function countedText({ activity }: DataPlane, nowMs: number): string {
  const isWhole = activity.sinceMs <= nowMs - ERROR_HOURS * HOUR_MS
  return isWhole ? `in the last ${ERROR_HOURS} hours` : `since ${utcMinute(activity.sinceMs)} UTC`
}

/** True for a status, an id or a network `wanted`, or if code, country, address or reason contain it. */
export function matches(row: RequestRow, wanted: string): boolean {
  const { code, country, client, requestId, status, error } = row
  const text = wanted.toLowerCase()
  if (String(status) === text || requestId === wanted) return true
  if (parseNetwork(wanted) !== null) return isListed(client, [wanted]) === true
  return [code, country, client, error].some(each => each?.toLowerCase().includes(text))
}

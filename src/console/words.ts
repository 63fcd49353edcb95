/** Formats numbers and names for pages, and reads typed amounts. */

import type { KeyView, NamedKeyRules } from '../billing/accounts/views.ts'
import { FLEET_HEARTBEAT_MS, type NodeStatus } from '../billing/fleet/messages.ts'
import type { RateLimits, Role } from '../billing/ledger/event.ts'
import { MICROS_PER_CENT, NEW_ACCOUNT_QUERIES, parseDollars, QUERY_PRICE_MICROS } from '../billing/money.ts'
import { MINUTE_MS } from '../platform/time.ts'

/** Returns an exact amount with two to six decimals, as answers of the API have it: `$5.00`, `$0.028`. */
export function money(micros: number): string {
  const [whole, fraction = ''] = sixDecimals(Math.abs(micros)).split('.')
  return `${micros < 0 ? '−' : ''}$${count(Number(whole))}.${fraction.replace(/0{1,4}$/, '')}`
}

/** Returns an amount for a column: figure spaces stand for missing decimals, so that points align. */
export function aligned(micros: number, text = money(micros)): string {
  return text.padEnd(text.indexOf('.') + 7, '\u2007')
}

const roundToCents = (micros: number) => Math.round(micros / MICROS_PER_CENT) * MICROS_PER_CENT

/** Returns an amount to read at a glance, in rounded cents. Less than a dollar is exact. */
export function headline(micros: number): string {
  return money(Math.abs(micros) < 1_000_000 ? micros : roundToCents(micros))
}

/** Returns `$1.05`, or `under $0.01`. */
export function cents(micros: number): string {
  return micros < MICROS_PER_CENT ? 'under $0.01' : money(roundToCents(micros))
}

/** Returns `about $1.05`, or `under $0.01`. */
export function estimate(micros: number): string {
  return micros < MICROS_PER_CENT ? cents(micros) : `about ${cents(micros)}`
}

/** Returns `4.999972` or `5.000000`, for files and commands. */
export const sixDecimals = (micros: number): string => (micros / 1_000_000).toFixed(6)

export function iso<T extends number | null>(ms: T) {
  return (ms === null ? null : new Date(ms).toISOString()) as T extends null ? null : string
}

export const utcMonth = (ms: number): string => iso(ms).slice(0, 7)
export const utcDay = (ms: number): string => iso(ms).slice(0, 10)
export const utcMinute = (ms: number): string => iso(ms).slice(0, 16).replace('T', ' ')
export const utcSecond = (ms: number): string => iso(ms).slice(0, 19).replace('T', ' ')

/** True for a day or time in ISO 8601 within others, which may be less precise. `''` is no bound. */
export const isBetween = (text: string, { from, to }: { from: string; to: string }): boolean =>
  text >= from && (to === '' || text.slice(0, to.length) <= to)

const WHOLE = new Intl.NumberFormat('en-US')

export const count = (value: number): string => WHOLE.format(value)

/** Returns `1 key` or `2 keys`. @param many irregular plural of `noun` */
export function plural(value: number, noun: string, many = `${noun}s`): string {
  return `${count(value)} ${value === 1 ? noun : many}`
}

export const ROLE_NAMES: Record<Role, string> = { owner: 'Owner', developer: 'Developer', billing: 'Billing' }
export const ROLE_TEXTS: Record<Role, string> = {
  owner: 'everything, members included.',
  developer: 'keys, usage, requests, rate limits.',
  billing: 'balance, statement, receipts, alerts about money.',
}

export const FREE_QUERIES = count(NEW_ACCOUNT_QUERIES)
export const QUERIES_PER_DOLLAR = count(Math.floor(1_000_000 / QUERY_PRICE_MICROS))

/** Reads `$5`, `5,000` or `2.50 USD` as micro-dollars; else null. `5,00` is five in half of Europe. */
export function typedDollars(text: string): number | null {
  const amount = text.replace(/^(?:US)?\$\s*|^USD\s+/i, '').replace(/\s*(?:USD|US dollars|dollars|\$)$/i, '')
  return parseDollars(/^[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/.test(amount) ? amount.replaceAll(',', '') : amount)
}

/** Returns `text` as a key of `names`; undefined if it is none. */
export function member<T extends object>(names: T, text: string | null | undefined): keyof T | undefined {
  return text != null && Object.hasOwn(names, text) ? (text as keyof T) : undefined
}

export function agoText(ms: number, nowMs = Date.now()): string {
  const minutes = Math.floor((nowMs - ms) / MINUTE_MS)
  if (minutes < 60) return minutes < 1 ? 'just now' : `${plural(minutes, 'minute')} ago`
  const hours = Math.floor(minutes / 60)
  return `${hours < 48 ? plural(hours, 'hour') : plural(Math.floor(hours / 24), 'day')} ago`
}

/** Returns the days that a balance lasts; `—` if they are not known. */
export function daysText({ daysLeft: days }: { daysLeft: number | null }): string {
  return days === null ? '—' : days > 730 ? 'over 730' : days < 1 ? 'under 1' : count(Math.floor(days))
}

export function limitText(most: number, window: string): string {
  return `${count(most)} ${window === 'hour' ? 'an' : 'a'} ${window}`
}

/** Returns `60 a minute, 1,000 an hour`, or `none`. */
export function limitTexts(limits: RateLimits | null): string {
  const texts = Object.entries(limits ?? {}).flatMap(([window, limit]) =>
    limit === null ? [] : limitText(limit, window.slice(3).toLowerCase()),
  )
  return texts.join(', ') || 'none'
}

/** Returns `expires 2027-01-31 12:00 UTC; 60 a minute; only lookup; only from 203.0.113.0/24`, or `none`. */
export function ruleTexts({ expiresMs, limits, endpoints, addresses }: NamedKeyRules): string {
  const rules = [
    expiresMs && `${expiresMs > Date.now() ? 'expires' : 'expired'} ${utcMinute(expiresMs)} UTC`,
    limits && limitTexts(limits),
    endpoints && `only ${endpoints.join(', ')}`,
    addresses && `only from ${addresses.join(', ')}`,
  ]
  return rules.filter(Boolean).join('; ') || 'none'
}

/** Returns the state of a key, or why its account refuses it. */
export function keyState({ accountState, revokedMs, offMs, isExpired, isCapped, isUnpaid }: KeyView): string {
  if (revokedMs !== null) return 'revoked'
  if (accountState !== null) return `refused: account ${accountState}`
  if (offMs !== null) return 'off'
  if (isExpired) return 'expired'
  if (isCapped) return 'cap used up'
  return isUnpaid ? 'refused: no balance' : 'active'
}

export const keyName = ({ label, start }: { label: string; start: string }): string => label || `${start}…`

export const quotedName = (key: { label: string; start: string }): string =>
  key.label ? `“${key.label}”` : keyName(key)

/** Returns the label and the start of a key, because several keys may share a label. */
export function fullKeyName({ label, start }: { label: string; start: string }): string {
  return `${label || 'unnamed'} (${start}…)`
}

export function namesOf(keys: readonly KeyView[], nameOf = keyName): Map<string, string> {
  return new Map(keys.map(key => [key.id, nameOf(key)]))
}

/** Returns a node's state in a word. It is late after three missed heartbeats. */
export function nodeState({ isWrittenOff, isGone, isSilent, isSettled, silentMs }: NodeStatus): string {
  if (isWrittenOff) return 'given up'
  if (isGone) return 'recovered'
  if (isSilent) return 'silent'
  if (silentMs > 3 * FLEET_HEARTBEAT_MS) return 'late'
  return isSettled ? 'serving' : 'starting'
}

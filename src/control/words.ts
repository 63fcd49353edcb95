/** Numbers and names as people read and type them. */
import type { KeyRulesView, KeyView, RateLimits, Role } from '../accounts/views.ts'
import { NEW_ACCOUNT_QUERIES, parseDollars, QUERY_PRICE_MICROS } from '../money.ts'

/** `$5.00`, `$0.028`, `$4.999972`: at least two decimals, never rounded. */
export function money(micros: number): string {
  return fixedMoney(micros).trimEnd()
}

/** `$4.99`, `−$5.01`: whole cents, for headlines; `round` up what is spent or owed. Less than a dollar is exact, as `$0.028`. */
export function cents(micros: number, round = Math.floor): string {
  return money(Math.abs(micros) < 1_000_000 ? micros : round(micros / 10_000) * 10_000)
}

/** `4.999972`, `5.000000`: for files and commands. */
export function sixDecimals(micros: number): string {
  return (micros / 1_000_000).toFixed(6)
}

/** Returns an amount spent or owed as `cents` does, but rounded up. */
export function spent(micros: number): string {
  return cents(micros, Math.ceil)
}

/** `$4.999972`, `$5.00    `: spaces as wide as a figure stand for zeros, so that the amounts of a column align. */
export function fixedMoney(micros: number): string {
  const [whole, fraction = ''] = sixDecimals(Math.abs(micros)).split('.')
  const shown = fraction.replace(/0{1,4}$/, '').padEnd(6, '\u2007')
  return `${micros < 0 ? '−' : ''}$${count(Number(whole))}.${shown}`
}

export function utcMinute(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16).replace('T', ' ')
}

const WHOLE = new Intl.NumberFormat('en-US')

export function count(value: number): string {
  return WHOLE.format(value)
}

/** `1 key`, `2 keys`. `many` is the plural of nouns that take more than an s. */
export function plural(value: number, noun: string, many = `${noun}s`): string {
  return `${count(value)} ${value === 1 ? noun : many}`
}

export const ROLE_TEXTS: Record<Role, string> = {
  owner: 'everything, members included.',
  developer: 'keys, usage, requests, rate limits.',
  billing: 'balance, statement, receipts, alerts about money.',
}

export const FREE_QUERIES = count(NEW_ACCOUNT_QUERIES)
export const QUERIES_PER_DOLLAR = count(Math.floor(1_000_000 / QUERY_PRICE_MICROS))

/**
 * Returns whole micro-dollars of `5`, `$5`, `5,000`, `2.50 USD`, or null. Commas separate thousands only: `5,00`, which is
 * five in half of Europe, is refused rather than read as five hundred.
 */
export function typedDollars(text: string): number | null {
  const amount = text.replace(/^(?:US)?\$\s*|^USD\s+/i, '').replace(/\s*(?:USD|US dollars|dollars|\$)$/i, '')
  if (!amount.includes(',')) return parseDollars(amount)
  return /^[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/.test(amount) ? parseDollars(amount.replaceAll(',', '')) : null
}

export function member<T extends object>(names: T, text: string | null | undefined): keyof T | undefined {
  return text != null && Object.hasOwn(names, text) ? (text as keyof T) : undefined
}

/** `1,000 an hour`. */
export function limitText(most: number, window: string): string {
  return `${count(most)} ${window === 'hour' ? 'an' : 'a'} ${window}`
}

/** `60 a minute, 1,000 an hour`, or `none`. */
export function limitTexts(limits: RateLimits | null): string {
  const texts = Object.entries(limits ?? {}).flatMap(([window, limit]) =>
    limit === null ? [] : limitText(limit, window.slice(3).toLowerCase()),
  )
  return texts.join(', ') || 'none'
}

/** `expires 2027-01-31 12:00 UTC; 60 a minute; only lookup, city; only from 203.0.113.0/24`, or `none`. */
export function ruleTexts({ expiresMs, limits, endpoints, addresses }: KeyRulesView): string {
  const rules = [
    expiresMs && `expires ${utcMinute(expiresMs)} UTC`,
    limits && limitTexts(limits),
    endpoints && `only ${endpoints.join(', ')}`,
    addresses && `only from ${addresses.join(', ')}`,
  ]
  return rules.filter(Boolean).join('; ') || 'none'
}

export function keyName({ label, start }: { label: string; start: string }): string {
  return label || `${start}…`
}

/** Two keys may share a label, so their first characters are shown as well. */
export function fullKeyName({ label, start }: { label: string; start: string }): string {
  return `${label || 'unnamed'} (${start}…)`
}

/** Returns the names of keys by their ids. */
export function namesOf(keys: readonly KeyView[], nameOf = keyName): Map<string, string> {
  return new Map(keys.map(key => [key.id, nameOf(key)]))
}

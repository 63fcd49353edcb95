/** Numbers as people read them. */
import type { Role } from '../../accounts/views.ts'
import { NEW_ACCOUNT_CREDIT_MICROS, QUERY_PRICE_MICROS } from '../../limits.ts'

/** `$5.00`, `$0.028`, `$4.999972`: at least two decimals, never rounded. */
export function money(micros: number): string {
  const [whole, fraction = ''] = (Math.abs(micros) / 1_000_000).toFixed(6).split('.')
  const text = `$${count(Number(whole))}.${fraction.replace(/0+$/, '').padEnd(2, '0')}`
  return micros < 0 ? `−${text}` : text
}

/** `$4.99`, `under $0.01`: whole cents, rounded towards zero, for headlines. `money` has the exact amount. */
export function cents(micros: number): string {
  const whole = Math.floor(Math.abs(micros) / 10_000)
  if (whole === 0 && micros !== 0) return micros < 0 ? 'above −$0.01' : 'under $0.01'
  return money(Math.sign(micros) * whole * 10_000)
}

/** `$4.999972`, `$5.000000`: all six decimals, so that the amounts of a column stand below each other. */
export function fixedMoney(micros: number): string {
  const [whole, fraction] = (Math.abs(micros) / 1_000_000).toFixed(6).split('.')
  return `${micros < 0 ? '−' : ''}$${count(Number(whole))}.${fraction}`
}

/** `2026-02-28 13:05`, in UTC. */
export function utcMinute(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16).replace('T', ' ')
}

const WHOLE = new Intl.NumberFormat('en-US')

/** `12,345` */
export function count(value: number): string {
  return WHOLE.format(value)
}

const REGIONS = new Intl.DisplayNames('en', { type: 'region' })

/** The English name of a country by its ISO 3166-1 code. */
export function countryName(code: string): string {
  return REGIONS.of(code) ?? code
}

/** `1 key`, `2 keys`. `many` is the plural of nouns that take more than an s. */
export function plural(value: number, noun: string, many = `${noun}s`): string {
  return `${count(value)} ${value === 1 ? noun : many}`
}

/** What each role may do, for people. `shell/access.ts` is what decides it. */
export const ROLE_TEXTS: Record<Role, string> = {
  owner: 'everything, members included.',
  developer: 'keys, usage, requests, rate limits.',
  billing: 'balance, statement, receipts, alerts about money.',
}

/** What a new account may ask for without paying: `1,000`. */
export const FREE_QUERIES = count(NEW_ACCOUNT_CREDIT_MICROS / QUERY_PRICE_MICROS)

/** Rate limits as people type them. */
import { RATE_LIMIT_MAX, RATE_LIMIT_MIN } from '../../limits.ts'
import { count } from './words.ts'

export const LIMIT_PROBLEM = `A limit must be a whole number from ${count(RATE_LIMIT_MIN)} to ${count(RATE_LIMIT_MAX)}, or empty for none.`

/** A limit such as `600` or `1,000`; null for none, undefined for what is not one. */
export function typedLimit(text: string): number | null | undefined {
  if (text === '') return null
  if (!/^(\d{1,9}|\d{1,3}(,\d{3}){1,2})$/.test(text)) return undefined
  const limit = Number(text.replaceAll(',', ''))
  return limit >= RATE_LIMIT_MIN && limit <= RATE_LIMIT_MAX ? limit : undefined
}

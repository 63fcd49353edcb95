/** Prices and amounts. Money is whole micro-dollars inside, decimal text outside, and never a fraction. */

/** Smallest amount of a payment. */
export const MICROS_PER_CENT = 10_000
export const QUERY_PRICE_MICROS = 28
export const NEW_ACCOUNT_QUERIES = 1000
export const NEW_ACCOUNT_CREDIT_MICROS = NEW_ACCOUNT_QUERIES * QUERY_PRICE_MICROS

/** True for a balance that pays for one more query. */
export const paysForQuery = (micros: number): boolean => micros >= QUERY_PRICE_MICROS

/** Returns dollars with four decimals, rounded down, for the body of a 402: `"$0.0279"`. */
export function dollarsText(micros: number): string {
  const tenThousandths = Math.floor(micros / 100)
  return `$${Math.floor(tenThousandths / 10_000)}.${String(tenThousandths % 10_000).padStart(4, '0')}`
}

/** Returns the micro-dollars of a text such as `5`, `12.50` or `0.000028`; null for any other text. */
export function parseDollars(text: string): number | null {
  const match = /^(\d{1,9})(?:\.(\d{1,6}))?$/.exec(text)
  if (match === null) return null
  return Number(match[1]) * 1_000_000 + Number((match[2] ?? '').padEnd(6, '0'))
}

/** Returns dollars. The division is exact to the nearest double, so 4999972 prints as `4.999972`. */
export function dollars(micros: number): number {
  return micros / 1_000_000
}

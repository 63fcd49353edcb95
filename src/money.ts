/** The price of a query is `QUERY_PRICE_MICROS` in `limits.ts`. Money is whole micro-dollars inside and decimal text outside; no sum ever passes through a fraction. */

/** `micros` as text with four decimals, rounded down: `"$0.0279"`, as the 402 body shows it. */
export function dollarsText(micros: number): string {
  const tenThousandths = Math.floor(micros / 100)
  return `$${Math.floor(tenThousandths / 10_000)}.${String(tenThousandths % 10_000).padStart(4, '0')}`
}

/** Whole micro-dollars of a decimal text such as `5`, `12.50` or `0.000028`, or null when it is not such a text. */
export function parseDollars(text: string): number | null {
  const match = /^(\d{1,9})(?:\.(\d{1,6}))?$/.exec(text)
  if (match === null) return null
  return Number(match[1]) * 1_000_000 + Number((match[2] ?? '').padEnd(6, '0'))
}

/** `micros` as dollars. The division is exact to the nearest double, so it prints without noise: 4999972 is `4.999972`. */
export function dollars(micros: number): number {
  return micros / 1_000_000
}

/** Money is whole micro-dollars inside and decimal text outside; no sum ever passes through a fraction. */

/** `micros` as a JSON number of dollars without noise: 4999972 is `4.999972`, 5000000 is `5`. Range: safe integers. */
export function dollarsJson(micros: number): string {
  const sign = micros < 0 ? '-' : ''
  const absolute = Math.abs(micros)
  const whole = Math.floor(absolute / 1_000_000)
  const fraction = absolute % 1_000_000
  if (fraction === 0) return `${sign}${whole}`
  return `${sign}${whole}.${String(fraction).padStart(6, '0').replace(/0+$/, '')}`
}

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

/** `micros` as dollars, for JSON. The division is exact to the nearest double, so it prints like `dollarsJson`. */
export function dollars(micros: number): number {
  return micros / 1_000_000
}

/** Checks options that a program passes. A wrong one is a bug of the caller, so it throws. */

/** @returns `value` @throws RangeError when it is not a number from `min` to `max` */
export function rangeOf(name: string, value: number, min: number, max: number): number {
  if (typeof value === 'number' && value >= min && value <= max) return value
  throw new RangeError(`${name} is ${shown(value)}, a number from ${min} to ${max} expected`)
}

/** @returns `value`, or `fallback` when it is absent @throws RangeError when it is not a whole number from `min` to `max` */
export function countOf(
  name: string,
  value: number | null | undefined,
  min: number,
  max: number,
  fallback: number,
): number {
  if (value === undefined || value === null) return fallback
  if (Number.isInteger(value) && value >= min && value <= max) return value
  throw new RangeError(`${name} is ${shown(value)}, a whole number from ${min} to ${max} expected`)
}

/** Returns how an error names `value`: an object may have no text of its own. */
export function shown(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}

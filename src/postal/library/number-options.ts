/** Checks options of the caller. A wrong one is a bug, so it throws. */

/** Returns `value`. @throws RangeError unless it is a number from `min` to `max` */
export function checkedNumber(name: string, value: number, min: number, max: number): number {
  if (typeof value === 'number' && value >= min && value <= max) return value
  throw new RangeError(`${name} is ${describe(value)}, a number from ${min} to ${max} expected`)
}

/** Returns `value`, or `fallback` if absent. @throws RangeError unless it is a whole number in range */
export function checkedWhole(
  name: string,
  value: number | null | undefined,
  min: number,
  max: number,
  fallback: number,
): number {
  if (value === undefined || value === null) return fallback
  if (Number.isInteger(value) && value >= min && value <= max) return value
  throw new RangeError(`${name} is ${describe(value)}, a whole number from ${min} to ${max} expected`)
}

/** Describes `value` for a message: `"1"` is no number. `String` of an object may throw. */
export function describe(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}

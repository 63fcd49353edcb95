/** Numbers that a program passes, which unlike codes and names it does not get from strangers. */

/** @returns `value` @throws RangeError when it is not a number from `min` to `max` */
export function rangeOf(name: string, value: number, min: number, max: number): number {
  if (typeof value === 'number' && value >= min && value <= max) return value
  throw new RangeError(`${name} is ${value}, a number from ${min} to ${max} expected`)
}

/** How many are wanted. @throws RangeError when it is not a whole number from 1 to `max` */
export function limitOf(value: number | undefined, max: number, fallback: number): number {
  if (value === undefined) return fallback
  if (Number.isInteger(value) && value >= 1 && value <= max) return value
  throw new RangeError(`limit is ${value}, a whole number from 1 to ${max} expected`)
}

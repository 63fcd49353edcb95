export function sumOf(values: readonly (number | null)[]): number {
  return values.reduce((sum: number, each) => sum + (each ?? 0), 0)
}

export function sumsByKey(pairs: Iterable<readonly [key: string, value: number]>): Map<string, number> {
  const sums = new Map<string, number>()
  for (const [key, value] of pairs) sums.set(key, value + (sums.get(key) ?? 0))
  return sums
}

/** Returns the lower median; 0 for none. */
export function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[(values.length - 1) >> 1] ?? 0
}

/** Sums up repeated measurements: the median, because a busy machine only ever makes things slower, and the spread. */

export interface Spread {
  median: number
  min: number
  max: number
  /** One value a round, in order. */
  rounds: number[]
}

export function spreadOf(rounds: readonly number[]): Spread {
  return {
    median: percentile(rounds, 0.5),
    min: Math.min(...rounds),
    max: Math.max(...rounds),
    rounds: [...rounds],
  }
}

/** The value below which the share `at` (0 to 1) of `values` lies, by linear interpolation. */
export function percentile(values: ArrayLike<number>, at: number): number {
  const sorted = Float64Array.from(values).sort()
  const place = (sorted.length - 1) * at
  const low = Math.floor(place)
  const high = Math.ceil(place)
  return sorted[low] + (sorted[high] - sorted[low]) * (place - low)
}

/**
 * Median of the ratios round by round. Two contenders of one round met the same machine, two medians may not have, so
 * this varies less than the ratio of the medians.
 */
export function ratioOf(one: Spread, other: Spread): number {
  return percentile(
    one.rounds.map((value, round) => value / other.rounds[round]),
    0.5,
  )
}

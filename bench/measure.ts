/** Measurements in turn, medians, ratios round by round, and seeded random numbers. */

export interface Spread {
  median: number
  min: number
  max: number
  /** Values, one per round. */
  rounds: number[]
}

/** Returns the median and the extremes. */
export function spreadOf(rounds: readonly number[]): Spread {
  return {
    median: percentile(rounds, 0.5),
    min: Math.min(...rounds),
    max: Math.max(...rounds),
    rounds: [...rounds],
  }
}

/** Returns the value above the share `at` (0 to 1) of `values`, by linear interpolation. */
export function percentile(values: ArrayLike<number>, at: number): number {
  const sorted = Float64Array.from(values).sort()
  const place = (sorted.length - 1) * at
  const low = Math.floor(place)
  return sorted[low] + (sorted[Math.ceil(place)] - sorted[low]) * (place - low)
}

/** Returns the median of the ratios round by round: contenders of one round meet the same machine. */
export function ratioOf(one: Spread, other: Spread): number {
  return percentile(
    one.rounds.map((value, round) => value / other.rounds[round]),
    0.5,
  )
}

type Sample = Readonly<Record<string, number>>

/**
 * Measures A B C, A B C, …, so that other load of the machine affects all contenders alike. The first round does not count.
 * @returns the spread of each number of each contender
 */
export async function inTurn<T extends Sample>(
  contenders: Readonly<Record<string, () => T | Promise<T>>>,
  rounds: number,
): Promise<Record<string, Record<keyof T, Spread>>> {
  const samples = new Map<string, T[]>(Object.keys(contenders).map(name => [name, []]))
  for (let round = -1; round < rounds; round++) {
    for (const [name, measure] of Object.entries(contenders)) {
      const sample = await measure()
      if (round >= 0) samples.get(name)?.push(sample)
    }
  }
  return Object.fromEntries(Array.from(samples, ([name, taken]) => [name, spreadsOf(taken)]))
}

/** Returns the spread of each number of the samples. */
export function spreadsOf<T extends Sample>(taken: readonly T[]): Record<keyof T, Spread> {
  const units = Object.keys(taken[0]) as (keyof T)[]
  const entries = units.map(unit => [unit, spreadOf(taken.map(sample => sample[unit]))])
  return Object.fromEntries(entries) as Record<keyof T, Spread>
}

/** Returns the nanoseconds of processor time of all threads of this process. Other programs do not count. */
export function processorNanos(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) * 1000
}

/** Returns a seeded generator of numbers in [0, 1): mulberry32 by Tommy Ettinger (public domain). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
}

/** Returns `count` members of `from`, drawn with repetition. */
export function draw<T>(from: readonly T[], count: number, random: () => number): T[] {
  return Array.from({ length: count }, () => from[Math.floor(random() * from.length)])
}

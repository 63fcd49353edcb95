/** Repeated measurements: contenders in turn, medians, ratios round by round, seeded random numbers. */

export interface Spread {
  median: number
  min: number
  max: number
  /** One value a round, in order. */
  rounds: number[]
}

/** Returns the median, because a busy machine only ever makes things slower, and the extremes. */
export function spreadOf(rounds: readonly number[]): Spread {
  return {
    median: percentile(rounds, 0.5),
    min: Math.min(...rounds),
    max: Math.max(...rounds),
    rounds: [...rounds],
  }
}

/** Returns the value below which the share `at` (0 to 1) of `values` lies, by linear interpolation. */
export function percentile(values: ArrayLike<number>, at: number): number {
  const sorted = Float64Array.from(values).sort()
  const place = (sorted.length - 1) * at
  const low = Math.floor(place)
  return sorted[low] + (sorted[Math.ceil(place)] - sorted[low]) * (place - low)
}

/** Returns the median of the ratios round by round: two contenders of one round met the same machine. */
export function ratioOf(one: Spread, other: Spread): number {
  return percentile(
    one.rounds.map((value, round) => value / other.rounds[round]),
    0.5,
  )
}

type Sample = Readonly<Record<string, number>>

/**
 * Measures A B C, A B C, …, so that whatever else the machine does meets all contenders alike. The first round does not count.
 * @returns for each contender, the spread of each number that it gave
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
  return Object.fromEntries(Array.from(samples, ([name, taken]) => [name, spreads(taken)]))
}

function spreads<T extends Sample>(taken: readonly T[]): Record<keyof T, Spread> {
  const units = Object.keys(taken[0]) as (keyof T)[]
  const entries = units.map(unit => [unit, spreadOf(taken.map(sample => sample[unit]))])
  return Object.fromEntries(entries) as Record<keyof T, Spread>
}

/** Returns nanoseconds of processor time of this process, all threads: the collector's helpers count, other programs do not. */
export function processorNanos(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) * 1000
}

/** Returns a generator of numbers from 0 up to 1, the same for the same seed: mulberry32 by Tommy Ettinger (public domain). */
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

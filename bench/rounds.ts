/** Measures contenders in turn: A B C, A B C, … Whatever else the machine does then meets all of them alike. */
import { type Spread, spreadOf } from './statistics.ts'

export type Sample = Readonly<Record<string, number>>

/**
 * Calls every contender once a round, after one round that does not count.
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
  const names = Object.keys(taken[0]) as (keyof T)[]
  return Object.fromEntries(names.map(name => [name, spreadOf(taken.map(sample => sample[name]))])) as Record<
    keyof T,
    Spread
  >
}

import { randomFrom } from '../../bench/measure.ts'

/** Returns a seeded generator of integers from 0 to `below` less 1. */
export function seededRandom(seed: number): (below: number) => number {
  const random = randomFrom(seed)
  return below => Math.floor(random() * below)
}

/** Seeded choices: the same seed repeats a failed run. */
export interface Random {
  /** Returns a whole number from 0 to `bound` - 1. */
  below(bound: number): number
  chance(probability: number): boolean
  /** Returns one of `items`, which must not be empty. */
  pick<T>(items: readonly T[]): T
}

export function seededChoices(seed: number): Random {
  const below = seededRandom(seed)
  return {
    below,
    chance: probability => below(1_000_000) < probability * 1_000_000,
    pick: <T>(items: readonly T[]): T => items[below(items.length)] as T,
  }
}

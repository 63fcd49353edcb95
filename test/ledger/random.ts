import { seededRandom as numbersBelow } from '../support/random.ts'

/** Seeded choices: the same seed repeats a failed run. */
export interface Random {
  /** Returns a whole number from 0 to `bound` - 1. */
  below(bound: number): number
  chance(probability: number): boolean
  /** Returns one of `items`, which must not be empty. */
  pick<T>(items: readonly T[]): T
}

export function seededChoices(seed: number): Random {
  const below = numbersBelow(seed)
  return {
    below,
    chance: probability => below(1_000_000) < probability * 1_000_000,
    pick: <T>(items: readonly T[]): T => items[below(items.length)] as T,
  }
}

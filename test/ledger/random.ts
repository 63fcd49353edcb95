import { seededRandom as numbersBelow } from '../support/random.ts'

/** Seeded choices: a failing run is repeated by its seed. */
export interface Random {
  /** A whole number from 0 to `bound` - 1. */
  below(bound: number): number
  chance(probability: number): boolean
  /** One of `items`, of which there is at least one. */
  pick<T>(items: readonly T[]): T
}

export function seededRandom(seed: number): Random {
  const below = numbersBelow(seed)
  return {
    below,
    chance: probability => below(1_000_000) < probability * 1_000_000,
    pick: <T>(items: readonly T[]): T => items[below(items.length)] as T,
  }
}

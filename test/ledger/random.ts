/** A small seeded generator (mulberry32): a failing run is repeated by its seed. */
export interface Random {
  /** A whole number from 0 to `bound` - 1. */
  below(bound: number): number
  chance(probability: number): boolean
  pick<T>(items: readonly T[]): T
}

export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const below = (bound: number): number => next() % bound
  return {
    below,
    chance: probability => next() / 2 ** 32 < probability,
    pick: <T>(items: readonly T[]): T => items[below(items.length)] as T,
  }
}

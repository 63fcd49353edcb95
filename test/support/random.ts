import { randomFrom } from '../../bench/measure.ts'

/** Returns a seeded generator of integers from 0 to `below` less 1. */
export function seededRandom(seed: number): (below: number) => number {
  const random = randomFrom(seed)
  return below => Math.floor(random() * below)
}

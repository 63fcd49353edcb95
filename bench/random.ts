/** A seeded generator, so that every run and every contender gets the same data. */

/** Numbers from 0 up to 1, the same for the same seed. The algorithm is mulberry32 by Tommy Ettinger (public domain). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
}

/** `count` members of `from`, drawn with repetition. */
export function draw<T>(from: readonly T[], count: number, random: () => number): T[] {
  return Array.from({ length: count }, () => from[Math.floor(random() * from.length)])
}

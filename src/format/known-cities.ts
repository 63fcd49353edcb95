/**
 * `known` of META: the names of the world's large cities. Each is a word of 4 bytes: the upper 28 bits of the hash of its city key
 * in no country, and in the lower 4 its size. Words ascend.
 */
import { cityHash } from './city-hash.ts'

export const KNOWN_WORD_BYTES = 4
/** People that the smallest of these cities has. */
export const KNOWN_POPULATION_MIN = 100_000

const SIZE_BITS = 4
const SIZE_MASK = (1 << SIZE_BITS) - 1
/** No country: the same name has one hash for all. */
const NOWHERE = 'ZZ'

/** The word of a city with this key. Its size is the number of times that its population doubles the smallest. */
export function knownWord(key: string, population: number): number {
  const size = Math.floor(Math.log2(Math.max(1, population / KNOWN_POPULATION_MIN)))
  return (knownHash(key) | Math.min(SIZE_MASK, size)) >>> 0
}

/** The word of the smallest city with this key. */
export function knownHash(key: string): number {
  return (cityHash(NOWHERE, key) & ~SIZE_MASK) >>> 0
}

/** Size of the city that `word` stands for when it has the hash, else -1. */
export function knownSize(word: number, hash: number): number {
  return (word & ~SIZE_MASK) >>> 0 === hash ? word & SIZE_MASK : -1
}

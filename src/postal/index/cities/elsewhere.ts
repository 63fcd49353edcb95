/** Finds places elsewhere with the exact name. A close match here must not answer for them. */
import { KNOWN_WORD_BYTES, knownHash, knownSize } from '../../format/city-hash.ts'
import { viewOf } from '../../text/bytes.ts'
import type { Country } from '../country.ts'
import type { PostalIndex } from '../postal-index.ts'
import { placesOfKey } from './city-names.ts'

/** Returns the places with the key `key` in each other country. Costs a probe of HASH for each country. */
export function placesElsewhere(index: PostalIndex, country: Country, key: string): number[][] {
  const others = index.countries.all().filter(other => other !== country)
  return others.map(other => placesOfKey(index, other, key))
}

/**
 * Returns the size of the world's largest city with this key, or of a town without codes in `country`: n for
 * 100,000 × 2ⁿ people; -1 if there is none. Costs some fifteen probes.
 */
export function knownCitySize({ meta }: PostalIndex, key: string, country?: string): number {
  const { known } = meta
  const words = viewOf(known)
  const count = Math.floor(known.byteLength / KNOWN_WORD_BYTES)
  const hash = knownHash(key, country)
  let [low, high] = [0, count]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (words.getUint32(middle * KNOWN_WORD_BYTES, true) < hash) low = middle + 1
    else high = middle
  }
  let largest = -1
  for (; low < count; low++) {
    const size = knownSize(words.getUint32(low * KNOWN_WORD_BYTES, true), hash)
    if (size < 0) break
    largest = size
  }
  return largest
}

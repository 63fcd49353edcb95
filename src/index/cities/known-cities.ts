/** The names of the world's large cities, which META has so that none is answered with a similar name of another country. */
import { KNOWN_WORD_BYTES, knownHash, knownSize } from '../../format/known-cities.ts'
import { viewOf } from '../../text/bytes.ts'
import type { PostalIndex } from '../postal-index.ts'

/**
 * How large the largest city in the world with this key is: -1 when no large one has it, else the number of times that 100,000
 * people have doubled. Costs some fifteen probes.
 */
export function knownCitySize({ meta }: PostalIndex, key: string): number {
  const { known } = meta
  if (known === undefined) return -1
  const words = viewOf(known)
  const count = Math.floor(known.byteLength / KNOWN_WORD_BYTES)
  const hash = knownHash(key)
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

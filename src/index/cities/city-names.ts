/** Finds the entries of a city key in HASH, and reads what an entry leads to. */
import { cityHash, slotOf } from '../../format/city-hash.ts'
import { HIGH_BIT, LOW_24_BITS, PLACE_WORDS } from '../../format/layout.ts'
import { cityKey } from '../../text/city.ts'
import { aliasPlaces } from '../codes/code-view.ts'
import type { Country } from '../country.ts'
import type { PostalIndex } from '../postal-index.ts'
import { plainText } from '../text-section.ts'

/**
 * Places of `country` whose name, or one of whose other names, has the key `key`. Costs one probe of HASH, and a
 * microsecond for each name compared.
 */
export function placesOfKey(index: PostalIndex, country: Country, key: string): number[] {
  const { cityTable, placeCount } = index
  const hash = cityHash(country.cc, key)
  const places: number[] = []
  let slot = slotOf(hash, cityTable.length)
  for (let probes = 0; probes < cityTable.length && cityTable[slot] !== 0; probes++) {
    const word = cityTable[slot]
    if (word >>> 24 === (hash & 0xff)) {
      const entry = (word & LOW_24_BITS) - 1
      if (entry < placeCount) {
        if (isNamed(index, country, index.places[entry * PLACE_WORDS], entry, key))
          places.push(...runOf(index, country, entry))
      } else {
        const alias = entry - placeCount
        const [first] = aliasPlaces(index, alias)
        if (isNamed(index, country, index.aliases[alias * 2], first, key))
          places.push(...aliasPlaces(index, alias))
      }
    }
    slot = slot + 1 === cityTable.length ? 0 : slot + 1
  }
  return places
}

/** The place `first` and those after it that have the same key. */
export function runOf(index: PostalIndex, country: Country, first: number): number[] {
  const end = country.meta.placeStart + country.meta.placeCount
  const run = [first]
  for (let place = first + 1; place < end && isSameKey(index, place); place++) run.push(place)
  return run
}

/** Whether `place` has the same key as the place before it. */
export function isSameKey(index: PostalIndex, place: number): boolean {
  return (index.places[place * PLACE_WORDS + 1] & HIGH_BIT) !== 0
}

function isNamed(index: PostalIndex, country: Country, name: number, place: number, key: string): boolean {
  const { placeStart, placeCount } = country.meta
  return (
    place >= placeStart && place < placeStart + placeCount && cityKey(plainText(index.text, name)) === key
  )
}

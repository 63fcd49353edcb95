/** Finds the entries of a city key in HASH, and their places. */
import { cityHash, EMPTY_SLOT, hasTag, slotEntry, slotOf } from '../../format/city-hash.ts'
import {
  ALIAS_NAME,
  ALIAS_WORDS,
  hasSameKey,
  PLACE_ADMIN,
  PLACE_NAME,
  PLACE_WORDS,
} from '../../format/place-entry.ts'
import { cityKey } from '../../text/city.ts'
import type { Country } from '../country.ts'
import { damaged } from '../index-file-error.ts'
import type { PostalIndex } from '../postal-index.ts'
import { aliasPlaces } from '../read-place.ts'
import { plainText } from '../text-section.ts'

/** Returns the places with the key `key`. Costs a probe of HASH, and 0.5 µs for each compared name. */
export function placesOfKey(index: PostalIndex, country: Country, key: string): number[] {
  const { cityTable, text } = index
  const hash = cityHash(country.cc, key)
  const places: number[] = []
  let slot = slotOf(hash, cityTable.length)
  for (let probes = 0; probes < cityTable.length && cityTable[slot] !== EMPTY_SLOT; probes++) {
    const word = cityTable[slot]
    slot = slot + 1 === cityTable.length ? 0 : slot + 1
    if (!hasTag(word, hash)) continue
    const name = nameOfEntry(index, country, slotEntry(word))
    if (name < 0 || cityKey(plainText(text, name)) !== key) continue
    for (const place of placesOfEntry(index, country, slotEntry(word))) places.push(place)
    // A key has one entry of places and one alias, so no place is found more than twice.
    if (places.length > 2 * country.meta.placeCount) damaged(`HASH repeats a name of ${country.cc}`)
  }
  return places
}

/** Returns the offset in TEXT of the name of an entry of HASH; -1 if it belongs to another country. */
export function nameOfEntry(index: PostalIndex, country: Country, entry: number): number {
  const { placeStart, placeCount, aliasStart, aliasCount } = country.meta
  if (entry < index.placeCount)
    return isWithin(entry, placeStart, placeCount) ? index.places[entry * PLACE_WORDS + PLACE_NAME] : -1
  const alias = entry - index.placeCount
  return isWithin(alias, aliasStart, aliasCount) ? index.aliases[alias * ALIAS_WORDS + ALIAS_NAME] : -1
}

export function placesOfEntry(index: PostalIndex, country: Country, entry: number): number[] {
  return entry < index.placeCount
    ? runOf(index, country, entry)
    : aliasPlaces(index, country, entry - index.placeCount)
}

function isWithin(value: number, start: number, count: number): boolean {
  return value >= start && value < start + count
}

export function runOf(
  index: PostalIndex,
  { meta: { placeStart, placeCount } }: Country,
  first: number,
): number[] {
  const end = placeStart + placeCount
  const run = [first]
  for (let place = first + 1; place < end && isSameKey(index, place); place++) run.push(place)
  return run
}

export function isSameKey({ places }: PostalIndex, place: number): boolean {
  return hasSameKey(places[place * PLACE_WORDS + PLACE_ADMIN])
}

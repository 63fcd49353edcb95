/** How many codes the places of a name have, without a list of either. */
import {
  ALIAS_PLACES,
  ALIAS_WORDS,
  hasSameKey,
  isList,
  listOffset,
  PLACE_AREA,
  PLACE_CODES,
  PLACE_WORDS,
} from '../../format/place-entry.ts'
import { aliasPlaces } from '../codes/code-view.ts'
import type { Country } from '../country.ts'
import { damaged } from '../index-file-error.ts'
import type { PostalIndex } from '../postal-index.ts'

/** Codes of the places of an entry of NAME together; a code of two of them counts twice. @throws DamagedIndexError */
export function entryCodes(index: PostalIndex, country: Country, entry: number): number {
  const { placeStart, placeCount, aliasStart, aliasCount } = country.meta
  const end = placeStart + placeCount
  if (entry < placeCount) {
    const { places } = index
    let place = placeStart + entry
    let codes = placeCodes(index, place++)
    while (place < end && hasSameKey(places[place * PLACE_WORDS + PLACE_AREA]))
      codes += placeCodes(index, place++)
    return codes
  }
  const alias = aliasStart + entry - placeCount
  if (alias >= aliasStart + aliasCount)
    damaged(`NAME has the entry ${entry}, which ${country.cc} does not have`)
  const reference = index.aliases[alias * ALIAS_WORDS + ALIAS_PLACES]
  if (!isList(reference)) return placeCodes(index, reference)
  return aliasPlaces(index, country, alias).reduce((sum, place) => sum + placeCodes(index, place), 0)
}

/** The length of a place's list in POST, read in place. */
function placeCodes({ places, lists }: PostalIndex, place: number): number {
  const reference = places[place * PLACE_WORDS + PLACE_CODES]
  if (!isList(reference)) return 1
  let at = listOffset(reference)
  let byte = lists[at++]
  let length = byte & 0x7f
  for (let shift = 7; byte >= 0x80 && shift < 35; shift += 7) {
    byte = lists[at++]
    length |= (byte & 0x7f) << shift
  }
  return length
}

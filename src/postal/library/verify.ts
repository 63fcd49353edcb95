/** Compares a city and a state with a postal code, for `/api/verify`. */

import { adminBefore } from '../format/admin-entry.ts'
import { nameOfCode } from '../format/code-entry.ts'
import { codesOfPart } from '../index/autocomplete/codes-beginning.ts'
import { areaFilter, isStateOf } from '../index/cities/area-filter.ts'
import { placesOfKey } from '../index/cities/city-names.ts'
import { editsAllowed, isLikely } from '../index/cities/close-names.ts'
import { editDistance } from '../index/cities/edit-distance.ts'
import type { Country } from '../index/country.ts'
import type { PostalIndex } from '../index/postal-index.ts'
import { placeHasCode, placeName, stateOf } from '../index/read-place.ts'
import { plainText } from '../index/text-section.ts'
import { areaKey } from '../text/area.ts'
import { cityKey } from '../text/city.ts'
import type { Fit } from './records.ts'

/** Compares a city with all names of a code's places. Only the primary one may match closely. */
export function fitOfCity(index: PostalIndex, country: Country, code: number, city: string): Fit {
  const primary = plainText(index.text, nameOfCode(index, country, code))
  // Most names are equal, and a key costs a microsecond.
  if (isSameText(city, primary)) return { verdict: 'match', value: primary }
  const key = cityKey(city)
  const primaryKey = cityKey(primary)
  if (key !== '' && key === primaryKey) return { verdict: 'match', value: primary }
  const places = key === '' ? [] : placesOfKey(index, country, key)
  const codes = codesOfPart(index.trie, country, code)
  const same = places.find(place => placeHasCode(index, place, codes))
  if (same !== undefined) return { verdict: 'match', value: placeName(index, same) }
  return {
    verdict: isNear(key, primaryKey, places.length > 0) ? 'close' : 'mismatch',
    value: primary || null,
  }
}

/** Compares the name or code of a state or another area with the areas of a code. */
export function fitOfState(index: PostalIndex, country: Country, code: number, state: string): Fit {
  const admin = adminBefore(index.text, nameOfCode(index, country, code))
  const { state: name, ST } = stateOf(index, admin)
  if (isSameText(state, name) || isSameText(state, ST)) return { verdict: 'match', value: name }
  if (areaFilter(index, country, [state])(admin)) return { verdict: 'match', value: name }
  const isKnown = isStateOf(index, country, state, [state])
  return {
    verdict: isNear(areaKey(state), areaKey(name), isKnown) ? 'close' : 'mismatch',
    value: name || null,
  }
}

function isSameText(one: string, other: string): boolean {
  return one !== '' && (one === other || one.toLowerCase() === other.toLowerCase())
}

/** Returns true if one key may mean the other. Another known name is no typing error: North Dakota. */
function isNear(key: string, other: string, isKnown: boolean): boolean {
  const limit = editsAllowed(key.length)
  if (limit === 0) return false
  const edits = editDistance(key, other, limit)
  return edits <= limit && (isKnown ? other[0] === key[0] : isLikely(key, other, edits))
}

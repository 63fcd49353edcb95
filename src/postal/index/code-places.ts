/** Finds all places of a code. The index has the codes of each place, and is inverted once per country. */

import { compareText } from '../../platform/compare-text.ts'
import { ADMIN_WORD, ADMIN_WORDS, adminBefore } from '../format/admin-entry.ts'
import { nameOfCode } from '../format/code-entry.ts'
import { PLACE_NAME, PLACE_WORDS } from '../format/place-entry.ts'
import type { Country } from './country.ts'
import type { PostalIndex } from './postal-index.ts'
import { areaText, placeAdmin, placeCodes, stateOf } from './read-place.ts'
import { plainText } from './text-section.ts'

/** Place of a code. Unknown texts are `''`. */
export interface PlaceOfRecord {
  name: string
  state: string
  ST: string
  county: string
  primary: boolean
}

/** Returns the primary place, then the others by name. Costs microseconds for each. */
export function placesOfCode(index: PostalIndex, country: Country, code: number): PlaceOfRecord[] {
  const row = (name: number, admin: number, primary: boolean): PlaceOfRecord => {
    const county = areaText(index, admin * ADMIN_WORDS + ADMIN_WORD.name2)
    return { name: plainText(index.text, name), ...stateOf(index, admin), county, primary }
  }
  const name = nameOfCode(index, country, code)
  const first = row(name, adminBefore(index.text, name), true)
  const others = listed(index, country, code)
    .map(place => row(index.places[place * PLACE_WORDS + PLACE_NAME], placeAdmin(index, place), false))
    .sort((a, b) => compareText(a.name, b.name))
  // The primary place is listed twice, and places may differ only in an area of level 3.
  const seen = new Set<string>()
  return [first, ...others].filter(({ name, state, county }) => {
    const key = `${name}\n${state}\n${county}`
    return !seen.has(key) && seen.add(key)
  })
}

interface PlacesByCode {
  readonly starts: Uint32Array
  readonly places: Uint32Array
}

const byCountry = new WeakMap<Country, PlacesByCode>()

function listed(index: PostalIndex, country: Country, code: number): number[] {
  const { starts, places } = byCountry.get(country) ?? invertPlaces(index, country)
  const at = code - country.codeStart
  return at < country.codeCount ? Array.from(places.subarray(starts[at], starts[at + 1])) : []
}

/** Inverts codes of places to places of codes. Costs some milliseconds for a country of 100,000 places. */
function invertPlaces(index: PostalIndex, country: Country): PlacesByCode {
  const { codeStart, codeCount, meta } = country
  const lists = Array.from({ length: meta.placeCount }, (_, i) =>
    placeCodes(index, country, meta.placeStart + i),
  )
  const starts = new Uint32Array(codeCount + 1)
  for (const codes of lists) for (const code of codes) starts[code - codeStart + 1]++
  for (let at = 0; at < codeCount; at++) starts[at + 1] += starts[at]
  const places = new Uint32Array(starts[codeCount])
  const next = starts.slice()
  lists.forEach((codes, i) => {
    for (const code of codes) places[next[code - codeStart]++] = meta.placeStart + i
  })
  const found = { starts, places }
  byCountry.set(country, found)
  return found
}

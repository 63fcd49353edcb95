/** Every code of an index as a plain object: what rivals are filled with, so that all hold the same data. */

import {
  aliasPlaces,
  placeAdmin,
  placeCodes,
  placeName,
  viewAdmin,
  viewCode,
} from '../../src/index/codes/code-view.ts'
import type { Country } from '../../src/index/country.ts'
import { countriesOf, type PostalIndex } from '../../src/index/postal-index.ts'
import { plainText } from '../../src/index/text-section.ts'
import { cityKey } from '../../src/text/city.ts'
import { canonicalCode } from '../../src/text/code.ts'

/** A code with its primary place. Texts are `''` and numbers null when unknown. */
export interface CodeRecord {
  country: string
  key: string
  written: string
  city: string
  name1: string
  code1: string
  name2: string
  code2: string
  name3: string
  code3: string
  latitude: number | null
  longitude: number | null
  /** How exact the position is. */
  accuracy: string
  timezone: string
  elevation: number | null
}

/** A name of a place, one record for each of its names, and the written forms of its codes. */
export interface CityRecord {
  country: string
  key: string
  name1: string
  code1: string
  codes: string[]
}

export function* codeRecords(index: PostalIndex): Generator<CodeRecord> {
  // One string per distinct text, as a careful rival would keep them.
  const texts = new Map<string, string>()
  const shared = (text: string) => {
    const known = texts.get(text)
    if (known !== undefined) return known
    texts.set(text, text)
    return text
  }
  for (const country of countriesOf(index)) {
    const { codeStart, codeCount } = country.meta
    for (let code = codeStart; code < codeStart + codeCount; code++) {
      yield recordOf(index, country, code, shared)
    }
  }
}

/** One record. @param shared gives equal texts as one string */
export function recordOf(
  index: PostalIndex,
  country: Country,
  code: number,
  shared: (text: string) => string = text => text,
): CodeRecord {
  const view = viewCode(index, country, code)
  const admin = viewAdmin(index, view.admin)
  // With the prefix that people write (`LV1001`): rivals know no rules of countries.
  const key = canonicalCode(view.written) ?? view.key
  const known = (value: number) => (Number.isNaN(value) ? null : value)
  return {
    country: country.cc,
    key,
    // Countries without a mask write the key itself: the same string then.
    written: view.written === key ? key : view.written,
    city: shared(view.city),
    name1: shared(admin.name1),
    code1: shared(admin.code1),
    name2: shared(admin.name2),
    code2: shared(admin.code2),
    name3: shared(admin.name3),
    code3: shared(admin.code3),
    latitude: known(view.lat),
    longitude: known(view.lon),
    accuracy: view.grade,
    timezone: shared(view.timezone),
    elevation: known(view.elevation),
  }
}

export function* cityRecords(index: PostalIndex): Generator<CityRecord> {
  for (const country of countriesOf(index)) {
    const { placeStart, placeCount, aliasStart, aliasCount, codeStart, codeCount } = country.meta
    const written = new Array<string>(codeCount)
    for (let code = codeStart; code < codeStart + codeCount; code++) {
      written[code - codeStart] = viewCode(index, country, code).written
    }
    const recordOfPlace = (place: number, key: string): CityRecord => {
      const { name1, code1 } = viewAdmin(index, placeAdmin(index, place))
      const codes = placeCodes(index, country, place).map(code => written[code - codeStart])
      return { country: country.cc, key, name1, code1, codes }
    }
    for (let place = placeStart; place < placeStart + placeCount; place++) {
      yield recordOfPlace(place, cityKey(placeName(index, place)))
    }
    for (let alias = aliasStart; alias < aliasStart + aliasCount; alias++) {
      const key = cityKey(plainText(index.text, index.aliases[alias * 2]))
      for (const place of aliasPlaces(index, country, alias)) yield recordOfPlace(place, key)
    }
  }
}

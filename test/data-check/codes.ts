/** The codes of one country as plain objects, in key order, with places of the gazetteer. */

import { keyOf } from '../../build-index/check/keys.ts'
import { addTo } from '../../datasets/maps.ts'
import { type City, citiesOf } from '../../datasets/reference/cities-500.ts'
import type { Country } from '../../src/postal/index/country.ts'
import type { PostalIndex } from '../../src/postal/index/postal-index.ts'
import { recordOf } from '../../src/postal/index/record-fields.ts'

export interface CheckedCode {
  key: string
  /** Degrees; NaN when the index has no position. */
  lat: number
  lon: number
  timezone: string
  /** Metres; NaN when the index has none. */
  elevation: number
  city: string
  /** Name of the level-1 area, or its code, or `''`. */
  area1: string
  code1: string
  /** Grade of the position; `''` without a position. */
  grade: string
  /** Name of the level-1 and level-2 areas. */
  area2: string
}

export interface CheckedCountry {
  index: PostalIndex
  country: Country
  cc: string
  codes: CheckedCode[]
  placed: CheckedCode[]
  cities: readonly City[]
}

/** Reads all codes of `country`. Takes a few microseconds and 200 bytes per code. */
export function checkedCountry(index: PostalIndex, country: Country): CheckedCountry {
  const { codeStart, codeCount } = country.meta
  const codes = Array.from({ length: codeCount }, (_, i): CheckedCode => {
    const code = codeStart + i
    const record = recordOf(index, country, code, '', { countyFips: true })
    const { latitude: lat = Number.NaN, longitude: lon = Number.NaN, elevation = Number.NaN } = record
    const { timezone = '', accuracy: grade = '' } = record
    const isUS = country.cc === 'US'
    const city = (isUS ? record.city : record.placeName) ?? ''
    const code1 = (isUS ? record.stateAbbrev : record.admin_code1) ?? ''
    const area1 = (isUS ? record.state : record.admin_name1) ?? code1
    const level2 = isUS ? (record.county ?? record.countyFips) : (record.admin_name2 ?? record.admin_code2)
    const area2 = level2 === undefined ? '' : `${area1} / ${level2}`
    return {
      key: keyOf(index, country, code),
      lat,
      lon,
      elevation,
      timezone,
      grade,
      city,
      code1,
      area1,
      area2,
    }
  })
  const placed = codes.filter(({ lat }) => !Number.isNaN(lat))
  return { index, country, cc: country.cc, codes, placed, cities: citiesOf(country.cc) }
}

/** Groups the values of `list` by key. Leaves out values with an empty key. */
export function groupBy<T>(list: Iterable<T>, keyOf: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const value of list) {
    const key = keyOf(value)
    if (key !== '') addTo(groups, key, value)
  }
  return groups
}

/** Returns the median, or NaN for an empty list. Sorts `numbers`. */
export function median(numbers: number[]): number {
  return numbers.length === 0 ? Number.NaN : numbers.sort((a, b) => a - b)[numbers.length >> 1]
}

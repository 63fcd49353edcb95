/** Compares two indexes code by code. */

import { formOfCode } from '../../src/postal/index/codes/written.ts'
import type { Country } from '../../src/postal/index/country.ts'
import type { CountryEntry } from '../../src/postal/index/country-table.ts'
import { withIndex } from '../../src/postal/index/open-index.ts'
import { countriesOf, countryByText, type PostalIndex } from '../../src/postal/index/postal-index.ts'
import { type Metadata, recordOf } from '../../src/postal/index/record-fields.ts'
import { isPlaced, kmBetween } from '../distance.ts'
import { codeOfKey, keyOf } from './keys.ts'

/** Largest move that is not reported. Middles of places shift with every build. */
export const MOVED_KM = 10

interface CodeChange {
  code: string
  /** Name, `lat,lon` (empty without a position), or the fields that differ. */
  before: string
  after: string
}

interface Changes {
  added: string[]
  removed: string[]
  moved: CodeChange[]
  renamed: CodeChange[]
  /** Codes with another area, time zone, elevation, accuracy, kind or written form: fields of the API that differ. */
  changed: CodeChange[]
}

export interface CountryDifference extends Changes {
  country: string
  /** Numbers of all differing codes. The lists have only the first. */
  counts: Record<keyof Changes, number>
}

/**
 * Returns the countries that differ, ascending. Takes some microseconds a code.
 * @param limit maximum length of each list of a country
 * @throws IndexFileError, or the system's error
 */
export function compareIndexes(before: string, after: string, limit: number): CountryDifference[] {
  return withIndex(before, old =>
    withIndex(after, current => {
      const names = new Set([...countriesOf(old), ...countriesOf(current)].map(({ cc }) => cc))
      return [...names]
        .sort()
        .map(country => compareCountry(country, old, current, limit))
        .filter(({ counts }) => Object.values(counts).some(count => count > 0))
    }),
  )
}

function compareCountry(
  cc: string,
  old: PostalIndex,
  current: PostalIndex,
  limit: number,
): CountryDifference {
  const counts = { added: 0, removed: 0, moved: 0, renamed: 0, changed: 0 }
  const changes: Changes = { added: [], removed: [], moved: [], renamed: [], changed: [] }
  const note = <Kind extends keyof Changes>(kind: Kind, change: Changes[Kind][number]) => {
    if (counts[kind]++ < limit) (changes[kind] as Changes[Kind][number][]).push(change)
  }
  const [oldCountry, currentCountry] = [old, current].map(index => countryByText(index, cc))
  const [form, name] = cc === 'US' ? ['zipcode', 'city'] : ['postalCode', 'placeName']
  for (const [key, country, number] of codesOf(old, oldCountry)) {
    const before = recordOfCode(old, country, number)
    const code = String(before[form])
    const currentNumber = codeIn(current, currentCountry, key)
    if (!currentCountry || currentNumber < 0) {
      note('removed', code)
      continue
    }
    const after = recordOfCode(current, currentCountry, currentNumber)
    if (before[name] !== after[name])
      note('renamed', { code, before: textOf(before[name]), after: textOf(after[name]) })
    if (hasMoved(before, after)) note('moved', { code, before: position(before), after: position(after) })
    const fields = Object.keys({ ...before, ...after }).filter(
      field => before[field] !== after[field] && ![name, 'latitude', 'longitude'].includes(field),
    )
    const listed = (record: Metadata) =>
      fields.map(field => `${field} ${JSON.stringify(textOf(record[field]))}`).join(', ')
    if (fields.length > 0) note('changed', { code, before: listed(before), after: listed(after) })
  }
  for (const [key, country, number] of codesOf(current, currentCountry))
    if (codeIn(old, oldCountry, key) < 0) note('added', formOfCode(current, country, number))
  return { country: cc, counts, ...changes }
}

type NumberedCode = [key: string, country: Country, number: number]

function* codesOf(index: PostalIndex, country: CountryEntry): Iterable<NumberedCode> {
  if (!country) return
  const { codeStart, codeCount } = country
  for (let code = codeStart; code < codeStart + codeCount; code++)
    yield [keyOf(index, country, code), country, code]
}

/** Returns the number of a key's code, negative if there is none. */
const codeIn = (index: PostalIndex, country: CountryEntry, key: string): number =>
  country ? codeOfKey(index, country, key) : -1

function recordOfCode(index: PostalIndex, country: Country, code: number): Metadata {
  return recordOf(index, country, code, formOfCode(index, country, code), { kind: true, countyFips: true })
}

function textOf(value: unknown): string {
  return String(value ?? '')
}

/** Returns true if the position moved, appeared or disappeared. */
function hasMoved(before: Metadata, after: Metadata): boolean {
  const [from, to] = [before, after].map(({ latitude: lat = Number.NaN, longitude: lon = Number.NaN }) => {
    return { lat, lon }
  })
  return isPlaced(from) !== isPlaced(to) || kmBetween(from, to) > MOVED_KM
}

function position({ latitude, longitude }: Metadata): string {
  return latitude === undefined ? '' : `${latitude},${longitude}`
}

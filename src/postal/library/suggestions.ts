/** Suggests codes and cities for a typed text, for `/api/autocomplete`. */

import { CODE_LENGTH_MAX } from '../../platform/limits.ts'
import { DEGREE_SCALE, isPlaced, latitude, longitude } from '../format/code-record.ts'
import { type CodeRange, findPrefix } from '../index/autocomplete/codes-beginning.ts'
import { type Suggestion, suggestNames } from '../index/autocomplete/suggest.ts'
import { AdminFilter } from '../index/cities/area-filter.ts'
import { CodeQuery } from '../index/codes/resolve.ts'
import { findCode } from '../index/codes/trie.ts'
import { formOfCode } from '../index/codes/written.ts'
import { type Country, hasCode, hasShape } from '../index/country.ts'
import { nameOfCode, stateOf } from '../index/places.ts'
import type { PostalIndex } from '../index/postal-index.ts'
import { plainText } from '../index/text-section.ts'
import { putTextSymbols } from '../text/code.ts'
import type { Suggestions } from './records.ts'

const NO_CODES: CodeRange = { first: 0, end: 0 }

/** Typed city and state: `Los Angeles, CA`. */
const CITY_AND_STATE = /^([^,]+),\s*([^,]+)$/

/** Returns at most `limit` codes and `limit` places that begin with `typed`, places of `state` first. @throws DamagedIndexError */
export function suggestionsOf(
  index: PostalIndex,
  country: Country,
  typed: string,
  limit: number,
  state: string | undefined,
): Suggestions {
  const namesOf = (name: string, area: string | undefined) => {
    const filter = area === undefined ? undefined : new AdminFilter(index, country, [area])
    return suggestNames(index, country, name, limit, filter && (admin => filter.acceptsAdmin(admin)))
  }
  let names = namesOf(typed, state)
  const match = names.length === 0 ? CITY_AND_STATE.exec(typed) : null
  if (match !== null) names = namesOf(match[1], match[2])
  const begun = rangeOf(index, country, typed)
  // Resolving costs more than all the rest, and the name of a city is no code.
  const isNothing = begun.first === begun.end && names.length === 0
  const range = isNothing ? codeMeant(index, country, typed) : begun
  return { codes: codesOf(index, country, range, limit), places: names.map(name => placeOf(index, name)) }
}

function codesOf(
  index: PostalIndex,
  country: Country,
  { first, end }: CodeRange,
  limit: number,
): Suggestions['codes'] {
  const { codes } = index
  const suggested: Suggestions['codes'] = []
  for (let code = first; code < Math.min(first + limit, end); code++) {
    const postalCode = formOfCode(index, country, code)
    const placeName = plainText(index.text, nameOfCode(index, country, code))
    const north = latitude(codes, code) / DEGREE_SCALE
    const east = longitude(codes, code) / DEGREE_SCALE
    suggested.push(
      isPlaced(codes, code)
        ? { postalCode, placeName, latitude: north, longitude: east }
        : { postalCode, placeName },
    )
  }
  return suggested
}

/** Returns the codes that begin with `typed`. If there are none, returns the first part that `typed` extends: `SW1A` for `SW1A 1`. */
function rangeOf({ trie }: PostalIndex, country: Country, typed: string): CodeRange {
  const symbols = new Uint8Array(CODE_LENGTH_MAX)
  const length = putTextSymbols(typed, symbols)
  const range = length === 0 ? NO_CODES : findPrefix(trie, country, symbols, length)
  if (range.first < range.end) return range
  for (const tail of country.tails)
    for (let after = 1; after <= tail.length && after < length; after++) {
      if (!hasShape(symbols, length - after, tail.subarray(0, after))) continue
      const code = findCode(trie, country.root, symbols, 0, length - after)
      if (code >= 0) return { first: code, end: code + 1 }
    }
  return NO_CODES
}

/** Returns the code that `typed` resolves to, such as `CEP 01310-100`. */
function codeMeant({ trie }: PostalIndex, country: Country, typed: string): CodeRange {
  const code = new CodeQuery().find(trie, country, typed)
  return hasCode(country, code) ? { first: code, end: code + 1 } : NO_CODES
}

function placeOf(index: PostalIndex, { name, areas, codes }: Suggestion): Suggestions['places'][number] {
  return {
    placeName: plainText(index.text, name),
    codes,
    areas: areas.map(admin => {
      const { state, ST } = stateOf(index, admin)
      return { name: state, code: ST }
    }),
  }
}

/** Codes and cities for what somebody is typing: the answer of `/api/autocomplete`. */
import { DEGREE_SCALE, isPlaced, latitude, longitude } from '../format/code-record.ts'
import { findPrefix } from '../index/autocomplete/codes-beginning.ts'
import { type Suggestion, suggestNames } from '../index/autocomplete/suggest.ts'
import { formOfCode } from '../index/codes/written.ts'
import type { Country } from '../index/country.ts'
import { nameOfCode, stateOf } from '../index/places.ts'
import type { PostalIndex } from '../index/postal-index.ts'
import { plainText } from '../index/text-section.ts'
import { CODE_LENGTH_MAX } from '../limits.ts'
import { putTextSymbols } from '../text/code.ts'
import type { Suggestions } from './records.ts'

const symbols = new Uint8Array(CODE_LENGTH_MAX)

/** Returns at most `limit` codes and `limit` places that begin with `typed`. @throws DamagedIndexError */
export function suggestionsOf(
  index: PostalIndex,
  country: Country,
  typed: string,
  limit: number,
): Suggestions {
  return {
    codes: codesOf(index, country, typed, limit),
    places: suggestNames(index, country, typed, limit).map(name => placeOf(index, name)),
  }
}

function codesOf(index: PostalIndex, country: Country, typed: string, limit: number): Suggestions['codes'] {
  const length = putTextSymbols(typed, symbols)
  if (length === 0) return []
  const { first, end } = findPrefix(index.trie, country, symbols, length)
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

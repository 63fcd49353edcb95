/** Codes and names that somebody who is typing may mean: the answer of `/api/autocomplete`. */
import { ADMIN_WORDS } from '../format/admin-entry.ts'
import { DEGREE_SCALE, isPlaced, latitude, longitude } from '../format/code-record.ts'
import { type Suggestion, suggestNames } from '../index/autocomplete/suggest.ts'
import { findPrefix } from '../index/codes/prefix.ts'
import { formOfCode } from '../index/codes/written.ts'
import type { Country } from '../index/country.ts'
import { nameOfCode } from '../index/places.ts'
import type { PostalIndex } from '../index/postal-index.ts'
import { CODE_LENGTH_MAX } from '../limits.ts'
import { putTextSymbols } from '../text/code.ts'
import type { Suggestions } from './records.ts'
import type { IndexTexts } from './texts.ts'

const symbols = new Uint8Array(CODE_LENGTH_MAX)

/** At most `limit` codes and as many places of `country` that `typed` may become. @throws DamagedIndexError */
export function suggestionsOf(
  index: PostalIndex,
  texts: IndexTexts,
  country: Country,
  typed: string,
  limit: number,
): Suggestions {
  return {
    codes: codesOf(index, texts, country, typed, limit),
    places: suggestNames(index, country, typed, limit).map(name => placeOf(texts, name)),
  }
}

function codesOf(
  index: PostalIndex,
  texts: IndexTexts,
  country: Country,
  typed: string,
  limit: number,
): Suggestions['codes'] {
  const length = putTextSymbols(typed, symbols)
  if (length === 0) return []
  const { first, end } = findPrefix(index.trie, country, symbols, length)
  const { codes } = index
  const suggested: Suggestions['codes'] = []
  for (let code = first; code < Math.min(first + limit, end); code++) {
    const postalCode = formOfCode(index, country, code)
    const placeName = texts.once(nameOfCode(index, country, code))
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

function placeOf(texts: IndexTexts, { name, areas, codes }: Suggestion): Suggestions['places'][number] {
  return {
    placeName: texts.once(name),
    codes,
    areas: areas.map(admin => {
      const { state, ST } = texts.level1(admin * ADMIN_WORDS)
      return { name: state, code: ST }
    }),
  }
}

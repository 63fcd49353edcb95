/** What somebody who is typing may mean: the answer of `/api/autocomplete`. */
import { DEGREE_SCALE, isPlaced, latitude, longitude } from '../format/code-record.ts'
import { suggestNames } from '../index/autocomplete/suggest.ts'
import type { Suggestion } from '../index/autocomplete/suggestion.ts'
import { nameOfCode } from '../index/codes/code-name.ts'
import { type CodeRange, findPrefix } from '../index/codes/prefix.ts'
import { formOfCode } from '../index/codes/written.ts'
import type { Country } from '../index/country.ts'
import { IndexFileError } from '../index/index-file-error.ts'
import type { PostalIndex } from '../index/postal-index.ts'
import { CODE_LENGTH_MAX } from '../limits.ts'
import { putTextSymbols } from './code-finder.ts'
import type { Suggestions } from './records.ts'
import type { IndexTexts } from './texts.ts'

const symbols = new Uint8Array(CODE_LENGTH_MAX)

/**
 * At most `limit` codes and as many places of `country` that `typed` may become.
 * @throws IndexFileError when the index was built before it could answer this, DamagedIndexError
 */
export function suggestionsOf(
  index: PostalIndex,
  texts: IndexTexts,
  country: Country,
  typed: string,
  limit: number,
): Suggestions {
  const names = suggestNames(index, country, typed, limit)
  if (names === undefined)
    throw new IndexFileError('the index', 'it was built before names could be suggested')
  return {
    codes: codesOf(index, texts, country, typed, limit),
    places: names.map(name => placeOf(texts, name)),
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
  const range: CodeRange = { first: 0, end: 0 }
  findPrefix(index.trie, country, symbols, 0, length, range)
  const count = Math.min(limit, range.end - range.first)
  return Array.from({ length: count }, (_, i) => {
    const code = range.first + i
    const { codes } = index
    const suggested = {
      postalCode: formOfCode(index, country, code),
      placeName: texts.once(nameOfCode(index, country, code)),
    }
    if (!isPlaced(codes, code)) return suggested
    return {
      ...suggested,
      latitude: latitude(codes, code) / DEGREE_SCALE,
      longitude: longitude(codes, code) / DEGREE_SCALE,
    }
  })
}

function placeOf(texts: IndexTexts, { name, areas, codes }: Suggestion): Suggestions['places'][number] {
  return {
    placeName: texts.once(name),
    codes,
    areas: areas.map(admin => {
      const { state, ST } = texts.level1(admin)
      return { name: state, code: ST }
    }),
  }
}

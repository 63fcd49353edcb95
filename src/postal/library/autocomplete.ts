/** Suggests codes and cities for a typed text, for `/api/autocomplete`. */

import { DEGREE_SCALE, isPlaced, latitude, longitude, nameOfCode } from '../format/code-entry.ts'
import { findPrefix } from '../index/autocomplete/codes-beginning.ts'
import { type Suggestion, suggestNames } from '../index/autocomplete/names-beginning.ts'
import { areaFilter } from '../index/cities/area-filter.ts'
import { CodeQuery } from '../index/codes/code-query.ts'
import { findCode } from '../index/codes/trie.ts'
import { formOfCode } from '../index/codes/written.ts'
import { type Country, endsIn, hasCode } from '../index/country.ts'
import type { PostalIndex } from '../index/postal-index.ts'
import { stateOf } from '../index/read-place.ts'
import { plainText } from '../index/text-section.ts'
import { CODE_LENGTH_MAX } from '../limits.ts'
import { putTextSymbols, SYMBOLS } from '../text/code-symbols.ts'
import type { Suggestions } from './records.ts'

/** Typed city and state: `Los Angeles, CA`. */
const CITY_AND_STATE = /^([^,]+),\s*([^,]+)$/

/** Returns at most `limit` codes and `limit` places that begin with `typed`, places of `state` first. */
export function suggestionsOf(
  index: PostalIndex,
  country: Country,
  typed: string,
  limit: number,
  state: string | undefined,
): Suggestions {
  const namesOf = (name: string, area: string | undefined) => {
    const isPreferred = area === undefined ? undefined : areaFilter(index, country, [area])
    return suggestNames(index, country, name, limit, isPreferred)
  }
  let names = namesOf(typed, state)
  const match = names.length === 0 ? CITY_AND_STATE.exec(typed) : null
  if (match !== null) names = namesOf(match[1], match[2])
  const begun = codesOf(index, country, typed, limit)
  // Resolving costs more than all the rest, and the name of a city is no code.
  const codes = begun.length === 0 && names.length === 0 ? codeMeant(index, country, typed) : begun
  return {
    codes: codes.map(code => suggestedCode(index, country, code)),
    places: names.map(name => placeOf(index, name)),
  }
}

function suggestedCode(index: PostalIndex, country: Country, code: number): Suggestions['codes'][number] {
  const { codes, text } = index
  const postalCode = formOfCode(index, country, code)
  const placeName = plainText(text, nameOfCode(index, country, code))
  const [north, east] = [latitude(codes, code) / DEGREE_SCALE, longitude(codes, code) / DEGREE_SCALE]
  return isPlaced(codes, code)
    ? { postalCode, placeName, latitude: north, longitude: east }
    : { postalCode, placeName }
}

/**
 * Returns at most `limit` codes that begin with `typed`, or else the short code that it extends: `SW1A` for
 * `SW1A 1`. A typed space counts: `SK1 2` means `SK1` or `SK1 2AA`, not `SK12`.
 */
function codesOf(index: PostalIndex, country: Country, typed: string, limit: number): number[] {
  const { trie } = index
  const symbols = new Uint8Array(CODE_LENGTH_MAX)
  const length = putTextSymbols(typed, symbols)
  if (length === 0) return []
  const [last] = /[^ -]*$/.exec(typed.trim()) ?? ['']
  if (last.length < length && length < CODE_LENGTH_MAX) {
    const spaced = spacedCodes(index, country, typed.trim().toUpperCase(), symbols, length, limit)
    const short = shortCode(trie, country, symbols, length, last.length, last.length)
    if (short >= 0) return [short, ...spaced]
    if (spaced.length > 0) return spaced
  }
  const { first, end } = findPrefix(trie, country, symbols, length)
  const short = first < end ? -1 : shortCode(trie, country, symbols, length, 1, length - 1)
  if (short >= 0) return [short]
  return Array.from({ length: Math.min(limit, end - first) }, (_, i) => first + i)
}

/** Returns the codes whose written form begins with `typed`, by the symbol that follows. */
function spacedCodes(
  index: PostalIndex,
  country: Country,
  typed: string,
  symbols: Uint8Array,
  length: number,
  limit: number,
): number[] {
  const whole = findCode(index.trie, country.root, symbols, 0, length)
  const found = whole >= 0 && formOfCode(index, country, whole).startsWith(typed) ? [whole] : []
  for (let next = 0; next < SYMBOLS.length; next++) {
    symbols[length] = next
    const { first, end } = findPrefix(index.trie, country, symbols, length + 1)
    for (let code = first; code < end && found.length < limit; code++) {
      if (!formOfCode(index, country, code).startsWith(typed)) break
      found.push(code)
    }
  }
  return found
}

/** Returns the code before a tail of which `symbols` have at least `least` and at most `most`, or -1. */
function shortCode(
  trie: Uint32Array,
  { root, tails }: Country,
  symbols: Uint8Array,
  length: number,
  least: number,
  most: number,
): number {
  for (const tail of tails)
    for (let after = least; after <= Math.min(most, tail.length, length - 1); after++) {
      if (!endsIn(symbols, length - after, tail.slice(0, after))) continue
      const code = findCode(trie, root, symbols, 0, length - after)
      if (code >= 0) return code
    }
  return -1
}

/** Returns the code that `typed` resolves to, such as `CEP 01310-100`. */
function codeMeant({ trie }: PostalIndex, country: Country, typed: string): number[] {
  const code = new CodeQuery().find(trie, country, typed)
  return hasCode(country, code) ? [code] : []
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

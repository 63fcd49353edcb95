/** Finds the postal codes of a city: by its name, another of its names, or the closest name. */
import { ADMIN_WORD, ADMIN_WORDS } from '../../format/admin-entry.ts'
import { KNOWN_WORD_BYTES, knownHash, knownSize } from '../../format/city-hash.ts'
import { viewOf } from '../../text/bytes.ts'
import { cityKey } from '../../text/city.ts'
import { formOfCode } from '../codes/written.ts'
import type { Country } from '../country.ts'
import type { PostalIndex } from '../postal-index.ts'
import { placeAdmin, placeCodeCount, placeCodes, placeName, stateOf } from '../read-place.ts'
import { areaFilter } from './area-filter.ts'
import { placesOfKey } from './city-names.ts'
import { closestNames } from './close-names.ts'

export interface CityQuery {
  city: string
  /** Name or code of an administrative area; undefined for any. */
  state: string | undefined
  /** Second filter, of the field `ST`. Both must hold. */
  ST: string | undefined
}

/** Asked part of a city's codes, by place in their order. */
interface Page {
  first: number
  end: number
}

export interface CityAnswer {
  /** Codes of the asked page. */
  codes: string[]
  /** Number of all codes. */
  total: number
  /** Name of a close match; undefined for an exact one. Unknown texts are `''`. */
  matched: { city: string; state: string; ST: string } | undefined
}

/**
 * Returns the codes of a city; undefined if no name in the given state is close enough. An exact name in the
 * state wins. A close name must be in the state, and yields to a larger place elsewhere with the exact name.
 * Costs microseconds for an exact name, or the scan of `closestNames`, and 0.5 µs for each code of the page.
 */
export function searchCity(
  index: PostalIndex,
  country: Country,
  query: CityQuery,
  page: Page = { first: 0, end: Number.POSITIVE_INFINITY },
): CityAnswer | undefined {
  const { key, accepts, named, exact } = exactPlaces(index, country, query)
  if (key === '') return undefined
  if (exact.length > 0) return { ...codesOf(index, country, exact, page), matched: undefined }
  if (knownCitySize(index, key, country.cc) >= 0) return undefined
  const best = largest(
    index,
    closestNames(index, country, key, accepts).flatMap(places => byRegion(index, places)),
  )
  if (best === undefined) return undefined
  const count = codeCount(index, best)
  if (codeCount(index, named) > count || isLargerElsewhere(index, country, key, count)) return undefined
  const size = knownCitySize(index, key)
  if (size >= 0 && size >= knownCitySize(index, cityKey(placeName(index, best[0])))) return undefined
  const matched = { city: placeName(index, best[0]), ...stateOf(index, placeAdmin(index, best[0])) }
  return { ...codesOf(index, country, wholeTown(index, country, best, accepts), page), matched }
}

/** Returns the number of codes of the places with the exact name. A code of two places counts twice. */
export function exactCodes(index: PostalIndex, country: Country, query: CityQuery): number {
  return codeCount(index, exactPlaces(index, country, query).exact)
}

function exactPlaces(index: PostalIndex, country: Country, { city, state, ST }: CityQuery) {
  const key = cityKey(city)
  const areas = [state, ST].filter(area => area !== undefined)
  const isInside = areaFilter(index, country, areas)
  const accepts = (place: number) => areas.length === 0 || isInside(placeAdmin(index, place))
  const named = key === '' ? [] : placesOfKey(index, country, key)
  return { key, accepts, named, exact: named.filter(accepts) }
}

/** Returns all places of the region of `best` with its name, also as another name. */
function wholeTown(
  index: PostalIndex,
  country: Country,
  best: readonly number[],
  accepts: (place: number) => boolean,
): readonly number[] {
  const key = cityKey(placeName(index, best[0]))
  if (best.some(place => cityKey(placeName(index, place)) !== key)) return best
  const all = [...new Set(placesOfKey(index, country, key))].filter(accepts)
  return byRegion(index, all).find(places => places.includes(best[0])) ?? best
}

/**
 * Returns true if a town in another country has the exact name and more codes: Paris in Italy does not mean
 * Bari. Costs a probe of HASH for each country.
 */
function isLargerElsewhere(index: PostalIndex, country: Country, key: string, count: number): boolean {
  const others = index.countries.all().filter(other => other !== country)
  const towns = others.flatMap(other => byRegion(index, placesOfKey(index, other, key)))
  return towns.some(town => codeCount(index, town) > count)
}

/**
 * Returns the size of the world's largest city with this key, or of a town without codes in `country`: n for
 * 100,000 × 2ⁿ people; -1 if there is none. Costs some fifteen probes.
 */
function knownCitySize({ meta }: PostalIndex, key: string, country?: string): number {
  const { known } = meta
  const words = viewOf(known)
  const count = Math.floor(known.byteLength / KNOWN_WORD_BYTES)
  const hash = knownHash(key, country)
  let [low, high] = [0, count]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (words.getUint32(middle * KNOWN_WORD_BYTES, true) < hash) low = middle + 1
    else high = middle
  }
  let largest = -1
  for (; low < count; low++) {
    const size = knownSize(words.getUint32(low * KNOWN_WORD_BYTES, true), hash)
    if (size < 0) break
    largest = size
  }
  return largest
}

function codeCount(index: PostalIndex, places: readonly number[]): number {
  return places.reduce((sum, place) => sum + placeCodeCount(index, place), 0)
}

/** Groups places by region: a close match means the places of one region. */
function byRegion(index: PostalIndex, places: readonly number[]): number[][] {
  const regions = new Map<string, number[]>()
  for (const place of places) {
    // Equal texts have one offset: two thousand places called Centro are grouped without reading a text.
    const at = placeAdmin(index, place) * ADMIN_WORDS
    const [name, code] = [index.admins[at + ADMIN_WORD.name1], index.admins[at + ADMIN_WORD.code1]]
    const region = code === 0 ? `name ${name}` : `code ${code}`
    const known = regions.get(region)
    if (known === undefined) regions.set(region, [place])
    else known.push(place)
  }
  return [...regions.values()]
}

/** Returns the town with the most codes, the first of several; undefined for an empty list. */
function largest(index: PostalIndex, towns: readonly number[][]): number[] | undefined {
  let best: number[] | undefined
  let most = 0
  for (const places of towns) {
    const codes = codeCount(index, places)
    if (codes > most) {
      most = codes
      best = places
    }
  }
  return best
}

/**
 * Returns the forms of a page, ascending, like keys with few exceptions: `W1 1AA` is before `W11 1AA`, its
 * key is not. Such forms begin alike up to a separator, so those around the ends of a page are read with it.
 */
function codesOf(index: PostalIndex, country: Country, places: readonly number[], { first, end }: Page) {
  const all = codeIndexes(index, country, places)
  const equalLength = Math.min(...country.meta.masks.map(mask => mask.search(/[^#]/)))
  const beginningAt = (at: number) => formOfCode(index, country, all[at]).slice(0, equalLength)
  let [from, to] = [Math.min(first, all.length), Math.min(end, all.length)]
  if (from > 0 && from < all.length)
    for (const beginning = beginningAt(from); from > 0 && beginningAt(from - 1) === beginning; ) from--
  if (to > 0 && to < all.length)
    for (const beginning = beginningAt(to - 1); to < all.length && beginningAt(to) === beginning; ) to++
  const forms: string[] = []
  for (let at = from; at < to; at++) forms.push(formOfCode(index, country, all[at]))
  // Without separators, the forms are the keys.
  if (equalLength < Number.POSITIVE_INFINITY) forms.sort()
  return { codes: forms.slice(first - from, end - from), total: all.length }
}

/** Returns the codes of places, ascending, each once. */
function codeIndexes(
  index: PostalIndex,
  country: Country,
  places: readonly number[],
): number[] | Uint32Array {
  if (places.length === 1) return placeCodes(index, country, places[0])
  const codes = new Uint32Array(codeCount(index, places))
  let end = 0
  for (const place of places) for (const code of placeCodes(index, country, place)) codes[end++] = code
  return codes.sort().filter((code, i) => code !== codes[i - 1])
}

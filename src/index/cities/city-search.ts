/** Finds the postal codes of a city: by its name, by another name of it, or by the nearest name. */
import { ADMIN_WORDS } from '../../format/admin-entry.ts'
import { cityKey } from '../../text/city.ts'
import { adminField, placeAdmin, placeCodeCount, placeCodes, placeName } from '../codes/code-view.ts'
import { formListBytes, putFormList } from '../codes/written.ts'
import type { Country } from '../country.ts'
import type { PostalIndex } from '../postal-index.ts'
import { unescaped } from '../text-section.ts'
import { AdminFilter } from './city-filter.ts'
import { placesOfKey } from './city-names.ts'
import { closestNames } from './close-names.ts'
import { placesElsewhere } from './elsewhere.ts'
import { knownCitySize } from './known-cities.ts'

export interface CityQuery {
  city: string
  /** Name or code of a state or other administrative area; undefined: any. */
  state: string | undefined
  /** The same, as clients send it in another field; both filters hold. */
  stateCode: string | undefined
}

/** A city that was found, before its codes are listed. */
export interface CityMatch {
  places: readonly number[]
  /** Of all places together; a code of two of them counts twice. */
  codeCount: number
  /** The name that was meant; undefined when the match was exact. Texts are `''` where the index has none. */
  matched: CityAnswer['matched']
}

export interface CityAnswer {
  /** Written forms, ascending, without repetitions. */
  codes: string[]
  /** The name that was meant; undefined when the match was exact. Texts are `''` where the index has none. */
  matched: { city: string; state: string; stateCode: string } | undefined
}

/** `findCity` and the codes of what it found: some microseconds, and one for each code. @throws DamagedIndexError */
export function searchCity(index: PostalIndex, country: Country, query: CityQuery): CityAnswer | undefined {
  const found = findCity(index, country, query)
  return found && { codes: codesOf(index, country, found), matched: found.matched }
}

/**
 * The places of a city, or undefined when no name in the given state is near enough. An exact name in the given state always
 * wins; a close one never leaves it, and yields to a larger place of that very name elsewhere. Costs some microseconds
 * when the name is exact, and the scan of `closestNames` when it is not.
 */
export function findCity(index: PostalIndex, country: Country, query: CityQuery): CityMatch | undefined {
  const key = cityKey(query.city)
  if (key === '') return undefined
  const areas = [query.state, query.stateCode].filter(area => area !== undefined)
  const filter = new AdminFilter(index, country, areas)
  const accepts = (place: number) => filter.accepts(place)
  const named = placesOfKey(index, country, key)
  const exact = named.filter(accepts)
  if (exact.length > 0) return { places: exact, codeCount: codeCount(index, exact), matched: undefined }
  const best = largest(
    index,
    closestNames(index, country, key, accepts).flatMap(places => byRegion(index, places)),
  )
  if (best === undefined) return undefined
  const count = codeCount(index, best)
  if (codeCount(index, named) > count || isLargerElsewhere(index, country, key, count)) return undefined
  const size = knownCitySize(index, key)
  if (size >= 0 && size >= knownCitySize(index, cityKey(placeName(index, best[0])))) return undefined
  const places = wholeTown(index, country, best, accepts)
  return { places, codeCount: codeCount(index, places), matched: matchedPlace(index, best) }
}

/** All places of the region of `best` that have its name, be it their own or another one of theirs. */
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
 * Whether a town of another country has this very name and more than `count` codes: who asks for Paris in Italy does not mean
 * Bari. Some 20 microseconds.
 */
function isLargerElsewhere(index: PostalIndex, country: Country, key: string, count: number): boolean {
  return placesElsewhere(index, country, key).some(places =>
    byRegion(index, places).some(town => codeCount(index, town) > count),
  )
}

function codeCount(index: PostalIndex, places: readonly number[]): number {
  return places.reduce((sum, place) => sum + placeCodeCount(index, place), 0)
}

/** A name may stand in several regions; a close match means one of them. */
function byRegion(index: PostalIndex, places: readonly number[]): number[][] {
  const regions = new Map<string, number[]>()
  for (const place of places) {
    // A code has several names where the sources disagree. Equal texts have one offset, so that two thousand places called Centro are grouped without reading a text.
    const at = placeAdmin(index, place) * ADMIN_WORDS
    const region = index.admins[at + 1] === 0 ? `name ${index.admins[at]}` : `code ${index.admins[at + 1]}`
    const known = regions.get(region)
    if (known === undefined) regions.set(region, [place])
    else known.push(place)
  }
  return [...regions.values()]
}

/** The town with the most codes, the first of several; undefined for an empty list. */
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

/** Written forms of the codes of `places`, ascending, each once. @throws DamagedIndexError */
function codesOf(index: PostalIndex, country: Country, { places }: CityMatch): string[] {
  return unescaped(Buffer.from(codeList(index, country, places)).toString('latin1'))
}

/** What `putCodes` writes, in a buffer of its own. @throws DamagedIndexError */
export function codeList(
  index: PostalIndex,
  country: Country,
  places: readonly number[],
): Uint8Array<ArrayBuffer> {
  const codes = codeIndexes(index, country, places)
  const list = new Uint8Array(formListBytes(codes.length))
  return list.slice(0, putList(index, country, codes, list, 0))
}

/**
 * Writes the codes of `places` to `out` at `at` as a JSON array: their written forms, ascending, each once. Some 0.1
 * microseconds for each code.
 * @param out room for `formListBytes` of their number from `at` on
 * @returns where the array ends @throws DamagedIndexError
 */
export function putCodes(
  index: PostalIndex,
  country: Country,
  places: readonly number[],
  out: Uint8Array,
  at: number,
): number {
  return putList(index, country, codeIndexes(index, country, places), out, at)
}

function putList(
  index: PostalIndex,
  country: Country,
  codes: ArrayLike<number>,
  out: Uint8Array,
  at: number,
): number {
  const end = putFormList(index, country, codes, out, at)
  // Code indexes ascend with the keys, and nearly always with the written forms.
  if (end >= 0) return end
  const list = Buffer.from(out.buffer, out.byteOffset + at, -end - at)
  list.write(JSON.stringify(unescaped<string[]>(list.toString('latin1')).sort()), 'latin1')
  return -end
}

/** Code indexes of all `places`, ascending, each once. */
function codeIndexes(index: PostalIndex, country: Country, places: readonly number[]): ArrayLike<number> {
  if (places.length === 1) return placeCodes(index, country, places[0])
  const all = Uint32Array.from(places.flatMap(place => placeCodes(index, country, place))).sort()
  let count = 0
  for (const code of all) if (count === 0 || all[count - 1] !== code) all[count++] = code
  return all.subarray(0, count)
}

function matchedPlace(index: PostalIndex, [place]: readonly number[]) {
  const admin = placeAdmin(index, place)
  return {
    city: placeName(index, place),
    state: adminField(index, admin, 0),
    stateCode: adminField(index, admin, 1),
  }
}

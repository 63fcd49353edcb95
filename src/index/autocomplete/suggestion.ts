/** What a name stands for: how many codes its places have, and in which areas they are. */
import { ADMIN_WORDS } from '../../format/admin-entry.ts'
import { AREAS_PER_SUGGESTION_MAX, SUGGESTIONS_KEPT_MAX } from '../../limits.ts'
import { runOf } from '../cities/city-names.ts'
import { aliasPlaces, placeAdmin, placeCodeCount } from '../codes/code-view.ts'
import type { Country } from '../country.ts'
import type { PostalIndex } from '../postal-index.ts'
import { nameOffsetOf } from './name-range.ts'

export interface Suggestion {
  /** Below the country's number of places a place, else an alias. */
  readonly entry: number
  /** Offset of the name in TEXT. */
  readonly name: number
  /** The places of an alias, ascending; none for a name of their own. */
  readonly aliased: readonly number[]
  /** Codes of the places together; a code of two of them counts twice. */
  readonly codes: number
  /** Their level-1 areas as words of ADMN, at most `AREAS_PER_SUGGESTION_MAX`, those with the most codes first. */
  readonly areas: readonly number[]
}

/** A name with as many places is kept once it has been suggested: summing up 400 places takes 15 microseconds. */
const KEPT_PLACES_MIN = 9

/** Names with many places, by number; the world has 10,888 of them. A new index has none at first. */
const kept = new WeakMap<PostalIndex, Map<number, Suggestion>>()

/** A microsecond or less for each place, the first time. @throws DamagedIndexError */
export function suggestionOf(index: PostalIndex, country: Country, entry: number): Suggestion {
  const { placeStart, placeCount, aliasStart } = country.meta
  const alias = aliasStart + entry - placeCount
  const isAlias = entry >= placeCount
  const number = isAlias ? index.placeCount + alias : placeStart + entry
  const known = kept.get(index)?.get(number)
  if (known !== undefined) return known
  const places = isAlias ? aliasPlaces(index, country, alias) : runOf(index, country, placeStart + entry)
  const sum = sumUp(index, places)
  const name = nameOffsetOf(index, country, entry)
  const suggestion = { entry, name, aliased: isAlias ? places : NONE, codes: sum.codes, areas: sum.areas }
  if (places.length >= KEPT_PLACES_MIN) keep(index, number, suggestion)
  return suggestion
}

const NONE: readonly number[] = []

function keep(index: PostalIndex, number: number, suggestion: Suggestion): void {
  let list = kept.get(index)
  if (list === undefined || list.size >= SUGGESTIONS_KEPT_MAX) {
    list = new Map()
    kept.set(index, list)
  }
  list.set(number, suggestion)
}

function sumUp(index: PostalIndex, places: readonly number[]): Pick<Suggestion, 'codes' | 'areas'> {
  if (places.length > 1) return sumUpAll(index, places)
  const [place] = places
  const admin = placeAdmin(index, place) * ADMIN_WORDS
  return { codes: placeCodeCount(index, place), areas: index.admins[admin] === 0 ? NONE : [admin] }
}

function sumUpAll(index: PostalIndex, places: readonly number[]): Pick<Suggestion, 'codes' | 'areas'> {
  /** The areas in the order of their first places: each as a word of ADMN, with its codes. */
  const admins: number[] = []
  const sums: number[] = []
  let total = 0
  let area = 0
  for (const place of places) {
    const codes = placeCodeCount(index, place)
    total += codes
    const admin = placeAdmin(index, place) * ADMIN_WORDS
    // By the offset of the name: equal texts have one.
    const name = index.admins[admin]
    if (name === 0) continue
    // Places of one area mostly follow each other.
    if (area >= admins.length || index.admins[admins[area]] !== name)
      for (area = 0; area < admins.length && index.admins[admins[area]] !== name; ) area++
    if (area < admins.length) sums[area] += codes
    else {
      admins.push(admin)
      sums.push(codes)
    }
  }
  return { codes: total, areas: largest(admins, sums) }
}

/** Those of `admins` with the largest `sums`; of equal ones the first comes first. Spoils `sums`. */
function largest(admins: readonly number[], sums: number[]): number[] {
  const taken: number[] = []
  while (taken.length < Math.min(admins.length, AREAS_PER_SUGGESTION_MAX)) {
    let most = 0
    for (let area = 1; area < sums.length; area++) if (sums[area] > sums[most]) most = area
    taken.push(admins[most])
    sums[most] = -1
  }
  return taken
}

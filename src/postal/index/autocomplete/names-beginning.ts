/** Suggests cities for a beginning of a name, each once: full names, preferred areas, then by size. */

import { ADMIN_WORDS } from '../../format/admin-entry.ts'
import {
  NAME_ENTRY,
  NAME_LEAD,
  NAME_WORDS,
  nameEntry,
  nameShared,
  nameSize,
  SHARED_MAX,
  SIZE_MAX,
} from '../../format/names.ts'
import { ALIAS_PLACES, ALIAS_WORDS } from '../../format/place-entry.ts'
import { AREAS_PER_SUGGESTION_MAX } from '../../limits.ts'
import { nameText } from '../../text/city.ts'
import { Best } from '../best.ts'
import { isSameKey, nameOfEntry, placesOfEntry } from '../cities/city-names.ts'
import type { Country } from '../country.ts'
import { damaged } from '../index-file-error.ts'
import type { PostalIndex } from '../postal-index.ts'
import { placeAdmin, placeCodeCount } from '../read-place.ts'
import { plainText } from '../text-section.ts'
import { type Beginning, hasBeginning, typedName } from './typed-name.ts'

/** A name that is not the own one of its places counts as if they had a 64th of their codes. */
const OTHER_NAME = 10
/** Rank of names outside the preferred areas: after every name inside. */
const ELSEWHERE = 64

export interface Suggestion {
  readonly name: number
  /** Codes of all its places; a code of two places counts twice. */
  readonly codes: number
  /** Indexes in ADMN of their level-1 areas, at most five, those with the most codes first. */
  readonly areas: readonly number[]
}

/** Positions in NAME of the names that begin so. */
interface NameRange extends Beginning {
  readonly start: number
  readonly end: number
}

type Positions = Pick<NameRange, 'start' | 'end'>

/** True if an area is preferred, by its index in ADMN. */
type Preferred = (admin: number) => boolean

/** Returns at most `limit` names that `typed` may become. Takes microseconds; milliseconds for one letter. */
export function suggestNames(
  index: PostalIndex,
  country: Country,
  typed: string,
  limit: number,
  preferred?: Preferred,
): Suggestion[] {
  const { whole, beginnings } = typedName(typed)
  const ranges = beginnings.map(beginning => rangeOf(index, country, beginning))
  const exact = exactRange(index, country, ranges, whole)
  const exactEntries: number[] = []
  for (let at = exact.start; at < exact.end; at++) {
    const entry = entryAt(index, at)
    exactEntries.push(isCovered(index, country, ranges, at) ? ownEntry(index, country, entry) : entry)
  }
  // Several names may lead to one city, so more are read than wanted.
  for (let wanted = limit; ; wanted *= 2) {
    const best = bestOf(index, country, ranges, exact, wanted, preferred)
    const entries = onePerCity(index, country, [...exactEntries, ...best.map(at => entryAt(index, at))])
    if (entries.length >= limit || best.length < wanted)
      return entries.slice(0, limit).map(found => suggestionOf(index, country, found, preferred))
  }
}

/** Returns the best names by area and size, then position, without exact and covered ones. */
function bestOf(
  index: PostalIndex,
  country: Country,
  ranges: readonly NameRange[],
  exact: Positions,
  wanted: number,
  preferred: Preferred | undefined,
): number[] {
  const { names } = index
  const best = new Best(wanted)
  for (const { start, end } of ranges)
    for (let at = start; at < end; at++) {
      const word = names[at * NAME_WORDS + NAME_ENTRY]
      let key = SIZE_MAX - nameSize(word) + (nameEntry(word) < index.placeCount ? 0 : OTHER_NAME)
      if (key > best.bound || (at >= exact.start && at < exact.end)) continue
      const places = preferred === undefined ? [] : placesOfEntry(index, country, nameEntry(word))
      if (preferred !== undefined && !places.some(place => preferred(placeAdmin(index, place))))
        key += ELSEWHERE
      if (!isCovered(index, country, ranges, at)) best.take(key, at)
    }
  return best.numbers
}

function entryAt({ names }: PostalIndex, position: number): number {
  return nameEntry(names[position * NAME_WORDS + NAME_ENTRY])
}

function rangeOf(index: PostalIndex, country: Country, beginning: Beginning): NameRange {
  const { nameStart, nameCount } = country.meta
  const end = nameStart + nameCount
  const start = lowerBound(nameStart, end, at => compare(index, country, at, beginning) < 0)
  return {
    ...beginning,
    start,
    end: lowerBound(start, end, at => compare(index, country, at, beginning) <= 0),
  }
}

/** Returns the first position that is not before the sought one, or `end`. */
function lowerBound(from: number, end: number, isBefore: (position: number) => boolean): number {
  let [low, high] = [from, end]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isBefore(middle)) low = middle + 1
    else high = middle
  }
  return low
}

/** Compares the name at `position` with `beginning`: 0 when it begins so. */
function compare(index: PostalIndex, country: Country, position: number, beginning: Beginning): number {
  const { text, lead, mask, isLead } = beginning
  const found = (index.names[position * NAME_WORDS + NAME_LEAD] & mask) >>> 0
  if (found !== lead) return found - lead
  if (isLead) return 0
  const name = textAt(index, country, position)
  if (!name.startsWith(text)) return name < text ? -1 : 1
  return hasBeginning(name, beginning) ? 0 : 1
}

/** Returns the names equal to `whole`. They come first in their range. */
function exactRange(
  index: PostalIndex,
  country: Country,
  ranges: readonly NameRange[],
  whole: string,
): Positions {
  const range = ranges.find(({ text }) => text === whole)
  if (range === undefined) return { start: 0, end: 0 }
  let end = range.start
  while (end < range.end && textAt(index, country, end) === whole) end++
  return { start: range.start, end }
}

function textAt(index: PostalIndex, country: Country, position: number): string {
  return nameText(plainText(index.text, nameOffset(index, country, entryAt(index, position))))
}

function nameOffset(index: PostalIndex, country: Country, entry: number): number {
  const offset = nameOfEntry(index, country, entry)
  if (offset < 0) damaged(`NAME has the entry ${entry}, which ${country.cc} does not have`)
  return offset
}

/** True for an alias whose places' own name also fits what was typed. Mostly its mark decides. */
function isCovered(
  index: PostalIndex,
  country: Country,
  beginnings: readonly Beginning[],
  position: number,
): boolean {
  const word = index.names[position * NAME_WORDS + NAME_ENTRY]
  const shared = nameShared(word)
  if (shared === 0) return false
  const [{ text }] = beginnings
  if (beginnings.length === 1 && (shared < SHARED_MAX || text.length <= SHARED_MAX))
    return text.length <= shared
  const own = nameOffset(index, country, ownEntry(index, country, nameEntry(word)))
  const ownText = nameText(plainText(index.text, own))
  return beginnings.some(beginning => hasBeginning(ownText, beginning))
}

function ownEntry(index: PostalIndex, country: Country, entry: number): number {
  return firstOfKey(index, country, placesOfEntry(index, country, entry)[0])
}

function firstOfKey(index: PostalIndex, country: Country, place: number): number {
  let first = place
  while (first > country.meta.placeStart && isSameKey(index, first)) first--
  return first
}

/** Returns the entry that names most codes: an own name (København, with København K), or else the alias. */
function shownEntry(index: PostalIndex, country: Country, entry: number): number {
  if (entry < index.placeCount) return entry
  const codes = new Map<number, number>()
  for (const place of placesOfEntry(index, country, entry)) {
    const own = firstOfKey(index, country, place)
    codes.set(own, (codes.get(own) ?? 0) + placeCodeCount(index, place))
  }
  if (codes.size === 1) return [...codes.keys()][0]
  const names = Array.from(codes, ([own, count]) => {
    const text = nameText(plainText(index.text, nameOffset(index, country, own)))
    return { own, count, text }
  })
  const largest = names.reduce((one, other) => (other.count > one.count ? other : one))
  const shown = names.reduce(
    (one, other) =>
      other.text.length < one.text.length && largest.text.startsWith(`${other.text} `) ? other : one,
    largest,
  )
  let balance = 0
  for (const { text, count } of names) balance += text.startsWith(shown.text) ? count : -count
  return balance > 0 ? shown.own : entry
}

interface Found {
  entry: number
  /** The entry whose name is shown. */
  shown: number
}

/** Keeps the first entry of each city. Aliases with the same places are one. */
function onePerCity(index: PostalIndex, country: Country, entries: readonly number[]): Found[] {
  const { aliases, placeCount } = index
  const found: Found[] = []
  const cities: number[] = []
  for (const entry of entries) {
    const shown = shownEntry(index, country, entry)
    const alias = shown - placeCount
    // Negative for an alias, so that it never equals a place. Equal lists of POST have one offset.
    const city = alias < 0 ? shown : -1 - aliases[alias * ALIAS_WORDS + ALIAS_PLACES]
    if (cities.includes(city)) continue
    cities.push(city)
    found.push({ entry, shown })
  }
  return found
}

function suggestionOf(
  index: PostalIndex,
  country: Country,
  { entry, shown }: Found,
  preferred: Preferred | undefined,
): Suggestion {
  const name = nameOffset(index, country, shown)
  const places = placesOfEntry(index, country, entry)
  const { codes, areas } = sumUp(index, places)
  if (preferred === undefined) return { name, codes, areas }
  const near = places.filter(place => preferred(placeAdmin(index, place)))
  const all = [...sumUp(index, near).areas, ...areas.filter(admin => !preferred(admin))]
  return { name, codes, areas: all.slice(0, AREAS_PER_SUGGESTION_MAX) }
}

/** Adds up codes and areas of places: areas with more codes first, ties by first place. */
function sumUp(index: PostalIndex, places: readonly number[]) {
  let codes = 0
  const areas: { name: number; admin: number; codes: number }[] = []
  for (const place of places) {
    const count = placeCodeCount(index, place)
    codes += count
    const admin = placeAdmin(index, place)
    // Equal texts have one offset.
    const name = index.admins[admin * ADMIN_WORDS]
    const area = areas.find(other => other.name === name)
    if (area !== undefined) area.codes += count
    else if (name !== 0) areas.push({ name, admin, codes: count })
  }
  areas.sort((a, b) => b.codes - a.codes)
  return { codes, areas: areas.slice(0, AREAS_PER_SUGGESTION_MAX).map(({ admin }) => admin) }
}

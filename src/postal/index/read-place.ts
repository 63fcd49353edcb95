/** Names, areas and codes of places. All functions throw DamagedIndexError for a contradictory file. */
import { ADMIN_WORD, ADMIN_WORDS } from '../format/admin-entry.ts'
import {
  ALIAS_PLACES,
  ALIAS_WORDS,
  adminOf,
  isList,
  listOffset,
  PLACE_ADMIN,
  PLACE_CODES,
  PLACE_NAME,
  PLACE_WORDS,
} from '../format/place-entry.ts'
import type { CodeRange } from './autocomplete/codes-beginning.ts'
import type { Country } from './country.ts'
import { damaged } from './index-file-error.ts'
import type { PostalIndex } from './postal-index.ts'
import { hasIndex, listLength, plainText, readList } from './text-section.ts'

export function placeName(index: PostalIndex, place: number): string {
  return plainText(index.text, index.places[place * PLACE_WORDS + PLACE_NAME])
}

export function placeAdmin(index: PostalIndex, place: number): number {
  return checkedAdmin(index, adminOf(index.places[place * PLACE_WORDS + PLACE_ADMIN]))
}

export function placeCodes(index: PostalIndex, country: Country, place: number): number[] {
  const { codeStart, codeCount } = country
  return references(index, index.places[place * PLACE_WORDS + PLACE_CODES], codeStart, codeStart + codeCount)
}

/** Returns true if a place has one of some codes. Makes no list: London has 100,000 codes. */
export function placeHasCode(index: PostalIndex, place: number, { first, end }: CodeRange): boolean {
  const reference = index.places[place * PLACE_WORDS + PLACE_CODES]
  if (isList(reference)) return hasIndex(index.lists, listOffset(reference), first, end)
  return reference >= first && reference < end
}

export function placeCodeCount(index: PostalIndex, place: number): number {
  const reference = index.places[place * PLACE_WORDS + PLACE_CODES]
  return isList(reference) ? listLength(index.lists, listOffset(reference)) : 1
}

export function aliasPlaces(index: PostalIndex, country: Country, alias: number): number[] {
  const { placeStart, placeCount } = country.meta
  return references(
    index,
    index.aliases[alias * ALIAS_WORDS + ALIAS_PLACES],
    placeStart,
    placeStart + placeCount,
  )
}

/** Returns the text of a word of ADMN. It is decoded once: many codes share the name of a state. */
export function areaText({ text, admins, areaTexts }: PostalIndex, word: number): string {
  const offset = admins[word]
  let area = areaTexts.get(offset)
  if (area === undefined) {
    area = plainText(text, offset)
    areaTexts.set(offset, area)
  }
  return area
}

export function stateOf(index: PostalIndex, admin: number): { state: string; ST: string } {
  const first = checkedAdmin(index, admin) * ADMIN_WORDS
  return { state: areaText(index, first + ADMIN_WORD.name1), ST: areaText(index, first + ADMIN_WORD.code1) }
}

function checkedAdmin({ admins }: PostalIndex, admin: number): number {
  if (admin * ADMIN_WORDS >= admins.length) damaged(`ADMN has no entry ${admin}`)
  return admin
}

function references(index: PostalIndex, reference: number, start: number, end: number): number[] {
  if (isList(reference)) return readList(index.lists, listOffset(reference), start, end)
  if (!(reference >= start && reference < end))
    damaged(`index ${reference} found, ${start} to ${end - 1} expected`)
  return [reference]
}

/** One postal code with all that the index knows of it, as plain values: for verification, comparison and tools. */

import {
  ADMIN_EXTRA,
  ADMIN_FIELDS,
  ADMIN_WORDS,
  ADMIN_ZONE,
  type AdminField,
  adminBefore,
} from '../../format/admin-entry.ts'
import {
  ACCURACIES,
  type Accuracy,
  accuracyAt,
  DEGREE_SCALE,
  elevation,
  hasElevation,
  isPlaced,
  latitude,
  longitude,
} from '../../format/code-record.ts'
import {
  ALIAS_PLACES,
  ALIAS_WORDS,
  areaAdmin,
  isList,
  listOffset,
  PLACE_AREA,
  PLACE_CODES,
  PLACE_NAME,
  PLACE_WORDS,
} from '../../format/place-entry.ts'
import { LIST_SYMBOLS_MAX } from '../../format/trie-layout.ts'
import { CODE_LENGTH_MAX } from '../../limits.ts'
import { SYMBOLS } from '../../text/code.ts'
import type { Country } from '../country.ts'
import { damaged } from '../index-file-error.ts'
import type { IndexSections, PostalIndex } from '../postal-index.ts'
import { escapedText, listLength, plainText, readList, unescaped } from '../text-section.ts'
import { nameOfCode } from './code-name.ts'
import { codeSymbols } from './trie.ts'
import { formOfCode } from './written.ts'

export interface AdminView extends Record<AdminField, string> {
  extra: Record<string, string>
}

export interface CodeView {
  key: string
  written: string
  /** Degrees; NaN when unknown. */
  lat: number
  lon: number
  timezone: string
  /** Metres; NaN when unknown. */
  elevation: number
  /** How exact the position is; `''` when the file does not say. */
  grade: Accuracy
  /** Name of the primary place, and its index into ADMN. */
  city: string
  admin: number
}

const scratch = new Uint8Array(CODE_LENGTH_MAX + LIST_SYMBOLS_MAX)

/** The code with index `code`, which must be one of `country`. Costs some microseconds; not for the request path. */
export function viewCode(index: PostalIndex, country: Country, code: number): CodeView {
  const length = codeSymbols(index.trie, country.root, code, scratch)
  const { codes, text } = index
  const name = nameOfCode(index, country, code)
  const admin = checkedAdmin(index, adminBefore(text, name))
  return {
    key: Array.from(scratch.subarray(0, length), symbol => SYMBOLS[symbol]).join(''),
    written: formOfCode(index, country, code),
    lat: isPlaced(codes, code) ? latitude(codes, code) / DEGREE_SCALE : Number.NaN,
    lon: isPlaced(codes, code) ? longitude(codes, code) / DEGREE_SCALE : Number.NaN,
    timezone: index.zones.name(index.admins[admin * ADMIN_WORDS + ADMIN_ZONE]),
    elevation: hasElevation(codes, code) ? elevation(codes, code) : Number.NaN,
    grade: ACCURACIES[accuracyAt(index.accuracies, code)],
    city: plainText(text, name),
    admin,
  }
}

/** @throws DamagedIndexError, as all of these do */
export function placeName(index: PostalIndex, place: number): string {
  return plainText(index.text, index.places[place * PLACE_WORDS + PLACE_NAME])
}

/** Index into ADMN of a place. */
export function placeAdmin(index: Pick<IndexSections, 'places' | 'admins'>, place: number): number {
  return checkedAdmin(index, areaAdmin(index.places[place * PLACE_WORDS + PLACE_AREA]))
}

/** Code indexes of a place of `country`, ascending. */
export function placeCodes(index: PostalIndex, country: Country, place: number): number[] {
  const { codeStart, codeCount } = country
  return references(index, index.places[place * PLACE_WORDS + PLACE_CODES], codeStart, codeStart + codeCount)
}

/** How many codes a place has. Costs no list. */
export function placeCodeCount(index: Pick<IndexSections, 'places' | 'lists'>, place: number): number {
  const reference = index.places[place * PLACE_WORDS + PLACE_CODES]
  return isList(reference) ? listLength(index.lists, listOffset(reference)) : 1
}

/** Place indexes of an alias of `country`, ascending. */
export function aliasPlaces(index: PostalIndex, country: Country, alias: number): number[] {
  const { placeStart, placeCount } = country.meta
  return references(
    index,
    index.aliases[alias * ALIAS_WORDS + ALIAS_PLACES],
    placeStart,
    placeStart + placeCount,
  )
}

/** Field `field` (0 to 5: name 1, code 1, name 2, …) of an administrative entry. */
export function adminField(index: PostalIndex, admin: number, field: number): string {
  return plainText(index.text, index.admins[checkedAdmin(index, admin) * ADMIN_WORDS + field])
}

/** An administrative entry as plain values. */
export function viewAdmin(index: PostalIndex, admin: number): AdminView {
  const fields = ADMIN_FIELDS.map((name, field) => [name, adminField(index, admin, field)])
  const extra = escapedText(index.text, index.admins[admin * ADMIN_WORDS + ADMIN_EXTRA])
  return { ...(Object.fromEntries(fields) as Record<AdminField, string>), extra: unescaped(`{${extra}}`) }
}

function checkedAdmin({ admins }: Pick<IndexSections, 'admins'>, admin: number): number {
  if (admin * ADMIN_WORDS >= admins.length) damaged(`ADMN has no entry ${admin}`)
  return admin
}

/** The indexes of a reference, each at least `start` and below `end`. */
function references(index: PostalIndex, reference: number, start: number, end: number): number[] {
  if (isList(reference)) return readList(index.lists, listOffset(reference), start, end)
  if (!(reference >= start && reference < end))
    damaged(`index ${reference} found, ${start} to ${end - 1} expected`)
  return [reference]
}

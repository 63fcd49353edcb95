/** One postal code with all that the index knows of it, as plain values: for verification, comparison and tools. */
import {
  DEGREE_SCALE,
  elevation,
  hasElevation,
  isPlaced,
  latitude,
  longitude,
} from '../../format/code-record.ts'
import {
  ADMIN_EXTRA,
  ADMIN_WORDS,
  ADMIN_ZONE,
  HIGH_BIT,
  LOW_24_BITS,
  PLACE_WORDS,
} from '../../format/layout.ts'
import { SYMBOLS } from '../../text/code.ts'
import type { Country } from '../country.ts'
import type { PostalIndex } from '../postal-index.ts'
import { adminBefore, escapedText, listLength, plainText, readList } from '../text-section.ts'
import { nameOfCode } from './code-name.ts'
import { codeSymbols } from './trie.ts'
import { writtenForm } from './written.ts'

export interface AdminView {
  name1: string
  code1: string
  name2: string
  code2: string
  name3: string
  code3: string
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
  /** Name of the primary place, and its index into ADMN. */
  city: string
  admin: number
}

const scratch = new Uint8Array(16)

/** The code with index `code`, which must be one of `country`. Costs some microseconds; not for the request path. */
export function viewCode(index: PostalIndex, country: Country, code: number): CodeView {
  const length = codeSymbols(index.trie, country.root, code, scratch)
  const { codes, text } = index
  const name = nameOfCode(index, country, code)
  const admin = adminBefore(text, name)
  return {
    key: Array.from(scratch.subarray(0, length), symbol => SYMBOLS[symbol]).join(''),
    written: writtenForm(index, country, code),
    lat: isPlaced(codes, code) ? latitude(codes, code) / DEGREE_SCALE : Number.NaN,
    lon: isPlaced(codes, code) ? longitude(codes, code) / DEGREE_SCALE : Number.NaN,
    timezone: index.zones.name(index.admins[admin * ADMIN_WORDS + ADMIN_ZONE]),
    elevation: hasElevation(codes, code) ? elevation(codes, code) : Number.NaN,
    city: plainText(text, name),
    admin,
  }
}

export function placeName(index: PostalIndex, place: number): string {
  return plainText(index.text, index.places[place * PLACE_WORDS])
}

/** Index into ADMN of a place. */
export function placeAdmin(index: PostalIndex, place: number): number {
  return index.places[place * PLACE_WORDS + 1] & LOW_24_BITS
}

/** Code indexes of a place, ascending. */
export function placeCodes(index: PostalIndex, place: number): number[] {
  return references(index, index.places[place * PLACE_WORDS + 2])
}

/** How many codes a place has. Costs no list. */
export function placeCodeCount(index: PostalIndex, place: number): number {
  const word = index.places[place * PLACE_WORDS + 2]
  return (word & HIGH_BIT) === 0 ? 1 : listLength(index.lists, word & ~HIGH_BIT)
}

/** Place indexes of an alias, ascending. */
export function aliasPlaces(index: PostalIndex, alias: number): number[] {
  return references(index, index.aliases[alias * 2 + 1])
}

/** Field `field` (0 to 5: name 1, code 1, name 2, …) of an administrative entry. */
export function adminField(index: PostalIndex, admin: number, field: number): string {
  return plainText(index.text, index.admins[admin * ADMIN_WORDS + field])
}

export function viewAdmin(index: PostalIndex, admin: number): AdminView {
  const [name1, code1, name2, code2, name3, code3] = [0, 1, 2, 3, 4, 5].map(field =>
    adminField(index, admin, field),
  )
  const extra = JSON.parse(`{${escapedText(index.text, index.admins[admin * ADMIN_WORDS + ADMIN_EXTRA])}}`)
  return { name1, code1, name2, code2, name3, code3, extra }
}

function references(index: PostalIndex, word: number): number[] {
  return (word & HIGH_BIT) === 0 ? [word] : readList(index.lists, word & ~HIGH_BIT)
}

/** One postal code with all that the index knows of it, as plain values: for verification, comparison and tools. */
import {
  ACCURACY_MASK,
  ACCURACY_SHIFT,
  ADMIN_WORDS,
  DEGREE_SCALE,
  HIGH_BIT,
  LOW_24_BITS,
  NO_ELEVATION,
  NO_POSITION,
  PLACE_WORDS,
} from '../format/layout.ts'
import { SYMBOLS } from '../text/code.ts'
import type { Country } from './country.ts'
import type { PostalIndex } from './postal-index.ts'
import { escapedText, listLength, plainText, readList } from './text.ts'
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
  accuracy: number
  timezone: string
  /** Metres; NaN when unknown. */
  elevation: number
  primary: number
}

const scratch = new Uint8Array(16)

/** The code with index `code`, which must be one of `country`. Costs some microseconds; not for the request path. */
export function viewCode(index: PostalIndex, country: Country, code: number): CodeView {
  const length = codeSymbols(index.trie, country.root, code, scratch)
  const at = code * 4
  const word = index.codes[at]
  const elevation = (index.codes[at + 3] << 16) >> 16
  return {
    key: Array.from(scratch.subarray(0, length), symbol => SYMBOLS[symbol]).join(''),
    written: writtenForm(index, country, code),
    lat: degrees(index.codes[at + 1]),
    lon: degrees(index.codes[at + 2]),
    accuracy: (word >>> ACCURACY_SHIFT) & ACCURACY_MASK,
    timezone: index.meta.zones[index.codes[at + 3] >>> 16],
    elevation: elevation === NO_ELEVATION ? Number.NaN : elevation,
    primary: word & LOW_24_BITS,
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
  const extra = JSON.parse(`{${escapedText(index.text, index.admins[admin * ADMIN_WORDS + 6])}}`)
  return { name1, code1, name2, code2, name3, code3, extra }
}

function references(index: PostalIndex, word: number): number[] {
  return (word & HIGH_BIT) === 0 ? [word] : readList(index.lists, word & ~HIGH_BIT)
}

function degrees(value: number): number {
  return value === NO_POSITION ? Number.NaN : value / DEGREE_SCALE
}

/** An open index: the sections as typed arrays, ready for the functions in the folders next to this file. */

import type { SharedMemory } from '../../platform/shared-memory.ts'
import { SECTION_NAMES } from '../format/layout.ts'
import { type PackedMeta, SOURCE_FIELDS, type SourceMeta } from '../format/meta.ts'
import { type Country, openCountry } from './country.ts'
import { countrySection } from './country-section.ts'
import { type CountryEntry, CountryTable, countrySlotOf, NO_COUNTRY, NO_DATA } from './country-table.ts'
import { IndexFileError } from './index-file-error.ts'
import { type Loans, loansOf } from './loans.ts'
import { checkedMeta, isListOf, isMapOf, isText, unpacked, zoneNames } from './meta-section.ts'
import { type PostTable, postTable } from './post-table.ts'
import { readSections, type SectionFile, verifySection } from './sections.ts'

/** Sections of records by the names that the code has for them: arrays of words, and of bytes. */
const WORDS = {
  trie: 'TRIE',
  codes: 'CODE',
  places: 'PLAC',
  placeSignatures: 'PSIG',
  aliases: 'ALIA',
  aliasSignatures: 'ASIG',
  cityTable: 'HASH',
  admins: 'ADMN',
  near: 'NEAR',
  names: 'NAME',
} as const
const BYTES = { lists: 'POST', text: 'TEXT', grades: 'ACCU' } as const

type Views = Readonly<Record<keyof typeof WORDS, Uint32Array> & Record<keyof typeof BYTES, Uint8Array>>

export interface PostalIndex extends Views {
  readonly path: string
  readonly file: SectionFile
  readonly meta: PackedMeta
  readonly countries: CountryTable
  /** Readers of its memory, on this and other threads. */
  readonly loans: Loans
  readonly zones: readonly string[]
  /** Decoded texts of areas, by their offsets in TEXT. */
  readonly areaTexts: Map<number, string>
  readonly posts: PostTable
  readonly nearFloats: Float32Array
  readonly placeCount: number
}

/**
 * Returns the index in `memory`, whose bytes must not change. Reads the head and the ranges of countries, and
 * verifies CTRY, RULE and META. @param id of the loan, when another thread has lent the memory
 * @throws IndexFileError
 */
export function readIndex(memory: SharedMemory, path: string, id?: number): PostalIndex {
  if (!isLittleEndian()) throw new IndexFileError(path, 'an index is little-endian and this machine is not')
  const file = readSections(memory.bytes, path)
  const { sections } = file
  // Unlike a wrong record, a wrong rule would spoil every answer, and these sections are small.
  for (const name of ['CTRY', 'RULE', 'META'] as const) verifySection(sections[name], name, path)
  // Copied, 140 KB for the world: unpacking makes views, which may be kept longer than the index, and
  // msgpackr crashes on a SharedArrayBuffer. Not with `slice`, which for a Buffer copies nothing.
  const meta = checkedMeta(new Uint8Array(sections.META.bytes), path)
  const countries = countrySection(file, new Uint8Array(sections.RULE.bytes), path)
  const index: PostalIndex = {
    path,
    file,
    meta,
    loans: loansOf(
      path,
      memory.handle,
      () => {
        emptyIndex(index)
        return memory.release()
      },
      id,
    ),
    countries: new CountryTable(meta.iso, countries.names, meta.synonyms, cc =>
      openCountry(countries.read(cc)),
    ),
    ...viewsOf(sections),
    zones: zoneNames(meta, path),
    areaTexts: new Map(),
    posts: postTable(meta.posts),
  }
  return index
}

/** Returns the ISO 3166-1 code of a country or a synonym, in either case. */
export function isoOf({ meta }: PostalIndex, country: string): string {
  const cc = country.toUpperCase()
  return meta.synonyms[cc] ?? cc
}

/** Returns the country of a text such as `us`. */
export function countryByText({ countries }: PostalIndex, text: unknown): CountryEntry {
  return typeof text === 'string' ? countries.at(countrySlotOf(text)) : NO_COUNTRY
}

export function countriesOf(index: PostalIndex): Country[] {
  return index.countries.all()
}

/** Reason why a country has no codes here: the index lacks them, or the country has none. */
export type Absence = 'no data' | 'no postal codes'

export function absentCountries(index: PostalIndex): { country: string; absence: Absence }[] {
  const countries: string[] = index.meta.iso.match(/../g) ?? []
  return countries
    .filter(cc => countryByText(index, cc) === NO_DATA)
    .map(cc => ({ country: cc, absence: index.posts.of(cc) === undefined ? 'no postal codes' : 'no data' }))
}

/** Returns the sources of the codes, by the numbers in countries. Unpacks them: for tools and pages. */
export function sourcesOf(index: PostalIndex): SourceMeta[] {
  return unpacked(index.meta.sources, 'the sources in META', areSources)
}

/** Sources that enriched the codes. Unpacked at each call. @throws DamagedIndexError */
export function creditsOf(index: PostalIndex): SourceMeta[] {
  return unpacked(index.meta.credits, 'the credits in META', areSources)
}

function areSources(value: unknown): value is SourceMeta[] {
  return isListOf(
    value,
    (source): source is SourceMeta =>
      isMapOf(source, isText) && SOURCE_FIELDS.every(field => Object.hasOwn(source, field)),
  )
}

function viewsOf(sections: SectionFile['sections']) {
  const words = Object.entries(WORDS).map(([name, section]) => {
    const { bytes } = sections[section]
    return [name, new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)]
  })
  const bytes = Object.entries(BYTES).map(([name, section]) => [name, sections[section].bytes])
  const views = Object.fromEntries([...words, ...bytes]) as Views
  const { buffer, byteOffset, length } = views.near
  return {
    ...views,
    nearFloats: new Float32Array(buffer, byteOffset, length),
    placeCount: sections.PLAC.count,
  }
}

/** Makes every section empty: whoever still holds the index must not touch memory that is gone. */
function emptyIndex(index: PostalIndex): void {
  const { sections } = index.file
  for (const name of SECTION_NAMES) sections[name] = { bytes: new Uint8Array(0), crc: 0, count: 0 }
  Object.assign(index, viewsOf(sections))
}

function isLittleEndian(): boolean {
  return new Uint8Array(Uint16Array.of(1).buffer)[0] === 1
}

/** An open index: the sections as typed arrays, ready for the functions beside this file. */
import { endianness } from 'node:os'
import { unpack } from 'msgpackr'
import type { IndexMeta } from '../format/meta.ts'
import { type Piece, pieceOf } from '../text/piece.ts'
import type { Country } from './country.ts'
import { buildCountryTable, type CountryEntry, countrySlot } from './country-table.ts'
import { mapFile } from './map-file.ts'
import {
  IndexFileError,
  REMEDY,
  readSections,
  type Section,
  type SectionFile,
  verifySection,
  verifySections,
} from './sections.ts'

export interface PostalIndex {
  readonly path: string
  /** False where mmap is missing and the file was read into memory. */
  readonly mapped: boolean
  readonly file: SectionFile
  readonly meta: IndexMeta
  /** By `countrySlot`. */
  readonly countries: readonly CountryEntry[]
  readonly trie: Uint32Array
  readonly codes: Int32Array
  readonly places: Uint32Array
  readonly placeCount: number
  readonly placeSignatures: Uint32Array
  readonly aliases: Uint32Array
  readonly aliasSignatures: Uint32Array
  readonly cityTable: Uint32Array
  readonly lists: Uint8Array
  readonly admins: Uint32Array
  readonly text: Uint8Array
  readonly written: Uint32Array
  /** Time zones, escaped for JSON, by index; the first is empty. */
  readonly zones: readonly Piece[]
}

/**
 * Opens the index file at `path`. Costs a few milliseconds whatever its size: only header, section table and META are read.
 * @throws IndexFileError when it is not a sound index file, the system's error when it cannot be opened
 */
export function openIndex(path: string): PostalIndex {
  if (endianness() !== 'LE')
    throw new IndexFileError('the index file is little-endian and this machine is not')
  const { bytes, mapped } = mapFile(path)
  const file = readSections(bytes, path)
  const { sections } = file
  const meta = readMeta(file, path)
  return {
    path,
    mapped,
    file,
    meta,
    countries: buildCountryTable(meta, words(sections.WRIT)),
    trie: words(sections.TRIE),
    codes: new Int32Array(
      sections.CODE.bytes.buffer,
      sections.CODE.bytes.byteOffset,
      sections.CODE.bytes.length / 4,
    ),
    places: words(sections.PLAC),
    placeCount: sections.PLAC.count,
    placeSignatures: words(sections.PSIG),
    aliases: words(sections.ALIA),
    aliasSignatures: words(sections.ASIG),
    cityTable: words(sections.HASH),
    lists: sections.POST.bytes,
    admins: words(sections.ADMN),
    text: sections.TEXT.bytes,
    written: words(sections.WRIT),
    zones: meta.zones.map(zone => pieceOf(JSON.stringify(zone).slice(1, -1))),
  }
}

/** Checks every checksum; see `verifySections` for its cost. @throws IndexFileError */
export function verifyIndex(index: PostalIndex): void {
  verifySections(index.file, index.path)
}

/** The country of a text such as `us`; see `country-table.ts` for what null and undefined mean. */
export function countryByText(index: PostalIndex, text: string): CountryEntry {
  return text.length === 2 ? index.countries[countrySlot(text.charCodeAt(0), text.charCodeAt(1))] : undefined
}

/** Every country that has codes, ascending. */
export function countriesOf(index: PostalIndex): Country[] {
  return index.meta.countries.map(meta => countryByText(index, meta.cc) as Country)
}

function words(section: Section): Uint32Array {
  return new Uint32Array(section.bytes.buffer, section.bytes.byteOffset, section.bytes.length / 4)
}

/** META is small, and unlike a wrong record a wrong rule would spoil every answer: its checksum is always checked. */
function readMeta(file: SectionFile, path: string): IndexMeta {
  verifySection(file, 'META', path)
  const meta: IndexMeta = unpack(file.sections.META.bytes)
  const { TRIE, CODE, PLAC, ALIA } = file.sections
  for (const country of meta.countries) {
    const inside =
      country.root < TRIE.count &&
      country.codeStart + country.codeCount <= CODE.count &&
      country.placeStart + country.placeCount <= PLAC.count &&
      country.aliasStart + country.aliasCount <= ALIA.count
    if (!inside) {
      throw new IndexFileError(`${path}: the ranges of ${country.cc} leave their sections; ${REMEDY}`)
    }
  }
  return meta
}

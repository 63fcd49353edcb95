/** An open index: the sections as typed arrays, ready for the functions beside this file. */
import { endianness } from 'node:os'
import { unpack } from 'msgpackr'
import type { PackedMeta, SourceMeta } from '../format/meta.ts'
import { mapFile } from '../platform/map-file.ts'
import { type Country, countryOf } from './country.ts'
import { CountrySection } from './country-section.ts'
import { type CountryEntry, CountryTable, countrySlot } from './country-table.ts'
import {
  IndexFileError,
  readSections,
  type Section,
  type SectionFile,
  verifySection,
  verifySections,
} from './sections.ts'
import { ZoneTable } from './zone-table.ts'

export interface PostalIndex {
  readonly path: string
  /** False where mmap is missing and the file was read into memory. */
  readonly mapped: boolean
  readonly file: SectionFile
  readonly meta: PackedMeta
  readonly countries: CountryTable
  readonly trie: Uint32Array
  readonly codes: Uint32Array
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
  readonly zones: ZoneTable
}

/**
 * Opens the index file at `path`. Costs a fraction of a millisecond whatever its size: only header, section table and the
 * ranges of the countries are read, and the checksums of what is not a record.
 * @throws IndexFileError when it is not a sound index file, the system's error when it cannot be opened
 */
export function openIndex(path: string): PostalIndex {
  if (endianness() !== 'LE')
    throw new IndexFileError('the index file is little-endian and this machine is not')
  const { bytes, mapped } = mapFile(path)
  const file = readSections(bytes, path)
  const { sections } = file
  // Unlike a wrong record, a wrong rule would spoil every answer, and these sections are small.
  for (const name of ['CTRY', 'RULE', 'META'] as const) verifySection(file, name, path)
  const meta: PackedMeta = unpack(sections.META.bytes)
  const countries = new CountrySection(file, path)
  const written = words(sections.WRIT)
  return {
    path,
    mapped,
    file,
    meta,
    countries: new CountryTable(meta.iso, countries.names, meta.synonyms, cc =>
      countryOf(countries.read(cc), written),
    ),
    trie: words(sections.TRIE),
    codes: words(sections.CODE),
    places: words(sections.PLAC),
    placeCount: sections.PLAC.count,
    placeSignatures: words(sections.PSIG),
    aliases: words(sections.ALIA),
    aliasSignatures: words(sections.ASIG),
    cityTable: words(sections.HASH),
    lists: sections.POST.bytes,
    admins: words(sections.ADMN),
    text: sections.TEXT.bytes,
    written,
    zones: new ZoneTable(meta.zones),
  }
}

/** Checks every checksum; see `verifySections` for its cost. @throws IndexFileError */
export function verifyIndex(index: PostalIndex): void {
  verifySections(index.file, index.path)
}

/** The country of a text such as `us`; see `country-table.ts` for what null and undefined mean. */
export function countryByText({ countries }: PostalIndex, text: string): CountryEntry {
  return text.length === 2 ? countries.at(countrySlot(text.charCodeAt(0), text.charCodeAt(1))) : undefined
}

/** Every country that has codes, ascending. */
export function countriesOf(index: PostalIndex): Country[] {
  return index.countries.all()
}

/** Where the codes come from, by the numbers that countries name. Unpacked anew each time: for tools and pages. */
export function sourcesOf(index: PostalIndex): SourceMeta[] {
  return unpack(index.meta.sources)
}

/** What codes were enriched with. Unpacked anew each time. */
export function creditsOf(index: PostalIndex): SourceMeta[] {
  return unpack(index.meta.credits)
}

function words({ bytes }: Section): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
}

/** An open index: the sections as typed arrays, ready for the functions in the folders next to this file. */
import type { SectionName } from '../format/layout.ts'
import { type PackedMeta, SOURCE_FIELDS, type SourceMeta } from '../format/meta.ts'
import type { SharedMemory } from '../platform/shared-memory.ts'
import { type Country, countryOf } from './country.ts'
import { CountrySection } from './country-section.ts'
import { type CountryEntry, CountryTable, countrySlot } from './country-table.ts'
import { IndexFileError } from './index-file-error.ts'
import { Loans } from './loans.ts'
import { checkedMeta } from './meta-section.ts'
import { verifySection } from './section-checksum.ts'
import { readSections, type Section, type SectionFile } from './sections.ts'
import { isListOf, isMapOf, isText, unpacked } from './unpacked.ts'
import { ZoneTable } from './zone-table.ts'

/** The sections that look-ups read in place. */
export interface IndexSections {
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
  /** Trees of positions: `boxes` in files of version 3.1, `spots` in those of 3.2, `sites` in later ones, none in those of 3.0. */
  readonly boxes: Uint32Array
  readonly spots: Uint32Array
  readonly sites: Uint32Array
  /** Empty in files of version 3.0. */
  readonly names: Uint32Array
  /** Empty in files before version 3.2. */
  readonly accuracies: Uint32Array
  /** Empty in files of version 3.1 too. */
  readonly leads: Uint32Array
}

export interface PostalIndex extends IndexSections {
  readonly path: string
  readonly file: SectionFile
  readonly meta: PackedMeta
  readonly countries: CountryTable
  /** For releasing its memory, and for reading it on another thread. */
  readonly loans: Loans
  readonly zones: ZoneTable
}

/**
 * The index in `memory`, whose bytes must not change as long as it is used. Reads only the header, the section table, the
 * ranges of the countries, and the checksums of what is not a record.
 * @param path for messages
 * @param id of the loan, when another thread has lent the memory
 * @throws IndexFileError when they are not a sound index file
 */
export function readIndex(memory: SharedMemory, path: string, id?: number): PostalIndex {
  if (!isLittleEndian()) throw new IndexFileError(path, 'an index is little-endian and this machine is not')
  const file = readSections(memory.bytes, path)
  const { sections } = file
  // Unlike a wrong record, a wrong rule would spoil every answer, and these sections are small.
  for (const name of ['CTRY', 'RULE', 'META'] as const) verifySection(sections[name], name, path)
  // Copied, 140 KB for the world: unpacking makes views, which may be kept longer than the index, and msgpackr crashes on
  // a SharedArrayBuffer. Not with `slice`, which for a Buffer copies nothing.
  const meta = checkedMeta(new Uint8Array(sections.META.bytes), path)
  const countries = new CountrySection(file, new Uint8Array(sections.RULE.bytes), path)
  const index: PostalIndex = {
    path,
    // Areas of short forms have records like codes, and are not counted as codes.
    file: { ...file, codeCount: Math.max(0, file.codeCount - (meta.areas ?? 0)) },
    meta,
    loans: new Loans(
      path,
      memory.handle,
      () => {
        emptyIndex(index)
        return memory.release()
      },
      id,
    ),
    countries: new CountryTable(meta.iso, countries.names, meta.synonyms, cc =>
      countryOf(countries.read(cc), index.written),
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
    written: words(sections.WRIT),
    boxes: words(sections.NEAR),
    spots: words(sections.SPOT),
    sites: words(sections.SITE),
    names: words(sections.NAME),
    accuracies: words(sections.ACCU),
    leads: words(sections.LEAD),
    zones: new ZoneTable(meta.zones),
  }
  return index
}

/** The country of a text such as `us`; see `country-table.ts` for what null and undefined mean. */
export function countryByText({ countries }: PostalIndex, text: string): CountryEntry {
  return text.length === 2 ? countries.at(countrySlot(text.charCodeAt(0), text.charCodeAt(1))) : undefined
}

/** Every country that has codes, ascending. */
export function countriesOf(index: PostalIndex): Country[] {
  return index.countries.all()
}

/** Where the codes come from, by the numbers that countries name. Unpacked at each call: for tools and pages. @throws DamagedIndexError */
export function sourcesOf(index: PostalIndex): SourceMeta[] {
  return unpacked(index.meta.sources, 'the sources in META', areSources)
}

/** What codes were enriched with. Unpacked at each call. @throws DamagedIndexError */
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

/**
 * Makes every section of `index` empty. Whoever still holds it finds nothing instead of memory that has been released, which
 * would end the process.
 */
function emptyIndex(index: PostalIndex): void {
  const noWords = new Uint32Array(0)
  const noBytes = new Uint8Array(0)
  const empty: IndexSections = {
    trie: noWords,
    codes: noWords,
    places: noWords,
    placeCount: 0,
    placeSignatures: noWords,
    aliases: noWords,
    aliasSignatures: noWords,
    cityTable: noWords,
    lists: noBytes,
    admins: noWords,
    text: noBytes,
    written: noWords,
    boxes: noWords,
    spots: noWords,
    sites: noWords,
    names: noWords,
    accuracies: noWords,
    leads: noWords,
  }
  Object.assign(index, empty)
  for (const name of Object.keys(index.file.sections) as SectionName[])
    index.file.sections[name].bytes = noBytes
}

function words({ bytes }: Section): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
}

function isLittleEndian(): boolean {
  return new Uint8Array(Uint16Array.of(1).buffer)[0] === 1
}

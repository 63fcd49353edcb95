/** Builds an index file: `add` each country in ascending order, then `finish`. */
import { pack } from 'msgpackr'
import { getOrMake } from '../../datasets/maps.ts'
import { postForm } from '../../datasets/reference/post-forms.ts'
import type { Credit } from '../../datasets/source.ts'
import { compareText } from '../../src/platform/compare-text.ts'
import { NAME_HEAD_BYTES, ZONES_MAX } from '../../src/postal/format/admin-entry.ts'
import { packCode, packGrade } from '../../src/postal/format/code-entry.ts'
import { packCountry } from '../../src/postal/format/country-entry.ts'
import type { SectionName } from '../../src/postal/format/layout.ts'
import {
  type CountryRanges,
  type CountryRules,
  type PackedMeta,
  type PackedPost,
  SOURCE_FIELDS,
  type SourceMeta,
} from '../../src/postal/format/meta.ts'
import { isPlaced } from '../distance.ts'
import { ascending, type CodeModel, type CountryModel } from '../model.ts'
import { AdminTable } from './admin-table.ts'
import { ByteWriter, bytesOf, WordWriter } from './byte-writer.ts'
import { type FirstPart, firstPartsOf, sectorTails } from './first-part-keys.ts'
import { nearSection } from './nearest-section.ts'
import { keyShapes, packedPost, tailsAfter } from './packed-posts.ts'
import { type CodeName, CountryPlaces, PlaceTable } from './place-table.ts'
import { verifyFile } from './read-back.ts'
import { replaceAfter, type WrittenFile, writeSectionFile } from './section-file.ts'
import { TextPool } from './text-pool.ts'
import { TrieBuilder } from './trie-builder.ts'

export interface BuiltIndex {
  bytes: number
  buildId: string
  sectionBytes: Record<SectionName, number>
  codes: number
  places: number
  aliases: number
  cities: number
}

interface WrittenCountry {
  ranges: CountryRanges
  rules: CountryRules
}

export class IndexBuilder {
  readonly #sources: readonly Credit[]
  readonly #credits: readonly Credit[]
  readonly #known = new Set<number>()
  readonly #text = new TextPool()
  readonly #trie = new TrieBuilder()
  readonly #admins = new AdminTable(this.#text)
  readonly #places = new PlaceTable(this.#text)
  readonly #codes = new WordWriter()
  readonly #grades: number[] = []
  readonly #zones = new Map<string, number>([['', 0]])
  readonly #countries: WrittenCountry[] = []
  /** First parts of each country, with offsets of their names. */
  readonly #firstParts: { part: FirstPart; name: number }[][] = []

  /**
   * @param sources every source that a country may name, in order of merit
   * @param credits data that enriches codes
   */
  constructor(sources: readonly Credit[], credits: readonly Credit[] = []) {
    this.#sources = sources
    this.#credits = credits
  }

  /** Adds words of `src/postal/format/city-hash.ts` that city search must not correct. */
  know(words: Iterable<number>): void {
    for (const word of words) this.#known.add(word)
  }

  /** @throws RangeError when a field outgrows its width in FORMAT.md, or a country comes out of order */
  add(model: CountryModel): void {
    const last = this.#countries.at(-1)?.ranges.cc
    if (last !== undefined && last >= model.country) {
      throw new RangeError(`countries must ascend: ${model.country} came after ${last}`)
    }
    const codes = ascending(model.codes)
    const codeStart = this.#trie.codeCount
    const root = this.#trie.add(codes.map(code => code.key))
    const collected = new CountryPlaces(this.#admins)
    const names = codes.map((code, i) => {
      const zone = this.#zone(code.timezone)
      const [primary] = code.places.map(place => collected.add(place, zone, codeStart + i))
      return collected.name(primary, zone)
    })
    const parts = firstPartsOf(model.country, codes).map(part => ({
      part,
      name: collected.firstPartName(part.name, part.admin, this.#zone(part.timezone)),
    }))
    const form = postForm(model.country)
    const shapes = keyShapes(codes.map(({ key }) => key))
    const [shortest = ''] = shapes.examples.toSorted((a, b) => a.length - b.length)
    const { ranges, lengths } = this.#places.addCountry(model.country, collected)
    const nameStart = ({ offset }: CodeName) => offset - NAME_HEAD_BYTES - ranges.textStart
    this.#firstParts.push(parts.map(({ part, name }) => ({ part, name: nameStart(name) })))
    codes.forEach((code, i) => {
      this.#codes.push(...packCode(code, nameStart(names[i])))
      this.#grades.push(packGrade(code.accuracy, code.kind))
    })
    this.#countries.push({
      ranges: { cc: model.country, root, codeStart, codeCount: codes.length, ...ranges },
      rules: {
        completeness: model.completeness,
        sources: model.sources.map(id => this.#sources.findIndex(source => source.id === id)),
        ...lengths,
        ...model.rules,
        ...shapes,
        tails: tailsAfter(shortest, model.rules.tails, form),
        parts: [],
        partTails: tailsAfter(parts[0]?.part.key ?? '', sectorTails(model.country), form),
        letters: provinceLetters(model.country, codes),
        areaNames: pack(model.areaNames),
        ...fieldCounts(codes),
      },
    })
  }

  /**
   * Writes the file, verifies it, and replaces the one at `path`.
   * @param iso every country code that a request may name
   * @param inspect called with the verified file; an exception keeps the old one
   * @throws the system's error or VerificationError; `path` is untouched then
   */
  async finish(
    path: string,
    iso: readonly string[],
    synonyms: Readonly<Record<string, string>>,
    inspect: (written: string) => void = () => {},
  ): Promise<BuiltIndex> {
    const { file, index } = this.write(path, iso, synonyms)
    await replaceAfter(path, file, written => {
      verifyFile(written)
      inspect(written)
    })
    return index
  }

  /** Writes a temporary file beside `path`, and does not verify it. */
  write(
    path: string,
    iso: readonly string[],
    synonyms: Readonly<Record<string, string>>,
  ): { file: WrittenFile; index: BuiltIndex } {
    const codeCount = this.#trie.codeCount
    const parts = this.#firstParts.map(parts => this.#addFirstParts(parts))
    const used = [...new Set(this.#countries.flatMap(({ rules }) => rules.sources))].sort((a, b) => a - b)
    const named = used.map(i => sourceMeta(this.#sources[i]))
    const credits = this.#credits.map(sourceMeta)
    const meta: PackedMeta = {
      sources: pack(named),
      credits: pack(credits),
      zones: pack([...this.#zones.keys()]),
      iso: [...iso].sort(compareText).join(''),
      synonyms,
      known: new Uint8Array(Uint32Array.from(this.#known).sort().buffer),
      posts: pack(this.#posts(iso)),
    }
    const entries: number[] = []
    const rulesBytes = new ByteWriter()
    for (const [i, { ranges, rules }] of this.#countries.entries()) {
      const packed = pack({ ...rules, sources: rules.sources.map(i => used.indexOf(i)), parts: parts[i] })
      const entry = { ...ranges, rulesStart: rulesBytes.length, rulesBytes: packed.length }
      entries.push(...packCountry(entry))
      rulesBytes.append(packed)
    }
    const sections: Record<SectionName, Uint8Array> = {
      TRIE: this.#trie.bytes(),
      CODE: this.#codes.bytes(),
      ...this.#places.sections(),
      ADMN: this.#admins.bytes(),
      TEXT: this.#text.bytes(),
      NEAR: nearSection(
        this.#codes.words(),
        this.#countries.map(({ ranges }) => ranges),
      ),
      ACCU: Uint8Array.from(this.#grades),
      CTRY: bytesOf(entries),
      RULE: rulesBytes.bytes(),
      META: pack(meta),
    }
    const dataDayMs = Math.max(0, ...[...named, ...credits].map(({ date }) => Date.parse(date) || 0))
    const file = writeSectionFile(path, { sections, dataDayMs, codeCount })
    const index = {
      bytes: file.bytes,
      buildId: file.buildId,
      sectionBytes: Object.fromEntries(
        Object.entries(sections).map(([name, section]) => [name, section.length]),
      ) as Record<SectionName, number>,
      codes: codeCount,
      places: this.#places.placeCount,
      aliases: this.#places.aliasCount,
      cities: this.#places.names.length,
    }
    return { file, index }
  }

  /** Returns the forms of every post, with those of codes in the index. */
  #posts(iso: readonly string[]): Record<string, PackedPost> {
    const rulesOf = new Map(this.#countries.map(({ ranges, rules }) => [ranges.cc, rules]))
    return Object.fromEntries(
      [...iso].sort(compareText).flatMap(cc => {
        const [form, rules] = [postForm(cc), rulesOf.get(cc)]
        return form === undefined && rules === undefined ? [] : [[cc, packedPost(form, rules)]]
      }),
    )
  }

  /** Gives first parts the code indexes after all codes. @returns `parts` of the country's rules */
  #addFirstParts(parts: readonly { part: FirstPart; name: number }[]): number[] {
    if (parts.length === 0) return []
    const start = this.#trie.codeCount
    const root = this.#trie.add(parts.map(({ part }) => part.key))
    for (const { part, name } of parts) {
      this.#codes.push(...packCode({ ...part, elevation: Number.NaN }, name))
      this.#grades.push(packGrade('area', ''))
    }
    return [root, start, parts.length]
  }

  #zone(name: string): number {
    const index = getOrMake(this.#zones, name, () => this.#zones.size)
    if (index > ZONES_MAX) throw new RangeError(`there are at most ${ZONES_MAX} time zones`)
    return index
  }
}

function fieldCounts(codes: readonly CodeModel[]) {
  const count = (has: (code: CodeModel) => boolean) =>
    codes.reduce((sum, code) => sum + (has(code) ? 1 : 0), 0)
  return {
    positions: count(isPlaced),
    zoned: count(code => code.timezone !== ''),
    elevated: count(code => !Number.isNaN(code.elevation)),
    named: count(code => code.places[0].name !== ''),
  }
}

/** Returns `letters` of the rules. In AR the letter before a code is the ISO code of its province. */
function provinceLetters(country: string, codes: readonly CodeModel[]): number[] {
  if (country !== 'AR') return []
  const letters = new Array<number>(100).fill(0)
  for (const { key, places } of codes)
    for (const { admin } of places)
      if (/^[A-Z]$/.test(admin.code1))
        letters[Number(key.slice(0, 2))] |= 1 << (admin.code1.charCodeAt(0) - 'A'.charCodeAt(0))
  return letters
}

function sourceMeta(credit: Credit): SourceMeta {
  return Object.fromEntries(SOURCE_FIELDS.map(field => [field, credit[field]])) as SourceMeta
}

/** The postal codes of an index file, in process: what a program gets from `openIndex`. */
import { ADMIN_WORDS, adminBefore } from '../format/admin-entry.ts'
import { DEGREE_SCALE, isPlaced, latitude, longitude } from '../format/code-record.ts'
import { searchCity } from '../index/cities/city-search.ts'
import { codeForms } from '../index/code-forms.ts'
import { nameOfCode } from '../index/codes/code-name.ts'
import { formOfCode } from '../index/codes/written.ts'
import type { Country } from '../index/country.ts'
import { countriesOf, creditsOf, type PostalIndex, sourcesOf } from '../index/postal-index.ts'
import { NAME_LENGTH_MAX, SUGGESTIONS_DEFAULT, SUGGESTIONS_MAX } from '../limits.ts'
import { CodeFinder, type InvalidReason, NO_CODE, NOT_FOUND } from './code-finder.ts'
import { metadataOf } from './metadata.ts'
import { kilometresBetween, NearestFinder, type Point, pointOf } from './nearest.ts'
import { limitOf } from './number-options.ts'
import type {
  CityCodes,
  CityOptions,
  CountryCodes,
  CountryFormats,
  IndexFacts,
  Located,
  Metadata,
  NearCode,
  NearestOf,
  NearestOptions,
  PlaceOfCode,
  Suggestions,
  SuggestOptions,
  Verdict,
} from './records.ts'
import { suggestionsOf } from './suggestions.ts'
import { IndexTexts } from './texts.ts'

/** The country of a call that does not name one. */
const DEFAULT_COUNTRY = 'US'

/**
 * An open index. Codes are strings or numbers, compared without case, spaces, hyphens and dots; countries are two letters
 * in either case, and `UK` and `EL` are understood. Nothing throws on a wrong code, country or name: it is not found.
 */
export class PostalCodes {
  readonly #index: PostalIndex
  readonly #finder: CodeFinder
  readonly #texts: IndexTexts
  /** Made by the first call that needs it. */
  #nearest: NearestFinder | undefined

  /** @internal */
  constructor(index: PostalIndex) {
    this.#index = index
    this.#finder = new CodeFinder(index)
    this.#texts = new IndexTexts(index)
  }

  /**
   * The place of a postal code, or undefined when it does not exist. A few hundred nanoseconds, most of it for the name.
   * @example
   * codes.lookup('90210') // { city: 'Beverly Hills', state: 'California', ST: 'CA', latitude: 34.0901, longitude: -118.4065 }
   */
  lookup(code: string | number, country: string = DEFAULT_COUNTRY): PlaceOfCode | undefined {
    const entry = this.#finder.country(country)
    if (entry === null || entry === undefined) return undefined
    const found = this.#finder.find(code, entry)
    return found < 0 ? undefined : this.#place(entry, found)
  }

  /** Everything that is known of a postal code, or undefined when it does not exist. About two microseconds. */
  metadata(code: string | number, country: string = DEFAULT_COUNTRY): Metadata | undefined {
    const entry = this.#finder.country(country)
    if (entry === null || entry === undefined) return undefined
    const found = this.#finder.find(code, entry)
    if (found < 0) return undefined
    return metadataOf(this.#index, this.#texts, entry, found, this.#finder.writtenForm(entry, found))
  }

  /** Whether a postal code exists. A country without data has none. */
  validate(code: string | number, country: string = DEFAULT_COUNTRY): boolean {
    const entry = this.#finder.country(country)
    return entry !== null && entry !== undefined && this.#finder.find(code, entry) >= 0
  }

  /** Whether a postal code exists, its written form, and why not: the answer of `/api/validate-bulk` for one record. */
  check(code: string | number, country: string = DEFAULT_COUNTRY): Verdict {
    const entry = this.#finder.country(country)
    if (entry === null || entry === undefined) return invalid('unknown_country')
    const found = this.#finder.find(code, entry)
    if (found < 0) return invalid(found === NO_CODE ? 'invalid_format' : 'not_found')
    return { valid: true, normalized: this.#finder.writtenForm(entry, found), reason: null }
  }

  /**
   * The postal codes of a city, or undefined when there is none of that name. Some microseconds and one for each code; up to
   * a millisecond when a close name has to be found.
   */
  city(name: string, { country = DEFAULT_COUNTRY, state, ST }: CityOptions = {}): CityCodes | undefined {
    const entry = this.#finder.country(country)
    if (entry === null || entry === undefined) return undefined
    // As in the API, an empty option is an absent one, and a longer text is not searched for.
    const query = { city: name, state: state || undefined, stateCode: ST || undefined }
    if (Object.values(query).some(isTooLong)) return undefined
    const answer = searchCity(this.#index, entry, query)
    if (answer === undefined) return undefined
    const { codes, matched } = answer
    if (matched === undefined) return { zipcodes: codes }
    return {
      zipcodes: codes,
      matched: { city: matched.city, state: matched.state, ST: matched.stateCode },
    }
  }

  /**
   * The postal codes around a point or around another code, the nearest first; undefined when there is no such code or its
   * position is unknown. Some microseconds for ten codes.
   * @throws RangeError when a number is out of its range, IndexFileError when the index was built before it could answer this
   * @example
   * codes.nearest({ latitude: 48.14, longitude: 11.58 }, { radius: 5, country: 'DE' })
   */
  nearest(of: NearestOf, options: NearestOptions = {}): NearCode[] | undefined {
    const country = options.country || undefined
    const entry = country === undefined ? undefined : this.#finder.country(country)
    const point = 'zipcode' in of ? this.#positionOf(of.zipcode, country) : pointOf(of)
    if (point === undefined || this.#index.loans.isRetired) return undefined
    this.#nearest ??= new NearestFinder(this.#index, this.#texts)
    // Around a code those of every country count. A country without data has no codes, near or far.
    const cc = 'zipcode' in of || country === undefined ? undefined : (entry?.cc ?? '')
    return this.#nearest.find(point, cc, options)
  }

  /**
   * Kilometres between two points or codes, as the crow flies; undefined when a code does not exist or its position is unknown.
   * @throws RangeError when a number is out of its range
   * @example
   * codes.distance({ zipcode: '10001' }, { zipcode: '80331', country: 'DE' })
   */
  distance(from: Located, to: Located): number | undefined {
    const [start, end] = [this.#pointOf(from), this.#pointOf(to)]
    return start === undefined || end === undefined ? undefined : kilometresBetween(start, end)
  }

  /**
   * The codes and cities that somebody who is typing may mean: those that begin with `query`. Some microseconds.
   * @throws RangeError when `limit` is out of its range, IndexFileError when the index was built before it could answer this
   */
  autocomplete(query: string, { country = DEFAULT_COUNTRY, limit }: SuggestOptions = {}): Suggestions {
    const entry = this.#finder.country(country)
    const wanted = limitOf(limit, SUGGESTIONS_MAX, SUGGESTIONS_DEFAULT)
    // As in the API, a longer text is not searched for.
    const isNone = !entry || query.length > NAME_LENGTH_MAX || this.#index.loans.isRetired
    if (isNone) return { codes: [], places: [] }
    return suggestionsOf(this.#index, this.#texts, entry, query, wanted)
  }

  /**
   * How a country writes its codes, and whether and how `code` is one of them; undefined for a country without data.
   * @param code undefined: only the country's forms
   */
  format(code?: string | number, country: string = DEFAULT_COUNTRY): CountryFormats | undefined {
    const entry = this.#finder.country(country)
    if (!entry || this.#index.loans.isRetired) return undefined
    const formats = codeForms(entry.meta).map(form => ({ ...form }))
    if (code === undefined) return { country: entry.cc, formats }
    const { valid, normalized } = this.check(code, country)
    return { country: entry.cc, formats, valid, normalized }
  }

  /** Every code of a country in its own form, ascending; none for a country without data. A fifth of a microsecond each. */
  *codes(country: string = DEFAULT_COUNTRY): Generator<string, void, undefined> {
    const entry = this.#finder.country(country)
    if (!entry) return
    const { codeStart, codeCount } = entry
    for (let code = codeStart; code < codeStart + codeCount && !this.#index.loans.isRetired; code++)
      yield formOfCode(this.#index, entry, code)
  }

  /** Every country that has codes, ascending. */
  countries(): CountryCodes[] {
    return countriesOf(this.#index).map(({ cc, meta }) => ({
      country: cc,
      codes: meta.codeCount,
      places: meta.placeCount,
      completeness: meta.completeness,
    }))
  }

  /** What the index holds and where it comes from. */
  about(): IndexFacts {
    const { codeCount, countryCount, buildId, dataDayMs } = this.#index.file
    return {
      codes: codeCount,
      countries: countryCount,
      buildId,
      dataDay: dataDayMs === 0 ? null : new Date(dataDayMs).toISOString().slice(0, 10),
      sources: [...sourcesOf(this.#index), ...creditsOf(this.#index)].map(
        ({ id, title, licence, attribution, url, date }) => ({ id, title, licence, attribution, url, date }),
      ),
    }
  }

  /** Releases the memory of the index. Nothing is found afterwards. */
  async close(): Promise<void> {
    await this.#index.loans.retire()
  }

  #pointOf(of: Located): Point | undefined {
    return 'zipcode' in of ? this.#positionOf(of.zipcode, of.country || undefined) : pointOf(of)
  }

  #positionOf(code: string | number, country: string = DEFAULT_COUNTRY): Point | undefined {
    const { codes } = this.#index
    const entry = this.#finder.country(country)
    const found = entry ? this.#finder.find(code, entry) : NOT_FOUND
    if (found < 0 || !isPlaced(codes, found)) return undefined
    return { north: latitude(codes, found), east: longitude(codes, found) }
  }

  #place(country: Country, code: number): PlaceOfCode {
    const { codes, text } = this.#index
    const name = nameOfCode(this.#index, country, code)
    const city = this.#texts.once(name)
    const { state, ST } = this.#texts.level1(adminBefore(text, name) * ADMIN_WORDS)
    if (!isPlaced(codes, code)) return { city, state, ST }
    return {
      city,
      state,
      ST,
      latitude: latitude(codes, code) / DEGREE_SCALE,
      longitude: longitude(codes, code) / DEGREE_SCALE,
    }
  }
}

/** As the API counts: characters, of which some take two units. */
function isTooLong(text: string | undefined): boolean {
  if (text === undefined || text.length <= NAME_LENGTH_MAX) return false
  return text.length > 2 * NAME_LENGTH_MAX || [...text].length > NAME_LENGTH_MAX
}

function invalid(reason: InvalidReason): Verdict {
  return { valid: false, normalized: null, reason }
}

/** The postal codes of an index file, in process: what a program gets from `openIndex`. */
import { ADMIN_WORDS, adminBefore } from '../format/admin-entry.ts'
import { DEGREE_SCALE, isPlaced, latitude, longitude } from '../format/code-record.ts'
import { searchCity } from '../index/cities/city-search.ts'
import { nameOfCode } from '../index/codes/code-name.ts'
import type { Country } from '../index/country.ts'
import { countriesOf, creditsOf, type PostalIndex, sourcesOf } from '../index/postal-index.ts'
import { NAME_LENGTH_MAX } from '../limits.ts'
import { CodeFinder, type InvalidReason, NO_CODE } from './code-finder.ts'
import { metadataOf } from './metadata.ts'
import type {
  CityCodes,
  CityOptions,
  CountryCodes,
  IndexFacts,
  Metadata,
  PlaceOfCode,
  Verdict,
} from './records.ts'
import { IndexTexts } from './texts.ts'

/** The country of a call that does not name one. */
const DEFAULT_COUNTRY = 'US'

/**
 * An open index. Codes are strings or numbers, compared without case, spaces, hyphens and dots; countries are two letters
 * in either case, and `UK` and `EL` are understood. Nothing throws on wrong input: it is not found.
 */
export class PostalCodes {
  readonly #index: PostalIndex
  readonly #finder: CodeFinder
  readonly #texts: IndexTexts

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

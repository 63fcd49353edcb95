import { adminBefore } from '../format/admin-entry.ts'
import { DEGREE_SCALE, isPlaced, latitude, longitude, nameOfCode } from '../format/code-entry.ts'
import { type CityQuery, exactCodes, searchCity } from '../index/cities/city-search.ts'
import { CodeQuery } from '../index/codes/code-query.ts'
import { formOfCode, formOfFound } from '../index/codes/written.ts'
import { type Country, hasCode } from '../index/country.ts'
import {
  type CountryEntry,
  countrySlotOf,
  DEFAULT_COUNTRY,
  NO_COUNTRY,
  NO_DATA,
} from '../index/country-table.ts'
import {
  countriesOf,
  countryByText,
  creditsOf,
  isoOf,
  type PostalIndex,
  sourcesOf,
} from '../index/postal-index.ts'
import { stateOf } from '../index/read-place.ts'
import { fieldValue, type RecordField, type Requested, recordOf } from '../index/record-fields.ts'
import { plainText } from '../index/text-section.ts'
import { formatsOf } from '../index/written-formats.ts'
import { CITY_PAGE_MAX, LIST_DEFAULT, LIST_MAX, SUGGESTIONS_DEFAULT, SUGGESTIONS_MAX } from '../limits.ts'
import { suggestionsOf } from './autocomplete.ts'
import { countryName } from './country-names.ts'
import { citiesOf, codesOfState, statesOf } from './lists.ts'
import { kilometresBetween, nearestCodes, type Point, pointOf } from './nearest-codes.ts'
import { checkedWhole, describe } from './number-options.ts'
import type {
  CityCodes,
  CityOptions,
  CountryCodes,
  CountryFormats,
  Fit,
  Fits,
  IndexFacts,
  Listed,
  ListOptions,
  Located,
  Metadata,
  NearCode,
  NearestOptions,
  PlaceOfCode,
  Suggestions,
  SuggestOptions,
  Verdict,
  Verification,
} from './records.ts'
import { FIT_VERDICTS, LISTS } from './records.ts'
import { fitOfCity, fitOfState } from './verify.ts'

/** Maximum characters of a city's or a state's name. A longer text matches nothing. */
const NAME_LENGTH_MAX = 128

/**
 * An open index. Codes are strings or numbers, compared without case, spaces, hyphens and dots. Countries are
 * two letters in either case, also `UK` and `EL`, and in Node.js other codes and names: `USA`, `840`,
 * `Deutschland`. A wrong code, country or name is not found, also null and undefined. None throws.
 */
export class PostalCodes {
  readonly #index: PostalIndex
  readonly #query = new CodeQuery()
  readonly #readCountry: (text: string) => string | undefined

  /** @internal @param readCountry returns the two letters of a country for any text but two letters */
  constructor(index: PostalIndex, readCountry: (text: string) => string | undefined = () => undefined) {
    this.#index = index
    this.#readCountry = readCountry
  }

  #letters<T>(country: T): T | string {
    if (typeof country !== 'string' || countrySlotOf(country) >= 0) return country
    return this.#readCountry(country) ?? country
  }

  #entry(country: unknown): CountryEntry {
    return countryByText(this.#index, this.#letters(country))
  }

  /**
   * Returns the place of a postal code; undefined if it does not exist. Costs a few hundred nanoseconds.
   * @example
   * codes.lookup('90210') // { city: 'Beverly Hills', state: 'California', ST: 'CA', latitude: 34.0901, … }
   */
  lookup(code: string | number, country: string = DEFAULT_COUNTRY): PlaceOfCode | undefined {
    const entry = this.#entry(country)
    const found = this.#find(code, entry)
    return entry && found >= 0 ? this.#place(entry, found) : undefined
  }

  /** Returns all data of a postal code, if it exists. Costs 2 µs. @param requested fields on request */
  metadata(
    code: string | number,
    country: string = DEFAULT_COUNTRY,
    requested: Requested = {},
  ): Metadata | undefined {
    const entry = this.#entry(country)
    const found = this.#find(code, entry)
    if (!entry || found < 0) return undefined
    const written = formOfFound(entry, this.#query)
    return recordOf(this.#index, entry, found, written, requested ?? {})
  }

  /** Returns true if a postal code exists. A country without data has none. */
  validate(code: string | number, country: string = DEFAULT_COUNTRY): boolean {
    return this.#find(code, this.#entry(country)) >= 0
  }

  /** Returns the written form of a postal code, or why it is not valid, like `/api/validate-bulk`. */
  check(code: string | number, country: string = DEFAULT_COUNTRY): Verdict {
    const entry = this.#entry(country)
    return this.#verdict(country, entry, this.#find(code, entry))
  }

  #find(code: string | number, entry: CountryEntry): number {
    return this.#query.find(this.#index.trie, entry, code)
  }

  #verdict(country: string, entry: CountryEntry, found: number): Verdict {
    if (entry && found >= 0) return { valid: true, normalized: formOfFound(entry, this.#query), reason: null }
    if (entry === NO_COUNTRY) return { valid: false, normalized: null, reason: 'unknown_country' }
    const wrongCode = this.#query.length === 0 ? 'invalid_format' : 'not_found'
    const reason = entry === NO_DATA ? 'unknown_country' : wrongCode
    const cc = isoOf(this.#index, this.#letters(country))
    const detail = this.#index.posts.detail(cc, this.#query.text, entry !== NO_DATA)
    return { valid: false, normalized: null, reason, ...(detail && { detail }) }
  }

  /**
   * Returns the codes of a city; undefined for an unknown name. Costs a microsecond per code, and up to a
   * millisecond for a close name. @throws RangeError for `limit` or `offset` out of range
   */
  city(name: string, options: CityOptions = {}): CityCodes | undefined {
    const { limit, offset } = options ?? {}
    const count = checkedWhole('limit', limit, 1, CITY_PAGE_MAX, CITY_PAGE_MAX)
    const first = checkedWhole('offset', offset, 0, CITY_PAGE_MAX, 0)
    const asked = this.#askedCity(name, options ?? {})
    const isPaged = isGiven(limit) || isGiven(offset)
    const page = isPaged ? { first, end: first + count } : undefined
    const answer = asked && searchCity(this.#index, ...asked, page)
    if (answer === undefined) return undefined
    const { codes, total, matched } = answer
    return { zipcodes: codes, ...(matched && { matched }), ...(isPaged && { total }) }
  }

  /** @internal Returns the number of codes of a city with exactly this name. Costs a microsecond. */
  exactCityCodes(name: string, options: CityOptions): number {
    const asked = this.#askedCity(name, options)
    return asked === undefined ? 0 : exactCodes(this.#index, ...asked)
  }

  #askedCity(
    name: string,
    { country = DEFAULT_COUNTRY, state, ST }: CityOptions,
  ): [Country, CityQuery] | undefined {
    const entry = this.#entry(country)
    if (!entry || this.#index.loans.isRetired) return undefined
    // Like in the API, an empty option is absent.
    const query = { city: nameOf(name) ?? '', state: nameOf(state), ST: nameOf(ST) }
    return Object.values(query).includes('') ? undefined : [entry, query]
  }

  /**
   * Compares a postal code with the given city and state. Costs some ten microseconds.
   * @example
   * codes.verify('90210', { city: 'Beverly Hils' }) // { verdict: 'close', city: { …, value: 'Beverly Hills' } }
   */
  verify(
    code: string | number,
    given: { city?: string; state?: string; ST?: string } = {},
    country: string = DEFAULT_COUNTRY,
  ): Verification {
    const entry = this.#entry(country)
    const found = this.#find(code, entry)
    const zipcode: Fit =
      entry && found >= 0
        ? { verdict: 'match', value: formOfFound(entry, this.#query) }
        : { verdict: entry ? 'mismatch' : 'unknown', value: null }
    const fits = { zipcode, ...this.#fits(entry, found, given ?? {}) }
    const worst = Math.max(...Object.values(fits).map(({ verdict }) => FIT_VERDICTS.indexOf(verdict)))
    return { verdict: FIT_VERDICTS[worst], ...fits }
  }

  #fits(entry: CountryEntry, found: number, given: { city?: string; state?: string; ST?: string }): Fits {
    const fits: Fits = {}
    const isFound = entry && found >= 0
    const [city, state, ST] = [nameOf(given.city), nameOf(given.state), nameOf(given.ST)]
    if (city !== undefined) fits.city = isFound ? fitOfCity(this.#index, entry, found, city) : UNKNOWN_FIT
    for (const area of [state, ST]) {
      if (area === undefined) continue
      const fit = isFound ? fitOfState(this.#index, entry, found, area) : UNKNOWN_FIT
      fits.state = worse(fits.state, fit)
    }
    return fits
  }

  /**
   * Returns a page of states, cities or codes, ascending; undefined for an unknown state or country. Costs
   * 0.3 µs an item, and ten milliseconds once for a large country. @throws RangeError for an option out of
   * range
   */
  list(what: (typeof LISTS)[number], options: ListOptions = {}): Listed | undefined {
    const { country = DEFAULT_COUNTRY, limit, offset } = options ?? {}
    const state = nameOf(options?.state) ?? nameOf(options?.ST)
    const count = checkedWhole('limit', limit, 1, LIST_MAX, LIST_DEFAULT)
    const first = checkedWhole('offset', offset, 0, CITY_PAGE_MAX, 0)
    if (!LISTS.includes(what))
      throw new RangeError(`the list is ${describe(what)}, one of ${LISTS.join(', ')} expected`)
    const entry = this.#entry(country)
    if (!entry || this.#index.loans.isRetired) return undefined
    const end = first + count
    const written = (code: number) => formOfCode(this.#index, entry, code)
    if (what === 'states') {
      const states = statesOf(this.#index, entry)
      return { states: states.slice(first, end), total: states.length }
    }
    if (what === 'zipcodes' && state === undefined) {
      const total = entry.codeCount
      const length = Math.max(0, Math.min(count, total - first))
      return { zipcodes: Array.from({ length }, (_, i) => written(entry.codeStart + first + i)), total }
    }
    const area = state ?? ''
    const codes = codesOfState(this.#index, entry, area)
    const total = codes.length
    if (total === 0) return undefined
    if (what === 'zipcodes') return { zipcodes: Array.from(codes.subarray(first, end), written), total }
    const cities = citiesOf(this.#index, entry, area)
    return { cities: cities.slice(first, end), total: cities.length }
  }

  /**
   * Returns the codes around a point or another code, nearest first; undefined if that code or its position
   * is unknown. Costs some microseconds for ten codes. @throws RangeError for a number out of range
   * @example
   * codes.nearest({ latitude: 48.14, longitude: 11.58 }, { radius: 5, country: 'DE' })
   */
  nearest(of: Located, options: NearestOptions = {}): NearCode[] | undefined {
    const country = options?.country || undefined
    const point = this.#pointOf(of, country)
    if (point === undefined || this.#index.loans.isRetired) return undefined
    // The results around a code are from any country.
    if ('zipcode' in of || country === undefined)
      return nearestCodes(this.#index, point, undefined, options ?? {})
    const entry = this.#entry(country)
    return entry === NO_COUNTRY ? undefined : nearestCodes(this.#index, point, entry?.cc ?? '', options)
  }

  /**
   * Returns the kilometres between two points or codes; undefined if a code or its position is unknown.
   * @throws RangeError for a number out of range
   * @example
   * codes.distance({ zipcode: '10001' }, { zipcode: '80331', country: 'DE' })
   */
  distance(from: Located, to: Located): number | undefined {
    const [start, end] = [this.#pointOf(from), this.#pointOf(to)]
    return start === undefined || end === undefined ? undefined : kilometresBetween(start, end)
  }

  /** Returns codes and cities that begin with `query`, cities of `state` first. @throws RangeError */
  autocomplete(query: string, options: SuggestOptions = {}): Suggestions {
    const { country = DEFAULT_COUNTRY, limit } = options ?? {}
    const state = nameOf(options?.state)
    const entry = this.#entry(country)
    const wanted = checkedWhole('limit', limit, 1, SUGGESTIONS_MAX, SUGGESTIONS_DEFAULT)
    const typed = nameOf(query) ?? ''
    if (!entry || typed === '' || this.#index.loans.isRetired) return { codes: [], places: [] }
    return suggestionsOf(this.#index, entry, typed, wanted, state)
  }

  /** Returns the forms of a country's codes, and if a given `code` is valid; undefined for no country. */
  format(code?: string | number, country: string = DEFAULT_COUNTRY): CountryFormats | undefined {
    const entry = this.#entry(country)
    if (entry === NO_COUNTRY || this.#index.loans.isRetired) return undefined
    const facts = formatsOf(this.#index, isoOf(this.#index, this.#letters(country)), entry)
    if (!isGiven(code)) return facts
    const verdict = this.check(code, country)
    const valid = verdict.valid || verdict.detail === 'no_data'
    return { ...facts, valid, normalized: verdict.normalized }
  }

  /** Yields every code of a country in its written form, ascending. Costs 0.2 µs each. */
  *codes(country: string = DEFAULT_COUNTRY): Generator<string, void, undefined> {
    const entry = this.#entry(country)
    if (!entry) return
    const { codeStart, codeCount } = entry
    for (let code = codeStart; code < codeStart + codeCount && !this.#index.loans.isRetired; code++)
      yield formOfCode(this.#index, entry, code)
  }

  /** Returns the countries with codes, ascending, or only `country`. */
  countries(country?: string): CountryCodes[] {
    const asked: CountryEntry[] = isGiven(country) ? [this.#entry(country)] : countriesOf(this.#index)
    return asked.filter(isGiven).map(({ cc, meta }) => ({
      country: cc,
      name: countryName(cc),
      completeness: meta.completeness,
      codes: meta.codeCount,
      places: meta.placeCount,
      withPosition: meta.positions,
      withTimezone: meta.zoned,
      withElevation: meta.elevated,
      withName: meta.named,
    }))
  }

  /** Returns true for an ISO 3166-1 code of a country or its synonym, with or without codes. */
  knowsCountry(country: unknown): boolean {
    return this.#entry(country) !== NO_COUNTRY
  }

  /** @internal Returns the verdict of `check`, the fits of `verify`, and the fields of a valid code. */
  checkWith(
    record: { code: string | number; country: string; city: string; state: string },
    fields: readonly RecordField[],
  ): { verdict: Verdict; fits: Fits; values: (string | number | undefined)[] } {
    const { code, country } = record
    const entry = this.#entry(country)
    const found = this.#find(code, entry)
    const verdict = this.#verdict(country, entry, found)
    const fits = record.city === '' && record.state === '' ? NO_FITS : this.#fits(entry, found, record)
    if (!entry || found < 0) return { verdict, fits, values: [] }
    const values = fields.map(field => fieldValue(field, this.#index, entry, found))
    return { verdict, fits, values }
  }

  /** Returns facts of the index: counts, build, sources. */
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

  /** Releases the memory of the index. No code, city or state is found afterwards. */
  async close(): Promise<void> {
    await this.#index.loans.retire()
  }

  /** @throws RangeError unless it is a point in degrees */
  #pointOf(of: Located, country?: string): Point | undefined {
    if (typeof of !== 'object' || of === null) return undefined
    if (!('zipcode' in of)) return 'latitude' in of || 'longitude' in of ? pointOf(of) : undefined
    const { codes } = this.#index
    const entry = this.#entry(textOf(country) ?? textOf(of.country) ?? DEFAULT_COUNTRY)
    const found = this.#find(of.zipcode, entry)
    if (!entry || found < 0 || !isPlaced(codes, found)) return undefined
    return {
      north: latitude(codes, found),
      east: longitude(codes, found),
      own: hasCode(entry, found) ? { code: found, country: entry } : undefined,
    }
  }

  #place(country: Country, code: number): PlaceOfCode {
    const { codes, text } = this.#index
    const name = nameOfCode(this.#index, country, code)
    const city = plainText(text, name)
    const { state, ST } = stateOf(this.#index, adminBefore(text, name))
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

const NO_FITS: Fits = {}
const UNKNOWN_FIT: Fit = Object.freeze({ verdict: 'unknown', value: null })

function worse(one: Fit | undefined, other: Fit): Fit {
  return one === undefined || FIT_VERDICTS.indexOf(other.verdict) > FIT_VERDICTS.indexOf(one.verdict)
    ? other
    : one
}

/** Returns false for undefined and null. JavaScript callers pass null for an absent value. */
function isGiven<T>(value: T | null | undefined): value is T {
  return value !== undefined && value !== null
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Returns a name; undefined if it is absent, `''` if it is too long for any name. */
function nameOf(value: unknown): string | undefined {
  const text = textOf(value)
  if (text === undefined || text.length <= NAME_LENGTH_MAX) return text
  const isTooLong = text.length > 2 * NAME_LENGTH_MAX || [...text].length > NAME_LENGTH_MAX
  return isTooLong ? '' : text
}

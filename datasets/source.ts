/** Data sources as the builder sees them. Each file in `sources` implements one. */
import type { Kind } from '../src/postal/format/code-entry.ts'
import type { Completeness, SourceMeta } from '../src/postal/format/meta.ts'

/** A place with a postal code, as the source states it. Unknown text is `''`, an unknown number `NaN`. */
export interface Row {
  country: string
  /** Code as the source writes it, with separators and prefixes. */
  code: string
  place: string
  /** Names and codes of administrative levels, 1 the largest. */
  name1: string
  code1: string
  name2: string
  code2: string
  name3: string
  code3: string
  /** WGS84 degrees. */
  lat: number
  lon: number
  /** GeoNames' scale, 1 (estimated) to 6 (centroid of the code's area); 0 when unknown. */
  accuracy: number
  /** IANA identifier. */
  timezone: string
  /** Metres. */
  elevation: number
  kind: Kind
  /** English, historical, in other scripts. */
  aliases: readonly string[]
}

/**
 * Author and licence of data, for `coverage` and the credits. `id` is the name in options. `origin` is the npm package and
 * version, or the file or address of the rows. `licence` is an SPDX identifier or a title. `date` is the day of the data,
 * `YYYY-MM-DD`; `''` when unknown.
 */
export type Credit = Readonly<SourceMeta>

/** Subdivision of a country in ISO 3166-2. */
export interface IsoArea {
  /** Without the country: `IDF` for FR-IDF. */
  code: string
  /** Names in several languages, the country's own or English first. */
  names: readonly string[]
}

/** Receives the fault of an unusable row, with its line number if there is one. */
export type OnSkipped = (reason: string) => void

/** Receives the step, and the part of `total` that is done. */
export type OnProgress = (step: string, done: number, total: number) => void

/** Place whose postal codes the source does not state. */
export interface Town {
  name: string
  /** WGS84 degrees. */
  lat: number
  lon: number
}

export interface Source extends Credit {
  readonly countries: Readonly<Record<string, Completeness>>
  /** Countries to whose codes this source adds its own. Elsewhere it fills gaps, unless it is the best source. */
  readonly addsCodes?: readonly string[]
  /** True if it lacks codes, such as a file of addresses. The next best source then adds all of its codes. */
  readonly lacksCodes?: boolean
  /**
   * Yields the rows of a country in the source's order. The first call reads the data.
   * @throws when the package or file is missing or malformed
   */
  rows(country: string, onSkipped?: OnSkipped): Iterable<Row>
  /** Lines of all files, if known before the rows are read. Bad lines are measured against them. */
  readonly lines?: number
  /** Faults of lines that are no rows of any country. */
  readonly badLines?: readonly string[]
  /** Suspicious facts for the operator, such as a file without an end. */
  readonly notes?: readonly string[]
  /** Yields level-1 areas of a country by ISO 3166-2. */
  areas?(country: string): Iterable<IsoArea>
  /** Yields places of a country, with or without postal codes. */
  towns?(country: string): Iterable<Town>
  /** Bytes of a country's rows, if known before they are read. */
  size?(country: string): number
  /** Returns what another thread needs to read the rows of `countries`, as `source-part.ts` opens it. */
  part?(countries: readonly string[]): SourcePart
}

/** Whole lines of one country in a file, on memory that threads share. */
export interface LineRun {
  bytes: Uint8Array
  file: string
  /** Line number in the file, from 1. */
  firstLine: number
}

/** Parts of a source that another thread needs to read some countries. */
export type SourcePart = { of: 'package'; id: string } | GeoipPart | GeonamesPart

/** A file on memory that threads share, and the offsets of its records by country. */
export interface GeoipPart {
  of: 'geoip'
  id: string
  bytes: Uint8Array
  records: ReadonlyMap<string, Uint32Array>
}

export interface GeonamesPart {
  of: 'geonames'
  origin: string
  date: string
  lines: number
  runs: ReadonlyMap<string, readonly LineRun[]>
}

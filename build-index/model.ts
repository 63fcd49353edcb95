/**
 * A country once every field is decided: one entry per postal code. The writer stores it, and the verifier
 * reads it back and compares.
 */
import type { Completeness } from '../datasets/source.ts'
import type { Accuracy, Kind } from '../src/format/code-record.ts'
import type { AreaNames } from '../src/format/meta.ts'

export interface CountryModel {
  /** ISO 3166-1 alpha-2. */
  country: string
  completeness: Completeness
  /** Identifiers of the sources of this country's codes or fields, the best first. */
  sources: readonly string[]
  rules: CodeRules
  /** Other names of its level-1 areas. */
  areaNames: AreaNames
  /** In any order; keys are unique. */
  codes: readonly CodeModel[]
}

/** Forms that a country accepts and writes. All of it is data in the index, none of it code in the server. */
export interface CodeRules {
  /** A JSON number is left-padded with zeros to this length; 0: codes are not digits of one fixed length. */
  padTo: number
  /** Letters that people write before the key although they are not part of it: `LV` in `LV-1001`. Empty where keys have letters. */
  prefixes: readonly string[]
  /**
   * Shapes of what a full code has beyond the stored short one, each character `N` a digit, `A` a letter, `X` either:
   * `NNNN` in US (ZIP+4), `NAA` in GB when only outward codes are stored. Empty when full codes must exist.
   */
  tails: readonly string[]
  /** Written forms, at most one per key length; `#` takes the next character of the key: `##-###` (PL), `LV-####`. */
  masks: readonly string[]
}

export interface CodeModel {
  /** Canonical key: `A-Z0-9`, 1 to 10 characters, without separators and prefix. */
  key: string
  /** The country's own written form of the key. */
  written: string
  /** WGS84 degrees; both NaN when unknown. */
  lat: number
  lon: number
  /** How exact the position is; `''` when it is unknown or nobody has judged it. */
  grade: Accuracy
  /** `''` when no source says it. */
  kind: Kind
  /** IANA identifier or `''`. */
  timezone: string
  /** Metres, whole; NaN when unknown. */
  elevation: number
  /** The primary place first; at least one, its name may be `''`. No two with equal name and admin. */
  places: readonly PlaceModel[]
}

export interface PlaceModel {
  name: string
  /** `cityKey` of the name, where it has been worked out already. */
  readonly key?: string
  admin: AdminModel
  /** Inhabitants; 0 or absent when they are not known. */
  readonly population?: number
  /** Other names under which city search finds this place; without the name itself. */
  aliases: readonly string[]
}

/** Level of an administrative area, 1 the largest. */
export type Level = 1 | 2 | 3

/** Shared by reference between places where equal. Text is `''` when unknown. */
export interface AdminModel {
  name1: string
  code1: string
  name2: string
  code2: string
  name3: string
  code3: string
  /** Further metadata fields of rich countries (`adminLevel1`, `municipality`, …), each non-empty. */
  extra: Readonly<Record<string, string>>
}

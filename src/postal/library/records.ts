/** Answers of the library, with the names and meanings of the API. */
import type { Kind } from '../format/code-entry.ts'
import type { Completeness } from '../format/meta.ts'
import type { Detail } from '../index/post-table.ts'

export type { PlaceOfRecord } from '../index/code-places.ts'
export type { Metadata } from '../index/record-fields.ts'

/** Verdicts, from the best to the worst. */
export const FIT_VERDICTS = ['match', 'close', 'unknown', 'mismatch'] as const
export const LISTS = ['states', 'cities', 'zipcodes'] as const

export interface PlaceOfCode {
  city: string
  /** Name of the state or other area of level 1; `''` if unknown. In the API, it is empty outside the US. */
  state: string
  /** Code of the state: `CA`, `BY`; `''` if unknown. */
  ST: string
  /** Degrees; absent if the position is unknown. */
  latitude?: number
  longitude?: number
}

/** Reasons why a code is not valid, like in `/api/validate-bulk`. */
export const INVALID_REASONS = ['not_found', 'invalid_format', 'unknown_country'] as const
export type InvalidReason = (typeof INVALID_REASONS)[number]

/** Result of validating a postal code. */
export type Verdict =
  | {
      valid: true
      /** Written form of the code; a short form (`SW1A`) if the data has only short forms. */
      normalized: string
      reason: null
    }
  | {
      valid: false
      normalized: null
      reason: InvalidReason
      /** Absent if the code has a form of its country, and the index has codes of the country. */
      detail?: Detail
    }

export interface CityOptions {
  /** ISO 3166-1 alpha-2, in either case; default `US`. */
  country?: string
  /** Name or code of a state or another area of levels 1 to 3. With `ST`, both must hold. */
  state?: string
  ST?: string
  /** Maximum number of codes; all without `limit` and `offset`. */
  limit?: number
  /** Number of codes to skip. */
  offset?: number
}

export interface CityCodes {
  /** Distinct codes in their written form, ascending. */
  zipcodes: string[]
  /** Matched city; only after a close match. An unknown area is `''`. */
  matched?: { city: string; state: string; ST: string }
  /** Number of all codes of the city; only with `limit` or `offset`. */
  total?: number
}

/** Result of comparing a given text with a postal code. */
export interface Fit {
  /** `close`: a similar spelling. `unknown`: the code does not exist. */
  verdict: (typeof FIT_VERDICTS)[number]
  /** Right text; null if unknown. */
  value: string | null
}

/** Result of comparing a postal code, a city and a state. City and state are present if they were given. */
export interface Verification {
  verdict: Fit['verdict']
  zipcode: Fit
  city?: Fit
  state?: Fit
}

export type Fits = Pick<Verification, 'city' | 'state'>

export interface StateOfCountry {
  name: string
  /** Code of the state, or `''`. */
  code: string
  codes: number
}

export interface Listed {
  states?: StateOfCountry[]
  cities?: string[]
  zipcodes?: string[]
  total: number
}

export interface ListOptions {
  /** ISO 3166-1 alpha-2, in either case; default `US`. */
  country?: string
  /** Name or code of a state or another area, needed for cities. `ST` is used if `state` is absent. */
  state?: string
  ST?: string
  /** At most 10,000; default 1,000. */
  limit?: number
  offset?: number
}

/** A point in WGS 84 degrees, or a code with its country, default `US`. */
export type Located = { latitude: number; longitude: number } | { zipcode: string | number; country?: string }

export interface NearestOptions {
  /** Country of the code in `of`, or of the results around a point; default any. */
  country?: string
  /** Kilometres, 0 to 20,040; default any distance. */
  radius?: number
  /** Maximum number of codes, 1 to 10,000; default 10. */
  limit?: number
  /** Kind of the results; default any. `street` includes unknown kinds. Others are found within 100 km. */
  kind?: Exclude<Kind, ''>
}

export interface NearCode {
  postalCode: string
  /** ISO 3166-1 alpha-2. */
  country: string
  placeName: string
  /** Degrees. */
  latitude: number
  longitude: number
  /** Kilometres, to the metre. */
  distance: number
}

export interface SuggestOptions {
  /** ISO 3166-1 alpha-2, in either case; default `US`. */
  country?: string
  /** Name or code of an area whose cities come first. */
  state?: string
  /** Maximum number of codes, and of places, 1 to 50; default 10. */
  limit?: number
}

export interface Suggestions {
  /** Codes that begin with the text, ascending. An unknown position is absent. */
  codes: { postalCode: string; placeName: string; latitude?: number; longitude?: number }[]
  /** Cities whose name begins with the text: full names, then those of `state`, then larger ones. */
  places: {
    placeName: string
    /** Number of codes of all places with the name. */
    codes: number
    /** Level-1 areas of these places, at most five, those with more codes first. */
    areas: { name: string; code: string }[]
  }[]
}

/** Forms of a country's codes. */
export interface CountryFormats {
  /** ISO 3166-1 alpha-2. */
  country: string
  /** Name of the codes in the country: `ZIP code`, `CEP`; null without codes. */
  name: string | null
  /** True if the post has codes. */
  hasCodes: boolean
  /** True if the index has codes of the country. */
  hasData: boolean
  /** Regular expression of a whole written code; null if none is published. */
  pattern: string | null
  /** Code that matches `pattern`. */
  example: string | null
  /** Forms of codes in the index, or else of the post, most frequent first. `N` is a digit, `A` a letter. */
  formats: { format: string; example: string; pattern: string }[]
  /** True if the given code exists, or without data if it has a form of the country. */
  valid?: boolean
  /** Written form of the given code if it exists. */
  normalized?: string | null
}

export interface CountryCodes {
  /** ISO 3166-1 alpha-2. */
  country: string
  name: string
  completeness: Completeness
  codes: number
  places: number
  withPosition: number
  withTimezone: number
  withElevation: number
  withName: number
}

export interface IndexSource {
  id: string
  title: string
  licence: string
  /** Text to show with the data. */
  attribution: string
  url: string
  /** Date such as `2026-11-22`, or `''`. */
  date: string
}

export interface IndexFacts {
  codes: number
  countries: number
  /** Id of the build in 32 hex digits. The same sources give the same id. */
  buildId: string
  /** Day of the newest source, `2026-11-22`; null if no source has one. */
  dataDay: string | null
  sources: IndexSource[]
}

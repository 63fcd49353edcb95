/** Answers of the library. Names and meanings are those of the API, so that code can move between the two. */
import type { Kind } from '../format/code-record.ts'
import type { Detail } from '../index/post-table.ts'

export type { PlaceOfRecord } from '../index/code-places.ts'
export type { Metadata } from '../index/record-fields.ts'

/** From the best to the worst. */
export const FITS = ['match', 'close', 'unknown', 'mismatch'] as const
export const LISTS = ['states', 'cities', 'zipcodes'] as const

export interface PlaceOfCode {
  city: string
  /** Name of the state, or of the region of level 1; `''` when unknown. The API leaves it empty outside the US. */
  state: string
  /** Its code: `CA`, `BY`; `''` when unknown. */
  ST: string
  /** Degrees; absent when the position is unknown. */
  latitude?: number
  longitude?: number
}

/** Why a code is not valid, in the words of `/api/validate-bulk`. */
export type InvalidReason = 'not_found' | 'invalid_format' | 'unknown_country'

/** Says if a postal code exists, and why not. */
export type Verdict =
  | {
      valid: true
      /** The code in the country's own form; a short one (`SW1A`) where the data holds only those. */
      normalized: string
      reason: null
    }
  | {
      valid: false
      normalized: null
      reason: InvalidReason
      /** More about the reason; absent for a code that has the form of its country. */
      detail?: Detail
    }

export interface CityOptions {
  /** ISO 3166-1 alpha-2, in either case; default `US`. */
  country?: string
  /** Name or code of a state or another area of levels 1 to 3. Both filters hold when both are given. */
  state?: string
  ST?: string
  /** A part of the codes: at most `limit` of them after the first `offset`. All when both are absent. */
  limit?: number
  offset?: number
}

export interface CityCodes {
  /** Ascending, each once, in the country's own form. */
  zipcodes: string[]
  /** Present when no name was equal and a close one was taken. `''` where the data has no area. */
  matched?: { city: string; state: string; ST: string }
  /** All codes of the city; only with `limit` or `offset`. */
  total?: number
}

/** How a text that was given with a postal code fits it. */
export interface Fit {
  /** `close`: nearly so written; `unknown`: there is no such code, so that nothing can be compared. */
  verdict: (typeof FITS)[number]
  /** The right text; null where it is not known. */
  value: string | null
}

/** Says if a postal code, a city and a state belong together. Of the last two only what was given. */
export interface Verification {
  verdict: Fit['verdict']
  zipcode: Fit
  city?: Fit
  state?: Fit
}

export interface StateOfCountry {
  name: string
  /** `''` where it has none. */
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
  /** Name or code of a state or another area; needed for cities. `ST` counts where `state` is absent. */
  state?: string
  ST?: string
  /** At most 10,000; default 1,000. */
  limit?: number
  offset?: number
}

/** A point in WGS 84 degrees, or a code whose position is the point. */
export type NearestOf = { latitude: number; longitude: number } | { zipcode: string | number }

/** A point in WGS 84 degrees, or a code with its country, default `US`. */
export type Located = { latitude: number; longitude: number } | { zipcode: string | number; country?: string }

export interface NearestOptions {
  /** With a code its country, default `US`; with a point the only country whose codes count, default every one. */
  country?: string
  /** Kilometres, 0 to 20,040; default any distance. */
  radius?: number
  /** Codes wanted, 1 to 10,000; default 10. */
  limit?: number
  /** Codes of no other kind count; `street` means also those whose kind no source says, the others count within 100 km. Default any. */
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
  /** Codes, and as many places, 1 to 50; default 10. */
  limit?: number
}

/** Codes and names that somebody who is typing may mean. */
export interface Suggestions {
  /** Codes that begin so, ascending; the position is absent when it is unknown. */
  codes: { postalCode: string; placeName: string; latitude?: number; longitude?: number }[]
  /** Cities with a name that begins so: those that are what was typed first, then those of `state`, the larger first. */
  places: {
    placeName: string
    /** Codes of all places of that name. */
    codes: number
    /** Level-1 areas in which they are, at most five, those with more codes first. */
    areas: { name: string; code: string }[]
  }[]
}

/** How a country writes its codes. */
export interface CountryFormats {
  /** ISO 3166-1 alpha-2. */
  country: string
  /** Name of the codes in the country: `ZIP code`, `CEP`; null where the post has none. */
  name: string | null
  /** True if the post has codes. */
  hasCodes: boolean
  /** True if the index has some. */
  hasData: boolean
  /** A regular expression of a whole written code, for forms, and a code that matches it; null where nobody has published one. */
  pattern: string | null
  example: string | null
  /**
   * Forms of the codes that the index has, or else of those of the post, the most frequent first. `N` is a digit, `A` a letter;
   * `pattern` is a regular expression for the written form.
   */
  formats: { format: string; example: string; pattern: string }[]
  /** With a code: true if it exists, or without data if it has the country's form; and its written form if it exists. */
  valid?: boolean
  normalized?: string | null
}

/** A country that has codes. */
export interface CountryCodes {
  /** ISO 3166-1 alpha-2. */
  country: string
  name: string
  /** `short codes`: only their beginnings, as `SW1A` of `SW1A 1AA`; `partial`: an unknown code may exist. */
  completeness: 'full' | 'short codes' | 'partial'
  codes: number
  places: number
  /** Codes that have the field. */
  withPosition: number
  withTimezone: number
  withElevation: number
  withName: number
}

export interface IndexSource {
  id: string
  title: string
  licence: string
  /** Show it where you show the data. */
  attribution: string
  url: string
  /** `2026-11-22`, or `''` when the source has none. */
  date: string
}

export interface IndexFacts {
  codes: number
  countries: number
  /** 32 hex digits; the same sources give the same. */
  buildId: string
  /** Day of the newest source, `2026-11-22`, or null when no source has one. */
  dataDay: string | null
  sources: IndexSource[]
}

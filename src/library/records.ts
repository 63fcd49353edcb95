/** What the library answers with. Names and meanings are those of the API, so that code can move between the two. */
import type { InvalidReason } from './code-finder.ts'

/** The place of a postal code. */
export interface PlaceOfCode {
  /** City or place name. */
  city: string
  /** Name of the state, or of the region of level 1; `''` when unknown. The API leaves it empty outside the US. */
  state: string
  /** Its code: `CA`, `BY`; `''` when unknown. */
  ST: string
  /** Degrees; absent when the position is unknown. */
  latitude?: number
  longitude?: number
}

/**
 * Everything that is known of a postal code, under the names that `/api/metacode` uses. A field is absent when it is unknown.
 * A new source may add fields.
 */
export interface Metadata {
  /** The code in the country's own form: `zipcode` in the US, `postalCode` elsewhere. */
  zipcode?: string
  postalCode?: string
  /** ISO 3166-1 alpha-2; absent in the US. */
  country?: string
  /** `city` in the US, `placeName` elsewhere. */
  city?: string
  placeName?: string
  /** US only. */
  state?: string
  stateAbbrev?: string
  county?: string
  /** Names and codes of levels 1 to 3, outside the US. */
  admin_name1?: string
  admin_code1?: string
  admin_name2?: string
  admin_code2?: string
  admin_name3?: string
  admin_code3?: string
  /** Degrees. */
  latitude?: number
  longitude?: number
  /** Whether the position is the code's own, that of its place, or an estimate for the area around it. */
  accuracy?: 'code' | 'place' | 'area'
  /** IANA name. */
  timezone?: string
  /** Metres above sea level. */
  elevation?: number
  /** Fields that only some countries have, such as `municipality` in Mexico. */
  [field: string]: string | number | undefined
}

/** Whether a postal code exists, and why not. */
export type Verdict =
  | {
      valid: true
      /** The code in the country's own form; a short one (`SW1A`) where the data holds only those. */
      normalized: string
      reason: null
    }
  | { valid: false; normalized: null; reason: InvalidReason }

/** Where to search for a city. */
export interface CityOptions {
  /** ISO 3166-1 alpha-2, in either case; default `US`. */
  country?: string
  /** Name or code of a state or another area of levels 1 to 3. Both filters hold when both are given. */
  state?: string
  ST?: string
}

export interface CityCodes {
  /** Ascending, each once, in the country's own form. */
  zipcodes: string[]
  /** Present when no name was equal and a close one was taken. `''` where the data has no area. */
  matched?: { city: string; state: string; ST: string }
}

/** A point in WGS 84 degrees, or a code whose position is the point. */
export type NearestOf = { latitude: number; longitude: number } | { zipcode: string | number }

/** A point in WGS 84 degrees, or a code with its country, default `US`. */
export type Located = { latitude: number; longitude: number } | { zipcode: string | number; country?: string }

/** Which codes count as near. */
export interface NearestOptions {
  /** With a code its country, default `US`; with a point the only country whose codes count, default every one. */
  country?: string
  /** Kilometres, 0 to 20,040; default any distance. */
  radius?: number
  /** Codes wanted, 1 to 10,000; default 10. */
  limit?: number
}

/** A postal code near a point. */
export interface NearCode {
  /** In the country's own form. */
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

/** What is wanted of somebody who is typing. */
export interface SuggestOptions {
  /** ISO 3166-1 alpha-2, in either case; default `US`. */
  country?: string
  /** Codes, and as many places, 1 to 50; default 10. */
  limit?: number
}

/** What somebody who is typing may mean. */
export interface Suggestions {
  /** Codes that begin so, ascending; the position is absent when it is unknown. */
  codes: { postalCode: string; placeName: string; latitude?: number; longitude?: number }[]
  /** Names that begin so: those that are what was typed first, then the larger. */
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
  /** The most frequent first. `N` is a digit, `A` a letter; `pattern` is a regular expression for the written form. */
  formats: { format: string; example: string; pattern: string }[]
  /** With a code: whether it exists, and its written form. */
  valid?: boolean
  normalized?: string | null
}

/** A country that has codes. */
export interface CountryCodes {
  /** ISO 3166-1 alpha-2. */
  country: string
  codes: number
  places: number
  /** `short codes`: only their beginnings, as `SW1A` of `SW1A 1AA`; `partial`: an unknown code may exist. */
  completeness: 'full' | 'short codes' | 'partial'
}

/** What an index was built from. */
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

/** What an index holds. */
export interface IndexFacts {
  codes: number
  countries: number
  /** 32 hex digits; the same sources give the same. */
  buildId: string
  /** Day of the newest source, `2026-11-22`, or null when no source has one. */
  dataDay: string | null
  sources: IndexSource[]
}

/** What the service answers with. `src/api/API.md` is the authority; unknown fields may be added to each. */
import type { Metadata } from '../library/records.ts'

/** Durations as text, `3ms`; only `totalTime` is always there. */
export interface Performance {
  totalTime: string
  authTime?: string
  rateLimitCheckTime?: string
  balanceTime?: string
  processingTime?: string
}

export interface RateWindow {
  limit: number | null
  current: number | null
  approachingLimit: boolean
}

export interface RateLimit {
  enabled: boolean
  perMinute?: RateWindow
  perHour?: RateWindow
  perDay?: RateWindow
}

/** What every answer carries. */
export interface Charged {
  performance: Performance
  /** Dollars left after this query. */
  balance: number
}

/** The place of a postal code. */
export interface LookupAnswer extends Charged {
  city: string
  /** `''` outside the US. */
  state: string
  ST: string
  /** Degrees; absent when the position is unknown. */
  latitude?: number
  longitude?: number
  rateLimit: RateLimit
}

/** Everything that is known of a postal code. */
export interface MetadataAnswer extends Charged {
  meta: Metadata
  rateLimit?: RateLimit
}

export interface ValidateAnswer extends Charged {
  valid: boolean
  /** As it was asked. */
  zipcode: string | number
  responseTime: string
}

/** The postal codes of a city. */
export interface CityAnswer extends Charged {
  /** Ascending. */
  zipcodes: string[]
  /** Present when no name was equal and a close one was taken. */
  matchedCity?: string
  matchedState?: string
  matchedST?: string
  /** With `limit` or `offset`: how many codes there are in all. */
  total?: number
}

/** One record to validate. */
export interface PostalRecord {
  postalCode: string
  /** Two letters. */
  countryCode: string
}

export interface RecordResult {
  postalCode: string
  countryCode: string
  valid: boolean
  /** The code in the country's own form; null when invalid. */
  normalized: string | null
  reason: 'not_found' | 'invalid_format' | 'unknown_country' | null
}

export interface BulkAnswer<Result = RecordResult> extends Charged {
  /** In the order of the records. */
  results: Result[]
  /** Dollars. */
  totalCost: number
  rateLimit: RateLimit
}

export interface BalanceAnswer extends Charged {}

export interface AboutAnswer extends Charged {
  About: string
  version: string
  coverage: string
  usage: string
}

/** A record with what is known of its code. */
export interface LookedUpRecord extends RecordResult {
  /** Null when the code does not exist. */
  record: Metadata | null
}

/** A postal code near a point. */
export interface NearCode {
  postalCode: string
  country: string
  placeName: string
  latitude: number
  longitude: number
  /** Kilometres, to the metre. */
  distance: number
}

export interface NearestAnswer extends Charged {
  /** The nearest first. */
  results: NearCode[]
}

/** What somebody who is typing may mean. */
export interface AutocompleteAnswer extends Charged {
  codes: { postalCode: string; placeName: string; latitude?: number; longitude?: number }[]
  /** Level-1 areas of a name: those with more codes first. */
  places: { placeName: string; codes: number; areas: { name: string; code: string }[] }[]
}

/** What the service has of a country. */
export interface CountryCoverage {
  country: string
  name: string
  completeness: 'full' | 'short codes' | 'partial'
  codes: number
  places: number
  /** Codes that have the field. */
  withPosition: number
  withTimezone: number
  withElevation: number
  withName: number
}

export interface CountriesAnswer extends Charged {
  countries: CountryCoverage[]
}

/** How a country writes its codes, the most frequent form first. */
export interface FormatAnswer extends Charged {
  country: string
  formats: { format: string; example: string; pattern: string }[]
  /** With a code: whether it exists, and its written form. */
  valid?: boolean
  normalized?: string | null
}

/** The same questions to an index at hand and to a service elsewhere, for commands and agents. */
import type {
  Metadata,
  NearCode,
  NearestOf,
  NearestOptions,
  PostalCodes,
  Suggestions,
  SuggestOptions,
  Verdict,
} from '../library/main.ts'
import { BULK_RECORDS_MAX } from '../limits.ts'
import type { PostalRecord } from './answers.ts'
import type { PostrieClient } from './main.ts'

export type { NearestOf } from '../library/main.ts'

export interface FoundCity {
  /** Ascending. */
  zipcodes: string[]
  /** Present when a close name was taken. */
  matched?: { city: string; state: string; ST: string }
}

/** What an index or a service holds. */
export interface Coverage {
  /** A sentence. */
  summary: string
  /** Countries with codes; undefined when the service does not list them. */
  countries?: { country: string; codes: number; completeness: string }[]
}

/** Undefined: there is none. */
export interface CodeSource {
  metadata(code: string, country: string): Promise<Metadata | undefined>
  check(records: readonly PostalRecord[]): Promise<Verdict[]>
  city(name: string, country: string, state: string | undefined): Promise<FoundCity | undefined>
  /** The nearest first. Undefined: there is no such code, or its position is unknown. */
  nearest(of: NearestOf, options: NearestOptions): Promise<NearCode[] | undefined>
  suggest(text: string, options: SuggestOptions): Promise<Suggestions>
  coverage(): Promise<Coverage>
}

export function indexSource(codes: PostalCodes): CodeSource {
  return {
    metadata: async (code, country) => codes.metadata(code, country),
    check: async records =>
      records.map(({ postalCode, countryCode }) => codes.check(postalCode, countryCode)),
    city: async (name, country, state) => codes.city(name, { country, state }),
    nearest: async (of, options) => codes.nearest(of, options),
    suggest: async (text, options) => codes.autocomplete(text, options),
    async coverage() {
      const { codes: count, countries, dataDay } = codes.about()
      return {
        summary: `${count} postal codes of ${countries} countries, data of ${dataDay ?? 'unknown date'}`,
        countries: codes
          .countries()
          .map(({ country, codes, completeness }) => ({ country, codes, completeness })),
      }
    },
  }
}

/** Answers are charged to the account of the client. */
export function serviceSource(client: PostrieClient): CodeSource {
  return {
    metadata: async (code, country) => (await client.metadata(code, { country }))?.meta,
    async check(records) {
      const results = await client.validateAll(records, { batchSize: BULK_RECORDS_MAX })
      return results.map(({ valid, normalized, reason }) => ({ valid, normalized, reason }) as Verdict)
    },
    async city(name, country, state) {
      const answer = await client.city(name, { country, state })
      if (answer === undefined) return undefined
      const { zipcodes, matchedCity, matchedState = '', matchedST = '' } = answer
      if (matchedCity === undefined) return { zipcodes }
      return { zipcodes, matched: { city: matchedCity, state: matchedState, ST: matchedST } }
    },
    nearest: async (of, options) => (await client.nearest(of, options))?.results,
    async suggest(text, options) {
      const { codes, places } = await client.autocomplete(text, options)
      return { codes, places }
    },
    coverage: async () => ({ summary: (await client.about()).coverage }),
  }
}

/** What a rival keeps its data in, as those who would write one would: strings in, objects out. */
import type { CodeRecord } from '../input/records.ts'

/** The fields that `/api/lookup` answers with. */
export type LookupRecord = Pick<CodeRecord, 'city' | 'name1' | 'code1' | 'latitude' | 'longitude'>

/** Keys are canonical: upper case without separators. */
export interface Store {
  lookup(country: string, key: string): LookupRecord | undefined
  record(country: string, key: string): CodeRecord | undefined
  /** The country's own written form of a code that exists. */
  written(country: string, key: string): string | undefined
  hasCountry(country: string): boolean
  /** Written forms, ascending; empty when the city does not exist. @param city canonical key */
  codesOfCity(country: string, city: string, stateCode: string | undefined): string[]
}

/** Ascending and without repetitions, as the answer of a city search must be. */
export function sortedCodes(lists: readonly (readonly string[])[]): string[] {
  return [...new Set(lists.flat())].sort()
}

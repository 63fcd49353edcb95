/** Decided fields of a country: one entry per postal code. */

import { compareText } from '../src/platform/compare-text.ts'
import type { AdminField } from '../src/postal/format/admin-entry.ts'
import type { Accuracy, Kind } from '../src/postal/format/code-entry.ts'
import type { AreaNames, Completeness, CountryRules } from '../src/postal/format/meta.ts'

export interface CountryModel<T = CodeModel> {
  /** ISO 3166-1 alpha-2. */
  country: string
  completeness: Completeness
  /** Identifiers, the best source first. */
  sources: readonly string[]
  rules: CodeRules
  areaNames: AreaNames
  /** In any order; keys are unique. */
  codes: readonly T[]
}

/** Forms of postal codes that a country accepts and writes. */
export interface CodeRules extends Pick<CountryRules, 'padTo' | 'prefixes' | 'masks'> {
  /**
   * Shapes of the rest of a full code: `NNNN` in US (ZIP+4), `NAA` for outward codes. Empty when full codes must
   * exist.
   */
  tails: string[]
}

export interface CodeModel {
  /** 1 to 10 characters of `A-Z0-9`, without separators and prefix. */
  key: string
  /** WGS84 degrees; both NaN when unknown. */
  lat: number
  lon: number
  /** `''` when unknown. */
  accuracy: Accuracy
  /** `''` when unknown. */
  kind: Kind
  /** IANA identifier; `''` when unknown. */
  timezone: string
  /** Metres, whole; NaN when unknown. */
  elevation: number
  /** Primary place first; at least one. No two have equal name and areas. */
  places: readonly PlaceModel[]
}

/** Fields of a code whose position is one object. */
export interface DecidedCode extends Omit<CodeModel, 'lat' | 'lon' | 'accuracy'> {
  position: Pick<CodeModel, 'lat' | 'lon' | 'accuracy'>
}

export interface PlaceModel {
  name: string
  admin: AdminModel
  readonly population?: number
  aliases: readonly string[]
}

/** Returns a copy of `codes` in the order of their keys. */
export function ascending<T extends { readonly key: string }>(codes: Iterable<T>): T[] {
  return [...codes].sort((a, b) => compareText(a.key, b.key))
}

/** Returns `codes` with the others changed by the `known` codes before and after each. Both lists ascend. */
export function withBetween<T>(
  codes: readonly T[],
  known: readonly T[],
  change: (code: T, before: T | undefined, after: T | undefined) => T,
): readonly T[] {
  let next = 0
  return codes.map(code => {
    if (code !== known[next]) return change(code, known[next - 1], known[next])
    next++
    return code
  })
}

/** Returns the number of units that two texts begin with alike. */
export function sharedLength(one: string, other: string): number {
  let length = 0
  while (length < one.length && one[length] === other[length]) length++
  return length
}

export type Level = 1 | 2 | 3

/** Administrative areas, 1 the largest. Equal ones are often one object. Text is `''` when unknown. */
export interface AdminModel extends Record<AdminField, string> {
  /** Further fields of an answer, such as `municipality`; none is empty. */
  extra: Readonly<Record<string, string>>
}

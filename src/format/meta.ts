/** What the sections CTRY, RULE and META hold. FORMAT.md says what each field means. */

export const SOURCE_FIELDS = ['id', 'title', 'origin', 'licence', 'attribution', 'url', 'date'] as const

export type SourceMeta = Record<(typeof SOURCE_FIELDS)[number], string>

/** An entry of CTRY: the ranges of a country in the other sections. */
export interface CountryRanges {
  cc: string
  root: number
  codeStart: number
  codeCount: number
  placeStart: number
  placeCount: number
  aliasStart: number
  aliasCount: number
  nameStart: number
}

/** A value of RULE: all else that is known of a country. */
export interface CountryRules {
  completeness: 'full' | 'short codes' | 'partial'
  sources: number[]
  placeLengths: number[]
  aliasLengths: number[]
  padTo: number
  prefixes: string[]
  tails: string[]
  masks: string[]
  /** Shapes of its keys, the most frequent first, in the letters of `tails`; and for each a key that has it. Empty before 3.1. */
  shapes: string[]
  examples: string[]
  /**
   * Short forms of its full codes: the link to their trie, the first of their code indexes, and their number; or nothing. Missing
   * before 3.2.
   */
  areas: number[]
  /** `AreaNames`, packed separately: only state filters need them. */
  areaNames: Uint8Array
  positions: number
  zoned: number
  elevated: number
  named: number
}

export type CountryMeta = CountryRanges & CountryRules

/** From the city key of another name of an area to its names in ADMN, or to its code where it has no name. */
export type AreaNames = Readonly<Record<string, readonly string[]>>

/** The value of META. What only some requests need is packed separately, so that opening an index need not unpack it. */
export interface PackedMeta {
  /** `SourceMeta[]`. */
  sources: Uint8Array
  /** `SourceMeta[]`. */
  credits: Uint8Array
  /** `string[]`. */
  zones: Uint8Array
  /** Two letters each, ascending, without separators. */
  iso: string
  synonyms: Record<string, string>
  /** Words of `known-cities.ts`, little-endian; missing in indexes of earlier builders. */
  known?: Uint8Array
  /** Countries of `iso` whose post has postal codes, in the same form; a file of version 3.0 does not say. */
  coded?: string
  /** Records of CODE, the last, that are areas of short forms and not codes; missing before 3.2, which has none. */
  areas?: number
}

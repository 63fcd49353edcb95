/** Contents of the sections CTRY, RULE and META. */

export const SOURCE_FIELDS = ['id', 'title', 'origin', 'licence', 'attribution', 'url', 'date'] as const

export type SourceMeta = Record<(typeof SOURCE_FIELDS)[number], string>

/** Entry of CTRY: the ranges of a country in the other sections. */
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
  nameCount: number
  /** Offset in TEXT of the first name of its codes' places. */
  textStart: number
}

/** Shares of a country's codes. `short codes`: only beginnings. `partial`: an unknown code may exist. */
export const COMPLETENESS = ['full', 'short codes', 'partial'] as const
export type Completeness = (typeof COMPLETENESS)[number]

export interface CountryRules {
  completeness: Completeness
  /** Indexes into `sources` of META, best first. */
  sources: number[]
  /** Starts in PLAC by length of the city key: 0 to 31, then longer keys, then the end. 34 numbers. */
  placeLengths: number[]
  /** The same starts in ALIA. */
  aliasLengths: number[]
  /** Symbols to which a number is padded with zeros. 0: never. */
  padTo: number
  /** Letters that users write before a code: `D` in `D-80331`. */
  prefixes: string[]
  /** Letters of provinces by the first two digits of codes in AR, bit 0 for A; empty elsewhere. */
  letters: number[]
  /** Ends of full codes whose beginning is a code: of each character, those that the post uses. */
  tails: string[][]
  /** Written forms: `NNNNN-NNN`. */
  masks: string[]
  /** Shapes of its keys in `N` for a digit and `A` for a letter, most frequent first. */
  shapes: string[]
  examples: string[]
  /** First parts of its codes: link to their trie, first code index, and number; empty without any. */
  parts: number[]
  /** Tails of which any full code with a known first part is valid. */
  partTails: string[][]
  /** Packed `AreaNames`, which only state filters need. */
  areaNames: Uint8Array
  positions: number
  zoned: number
  elevated: number
  named: number
}

export type CountryMeta = CountryRanges & CountryRules

/** Names of an area in ADMN by the city key of another name. If ADMN has no name of it, its code. */
export type AreaNames = Readonly<Record<string, readonly string[]>>

/** Forms of codes by a post, also of a country without data. */
export interface PackedPost {
  /** Name of the codes in the country: `ZIP code`, `PIN`. */
  name: string
  /** Regular expression of the written form; '' if none is published. */
  pattern: string
  /** Regular expression of the key, without anchors. */
  keyPattern: string
  /** Written forms. In `format`, `N` is a digit, `A` a letter, any other character is itself. */
  forms: { format: string; example: string }[]
}

/** Value of META. Parts that few requests need are packed separately. */
export interface PackedMeta {
  sources: Uint8Array
  credits: Uint8Array
  /** Packed `string[]`: IANA names of time zones, the first empty. */
  zones: Uint8Array
  /** Countries that a request may name: two letters each, ascending, without separators. */
  iso: string
  synonyms: Record<string, string>
  /** Words of `knownWord`, little-endian: large cities of the world, and towns without codes. */
  known: Uint8Array
  /** Packed `Record<string, PackedPost>`: every country of `iso` with postal codes. */
  posts: Uint8Array
}

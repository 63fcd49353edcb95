/** Contents of the sections CTRY, RULE and META. */

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
  nameCount: number
  /** Where in TEXT the names of its codes' places begin. */
  textStart: number
}

export interface CountryRules {
  completeness: 'full' | 'short codes' | 'partial'
  /** Indexes into `sources` of META, the best first. */
  sources: number[]
  /** 34 indexes into PLAC: where city keys of length 0 to 32, and longer ones, begin; the last is the end. */
  placeLengths: number[]
  aliasLengths: number[]
  /** `CodeRules` of the builder, as the next three. */
  padTo: number
  prefixes: string[]
  tails: string[]
  masks: string[]
  /** Shapes of its keys in the letters of `tails`, the most frequent first. */
  shapes: string[]
  examples: string[]
  /** Short forms of its full codes: the link to their trie, the first of their code indexes, and their number; or nothing. */
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

/** How a post writes its codes, whether the index has them or not. */
export interface PackedPost {
  /** Name of the codes in the country: `ZIP code`, `PIN`. */
  name: string
  /** A regular expression of the written form; '' where nobody has published it, and of the key, without anchors. */
  pattern: string
  keyPattern: string
  /** In `format`, `N` is a digit, `A` a letter, all else stands for itself. */
  forms: { format: string; example: string }[]
}

/** The value of META. Parts that only some requests need are packed separately. */
export interface PackedMeta {
  sources: Uint8Array
  credits: Uint8Array
  /** `string[]`: IANA names, the first empty. */
  zones: Uint8Array
  /** Countries that a request may name: two letters each, ascending, without separators. */
  iso: string
  synonyms: Record<string, string>
  /** Large cities of the world, and towns without codes, as words of `knownWord`, little-endian. */
  known: Uint8Array
  /** `Record<string, PackedPost>`: every country of `iso` whose post has postal codes. */
  posts: Uint8Array
}

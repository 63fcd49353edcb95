/** The META section, as msgpack holds it. FORMAT.md says what each field means. */

export interface SourceMeta {
  id: string
  title: string
  origin: string
  licence: string
  attribution: string
  url: string
  date: string
}

export interface CountryMeta {
  cc: string
  completeness: 'full' | 'short codes' | 'partial'
  sources: number[]
  root: number
  codeStart: number
  codeCount: number
  placeStart: number
  placeCount: number
  aliasStart: number
  aliasCount: number
  placeLengths: number[]
  aliasLengths: number[]
  padTo: number
  prefixes: string[]
  tails: string[]
  masks: string[]
  /** `AreaNames`, packed once more, so that opening an index need not unpack them. */
  areaNames: Uint8Array
  positions: number
  zoned: number
  elevated: number
  named: number
}

/** From the city key of another name of a level-1 area to its names in ADMN. */
export type AreaNames = Readonly<Record<string, readonly string[]>>

export interface IndexMeta {
  sources: SourceMeta[]
  credits: SourceMeta[]
  zones: string[]
  iso: string[]
  synonyms: Record<string, string>
  countries: CountryMeta[]
}

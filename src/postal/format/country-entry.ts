/** Section CTRY: the two letters of a country, then its ranges in the other sections, a word each. */
import type { CountryRanges } from './meta.ts'

/** Words after the letters: start and count in CODE, PLAC, ALIA and NAME, start and bytes in RULE. */
const FIELDS = [
  'root',
  'codeStart',
  'codeCount',
  'placeStart',
  'placeCount',
  'aliasStart',
  'aliasCount',
  'nameStart',
  'nameCount',
  'textStart',
  'rulesStart',
  'rulesBytes',
] as const

export const COUNTRY_WORDS: number = 1 + FIELDS.length

export interface CountryEntryFields extends CountryRanges {
  rulesStart: number
  rulesBytes: number
}

export function packCountry(fields: CountryEntryFields): Uint32Array {
  const letters = fields.cc.charCodeAt(0) | (fields.cc.charCodeAt(1) << 8)
  return Uint32Array.of(letters, ...FIELDS.map(name => fields[name]))
}

export function readCountry(words: Uint32Array, at: number): CountryEntryFields {
  const cc = String.fromCharCode(words[at] & 0xff, words[at] >>> 8)
  const fields = FIELDS.map((name, i) => [name, words[at + 1 + i]])
  return { cc, ...(Object.fromEntries(fields) as Omit<CountryEntryFields, 'cc'>) }
}

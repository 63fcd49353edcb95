/** The CTRY section: the ranges of a country in the other sections, in thirteen words. */
import type { CountryRanges } from './meta.ts'

export const COUNTRY_WORDS = 13

const LETTERS = 0
const ROOT = 1
/** First entry, and number of entries, in CODE, PLAC, ALIA and NAME. */
const CODES = 2
const PLACES = 4
const ALIASES = 6
const NAMES = 8
const TEXT_START = 10
/** First byte, and number of bytes, in RULE. */
const RULES = 11

export interface CountryEntryFields extends CountryRanges {
  rulesStart: number
  rulesBytes: number
}

export function packCountry(fields: CountryEntryFields): Uint32Array {
  const words = new Uint32Array(COUNTRY_WORDS)
  words[LETTERS] = fields.cc.charCodeAt(0) | (fields.cc.charCodeAt(1) << 8)
  words[ROOT] = fields.root
  words.set([fields.codeStart, fields.codeCount], CODES)
  words.set([fields.placeStart, fields.placeCount], PLACES)
  words.set([fields.aliasStart, fields.aliasCount], ALIASES)
  words.set([fields.nameStart, fields.nameCount], NAMES)
  words[TEXT_START] = fields.textStart
  words.set([fields.rulesStart, fields.rulesBytes], RULES)
  return words
}

export function readCountry(words: Uint32Array, at: number): CountryEntryFields {
  return {
    cc: String.fromCharCode(words[at + LETTERS] & 0xff, words[at + LETTERS] >>> 8),
    root: words[at + ROOT],
    codeStart: words[at + CODES],
    codeCount: words[at + CODES + 1],
    placeStart: words[at + PLACES],
    placeCount: words[at + PLACES + 1],
    aliasStart: words[at + ALIASES],
    aliasCount: words[at + ALIASES + 1],
    nameStart: words[at + NAMES],
    nameCount: words[at + NAMES + 1],
    textStart: words[at + TEXT_START],
    rulesStart: words[at + RULES],
    rulesBytes: words[at + RULES + 1],
  }
}

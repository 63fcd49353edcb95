/** From a postal code as a source writes it to the key that stands for it. */
import { codeForms } from '../datasets/code-shapes.ts'
import { canonicalCode } from '../src/text/code.ts'

/** Letters that some countries' posts write before every code, where they are not the ISO code. */
const OWN_PREFIXES: Readonly<Record<string, string>> = { LU: 'L' }
/** Fewer digits than these after the letters, and they are part of the code: `IM1` is no code 1. */
const PREFIXED_DIGITS_MIN = 3

/**
 * What follows a French code of its own kind: `75021 CEDEX 01` is a large customer of the post office that the rest names,
 * `75700 SP 07` a military one, `20223 AIR` an air base.
 */
const DISTRIBUTION = / +(CEDEX|CITYSSIMO|SP|AIR)\b/
/** The five digits before it; shorter codes need not be looked at. */
const DISTRIBUTION_MIN = 5

export interface NormalForm {
  key: string
  /** What was unusual about the code, for the report; `''` when nothing was. */
  quirk: string
}

/** What people write before the codes of `country`: its post's own letters, or else the ISO code, as in `LV-1001`. */
export function prefixOf(country: string): string {
  return OWN_PREFIXES[country] ?? country
}

/** A function that normalises the codes of `country`: null when the text can be no postal code. */
export function normaliser(country: string): (code: string) => NormalForm | null {
  const prefix = prefixOf(country)
  const digits = fixedDigits(country)
  const prefixed = new RegExp(`^${prefix}\\d{${PREFIXED_DIGITS_MIN},}$`)
  return code => {
    const distribution = code.length > DISTRIBUTION_MIN ? DISTRIBUTION.exec(code) : null
    const key = canonicalCode(distribution === null ? code : code.slice(0, distribution.index))
    if (key === null) return null
    if (distribution !== null) return { key, quirk: 'CEDEX' }
    if (key[0] === prefix[0] && prefixed.test(key))
      return { key: key.slice(prefix.length), quirk: 'prefix in code' }
    // A spreadsheet somewhere upstream took the code for a number.
    if (key.length === digits - 1 && /^\d+$/.test(key)) return { key: `0${key}`, quirk: 'lost leading zero' }
    return { key, quirk: '' }
  }
}

/** Number of digits of every full code of `country`, 0 when they are not digits of one fixed length. */
export function fixedDigits(country: string): number {
  const shapes = (codeForms(country)?.shapes ?? []).filter(shape => !shape.includes('|'))
  const [first] = shapes
  return shapes.length === 1 && /^N+$/.test(first) ? first.length : 0
}

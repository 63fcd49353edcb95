/** From a postal code as a source writes it to the key that stands for it. */
import { codeForms } from '../../datasets/reference/code-shapes.ts'
import type { Kind } from '../../src/format/code-record.ts'
import { canonicalCode } from '../../src/text/code.ts'
import { prefixesOf } from './written-prefixes.ts'

/** Fewer digits than these after the letters, and the letters are part of the code: `IM1` is not the code 1. */
const PREFIXED_DIGITS_MIN = 3

/**
 * The end of a French code: `75021 CEDEX 01` is a large customer of the post office that the rest names,
 * `75700 SP 07` a military one, `20223 AIR` an air base.
 */
const DISTRIBUTION = / +(CEDEX|CITYSSIMO|SP|AIR)\b/
const KIND_OF_END: Readonly<Record<string, Kind>> = {
  CEDEX: 'unique',
  CITYSSIMO: 'pickup',
  SP: 'military',
  AIR: 'military',
}
/** The five digits before it; shorter codes cannot have it. */
const DISTRIBUTION_MIN = 5

export interface NormalForm {
  key: string
  /** Kind that the end of a French code states; `''` for all others. */
  kind: Kind
}

/** A function that normalises the codes of `country`: null when the text cannot be a postal code. */
export function normaliser(country: string): (code: string) => NormalForm | null {
  const digits = fixedDigits(country)
  const prefixed = new RegExp(`^(?:${prefixesOf(country).join('|')})(\\d{${PREFIXED_DIGITS_MIN},})$`)
  return code => {
    const distribution = code.length > DISTRIBUTION_MIN ? DISTRIBUTION.exec(code) : null
    const key = canonicalCode(distribution === null ? code : code.slice(0, distribution.index))
    if (key === null) return null
    if (distribution !== null) return { key, kind: KIND_OF_END[distribution[1]] }
    // Few codes begin with a letter; the others cannot have a prefix.
    const bare = key[0] > '9' ? prefixed.exec(key)?.[1] : undefined
    if (bare !== undefined) return { key: bare, kind: '' }
    // A spreadsheet somewhere upstream took the code for a number.
    const lostZero = key.length === digits - 1 && /^\d+$/.test(key)
    return { key: lostZero ? `0${key}` : key, kind: '' }
  }
}

/** Number of digits of every full code of `country`, 0 when they are not digits of one fixed length. */
export function fixedDigits(country: string): number {
  const shapes = (codeForms(country)?.shapes ?? []).filter(shape => !shape.includes('|'))
  const [first] = shapes
  return shapes.length === 1 && /^N+$/.test(first) ? first.length : 0
}

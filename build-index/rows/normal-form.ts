import { codeForms } from '../../datasets/reference/code-shapes.ts'
import type { Kind } from '../../src/postal/format/code-entry.ts'
import { canonicalCode } from '../../src/postal/text/code-symbols.ts'
import { prefixesOf } from './written-prefixes.ts'

/** Minimum number of digits after a prefix: in `IM1` the letters are part of the code. */
const PREFIXED_DIGITS_MIN = 3

/** End of a French code: `75021 CEDEX 01` is a large customer, `75700 SP 07` military, `20223 AIR` an air base. */
const DISTRIBUTION = / +(CEDEX|CITYSSIMO|SP|AIR)\b/
const KIND_OF_END: Readonly<Record<string, Kind>> = {
  CEDEX: 'unique',
  CITYSSIMO: 'pickup',
  SP: 'military',
  AIR: 'military',
}
const DISTRIBUTION_MIN = 5

export interface NormalForm {
  key: string
  /** Kind that the end of a French code states, else `''`. */
  kind: Kind
}

/** Returns a function that normalises codes of `country`; null for text that is no postal code. */
export function normaliser(country: string): (code: string) => NormalForm | null {
  const digits = fixedDigits(country)
  const prefixed = new RegExp(`^(?:${prefixesOf(country).join('|')})(\\d{${PREFIXED_DIGITS_MIN},})$`)
  return code => {
    const distribution = code.length > DISTRIBUTION_MIN ? DISTRIBUTION.exec(code) : null
    const key = canonicalCode(distribution === null ? code : code.slice(0, distribution.index))
    if (key === null) return null
    if (distribution !== null) return { key, kind: KIND_OF_END[distribution[1]] }
    // Most codes begin with a digit and have no prefix.
    const bare = key[0] > '9' ? prefixed.exec(key)?.[1] : undefined
    if (bare !== undefined) return { key: bare, kind: '' }
    // A spreadsheet took the code for a number.
    const lostZero = key.length === digits - 1 && /^\d+$/.test(key)
    return { key: lostZero ? `0${key}` : key, kind: '' }
  }
}

/** Returns the length of the country's codes if all are digits of one length, else 0. */
function fixedDigits(country: string): number {
  const shapes = (codeForms(country)?.shapes ?? []).filter(shape => !shape.includes('|'))
  const [first] = shapes
  return shapes.length === 1 && /^N+$/.test(first) ? first.length : 0
}

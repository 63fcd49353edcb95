/**
 * Postal codes as people paste them: with the spaces and dashes of word processors, from keyboards that type full-width letters,
 * and with the `CEDEX` of French business mail. Only for what `putSymbols` refuses.
 */
import { CODE_LENGTH_MAX } from '../limits.ts'
import { asciiBytes } from './bytes.ts'
import { INVALID, SEPARATOR, SYMBOL_OF_BYTE } from './code.ts'

/** France and its territories. */
const CEDEX_COUNTRIES: ReadonlySet<string> = new Set('FR GP MQ GF RE YT PM BL MF WF PF NC TF'.split(' '))

/** First and last of each run of code points: control spaces, Unicode's spaces and what has no width, and its dashes. */
const SEPARATOR_RUNS: readonly (readonly [first: number, last: number])[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0x85, 0x85],
  [0xa0, 0xa0],
  [0xad, 0xad],
  [0x058a, 0x058a],
  [0x05be, 0x05be],
  [0x1400, 0x1400],
  [0x1680, 0x1680],
  [0x1806, 0x1806],
  [0x180e, 0x180e],
  [0x2000, 0x200d],
  [0x2010, 0x2015],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x2060],
  // The minus sign.
  [0x2212, 0x2212],
  [0x2e17, 0x2e17],
  [0x2e1a, 0x2e1a],
  [0x2e3a, 0x2e3b],
  [0x2e40, 0x2e40],
  [0x2e5d, 0x2e5d],
  [0x3000, 0x3000],
  [0x301c, 0x301c],
  [0x3030, 0x3030],
  [0x30a0, 0x30a0],
  // The long vowel mark of Japanese keyboards, which is typed as a dash, and its narrow form.
  [0x30fc, 0x30fc],
  [0xfe31, 0xfe32],
  [0xfe58, 0xfe58],
  [0xfe63, 0xfe63],
  [0xfeff, 0xfeff],
  [0xff70, 0xff70],
  [0x10d6e, 0x10d6e],
  [0x10ead, 0x10ead],
]
const SEPARATORS: ReadonlySet<number> = new Set(
  SEPARATOR_RUNS.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, i) => first + i)),
)

/** Full-width forms of ASCII, and how far they are from it. */
const FULL_WIDTH_FIRST = 0xff01
const FULL_WIDTH_LAST = 0xff5e
const FULL_WIDTH_OFFSET = 0xff01 - 0x21

const CEDEX = asciiBytes('CEDEX').map(byte => SYMBOL_OF_BYTE[byte])
const CEDEX_DIGITS_MAX = 2
const scratch = new Uint8Array(CODE_LENGTH_MAX + CEDEX.length + CEDEX_DIGITS_MAX)

/** Returns true if a text that is no code, with `length` symbols, may be a code as people paste them. */
export function mayBePasted(length: number): boolean {
  // A code of five digits with the word CEDEX is as long as the longest code.
  return length === 0 || length === CODE_LENGTH_MAX
}

/** Returns true if codes of the country may end in `CEDEX`. */
export function hasCedex(cc: string): boolean {
  return CEDEX_COUNTRIES.has(cc)
}

/**
 * Writes the symbols of the postal code in the UTF-8 of `bytes[start, end)` to `out` at `at`.
 * @param cedex whether a trailing `CEDEX` with up to two digits is left out
 * @returns their number, or 0 when it can be no postal code anywhere
 */
export function putPasted(
  bytes: Uint8Array,
  start: number,
  end: number,
  out: Uint8Array,
  at: number,
  cedex: boolean,
): number {
  let length = 0
  for (let i = start; i < end; ) {
    const bytesOfPoint = utf8Length(bytes[i])
    const symbol = symbolOf(codePoint(bytes, i, bytesOfPoint))
    i += bytesOfPoint
    if (symbol === SEPARATOR) continue
    if (symbol === INVALID || length === scratch.length) return 0
    scratch[length++] = symbol
  }
  if (cedex) length = lengthWithoutCedex(scratch, length)
  if (length > CODE_LENGTH_MAX) return 0
  for (let i = 0; i < length; i++) out[at + i] = scratch[i]
  return length
}

/** Length of `symbols[0, length)` without a trailing `CEDEX` and its digits; `length` when it has none or is nothing else. */
export function lengthWithoutCedex(symbols: Uint8Array, length: number): number {
  let end = length
  while (end > 0 && length - end < CEDEX_DIGITS_MAX && symbols[end - 1] < 10) end--
  const start = end - CEDEX.length
  return start > 0 && CEDEX.every((symbol, i) => symbols[start + i] === symbol) ? start : length
}

function symbolOf(point: number): number {
  if (SEPARATORS.has(point)) return SEPARATOR
  const isWide = point >= FULL_WIDTH_FIRST && point <= FULL_WIDTH_LAST
  const ascii = isWide ? point - FULL_WIDTH_OFFSET : point
  return ascii < 0x80 ? SYMBOL_OF_BYTE[ascii] : INVALID
}

/** Bytes of the character that begins with `first`. */
function utf8Length(first: number): number {
  if (first < 0x80) return 1
  if (first < 0xe0) return 2
  return first < 0xf0 ? 3 : 4
}

/** The character at `at` of valid UTF-8. */
function codePoint(bytes: Uint8Array, at: number, length: number): number {
  let point = length === 1 ? bytes[at] : bytes[at] & (0xff >> (length + 1))
  for (let i = 1; i < length; i++) point = (point << 6) | (bytes[at + i] & 0x3f)
  return point
}

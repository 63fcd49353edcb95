/**
 * Postal codes as people paste them: with the spaces and dashes of word processors, from keyboards that type full-width letters,
 * and with the `CEDEX` of French business mail. Only for what is no code as it stands.
 */
import { CODE_LENGTH_MAX } from '../limits.ts'

const CEDEX_COUNTRIES: ReadonlySet<string> = new Set('FR GP MQ GF RE YT PM BL MF WF PF NC TF'.split(' '))
const CEDEX = /(?<=.)CEDEX\d{0,2}$/i

/**
 * Spaces, dots, dashes, quotes, the postal mark of Japan, what has no width, the minus sign, and the long vowel mark of Japanese
 * keyboards, which is typed as a dash, with its narrow form. An older Node.js does not know the last one as a dash.
 */
const SEPARATORS =
  /[\s.\p{Quotation_Mark}\u3012\u3020\p{Pd}\u0085\u00ad\u180e\u200b-\u200d\u2060\u2212\u30fc\uff70\u{10d6e}]+/gu

const FULL_WIDTH = /[\uff01-\uff5e]/g
const FULL_WIDTH_OFFSET = 0xff01 - 0x21

/** Returns true if a text that is no code, with `length` symbols, may be a code as people paste them. */
export function mayBePasted(length: number): boolean {
  // A code of five digits with the word CEDEX is as long as the longest code.
  return length === 0 || length === CODE_LENGTH_MAX
}

export function withoutPasted(text: string, cc: string): string {
  const plain = text
    .replace(FULL_WIDTH, wide => String.fromCharCode(wide.charCodeAt(0) - FULL_WIDTH_OFFSET))
    .replace(SEPARATORS, '')
    .replace(/[,;:]$/, '')
  return CEDEX_COUNTRIES.has(cc) ? plain.replace(CEDEX, '') : plain
}

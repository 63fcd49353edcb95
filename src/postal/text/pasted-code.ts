/** Cleans pasted codes of other dashes and spaces, full-width letters and `CEDEX`. */
import { CODE_LENGTH_MAX } from '../limits.ts'
import { canonicalCode } from './code-symbols.ts'

const CEDEX_COUNTRIES: ReadonlySet<string> = new Set('FR GP MQ GF RE YT PM BL MF WF PF NC TF'.split(' '))
const CEDEX = /(?<=.)CEDEX\d{0,2}$/i
/** Words for *postal code* before one, of all countries. */
const WORDS =
  /^(?:C[AE]P|CPA?|C[OÓ]D(?:IGO|E)POSTAL|EIRCODE|NPA|PIN(?:CODE)?|PLZ|POSTLEITZAHL|POST(?:AL)?CODE|PS[CČ]|ZIP(?:CODE)?|ИНДЕКС|우편번호|邮编|邮政编码|郵便番号|郵遞區號):?/iu

/**
 * Spaces, dots, dashes, quotes, Japan's postal mark, characters without width and the minus sign. Japanese
 * keyboards type their long vowel mark as a dash. Older Node.js does not call U+10D6E a dash.
 */
const SEPARATORS =
  /[\s.\p{Quotation_Mark}\u3012\u3020\p{Pd}\u0085\u00ad\u180e\u200b-\u200d\u2060\u2212\u30fc\uff70\u{10d6e}]+/gu

const FULL_WIDTH = /[\uff01-\uff5e]/g
const FULL_WIDTH_OFFSET = 0xff01 - 0x21

/** Returns true if a text with `length` symbols, which is no code, may be a pasted code. */
export function mayBePasted(length: number): boolean {
  // Five digits and the word CEDEX are as long as the longest code.
  return length === 0 || length === CODE_LENGTH_MAX
}

export function withoutPasted(text: string, cc: string): string {
  let plain = text
    .replace(FULL_WIDTH, wide => String.fromCharCode(wide.charCodeAt(0) - FULL_WIDTH_OFFSET))
    .replace(SEPARATORS, '')
    .replace(/[,;:]$/, '')
  if (CEDEX_COUNTRIES.has(cc)) plain = plain.replace(CEDEX, '')
  return canonicalCode(plain) === null ? plain.replace(WORDS, '') : plain
}

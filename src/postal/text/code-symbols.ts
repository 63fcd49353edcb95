/** Canonical form of a postal code: upper-case letters and digits, for builder and server. */
import { CODE_LENGTH_MAX } from '../limits.ts'

/** Symbol of a byte that is a separator: space, tab, hyphen, full stop. */
export const SEPARATOR = 36
/** Symbol of a byte that no code has. */
export const INVALID = 37

/** Symbol of every byte: 0-35, `SEPARATOR` or `INVALID`. */
export const SYMBOL_OF_BYTE: Uint8Array = new Uint8Array(256).fill(INVALID)
for (let digit = 0; digit < 10; digit++) SYMBOL_OF_BYTE[0x30 + digit] = digit
for (let letter = 0; letter < 26; letter++) {
  SYMBOL_OF_BYTE[0x41 + letter] = 10 + letter
  SYMBOL_OF_BYTE[0x61 + letter] = 10 + letter
}
for (const separator of ' \t-.') SYMBOL_OF_BYTE[separator.charCodeAt(0)] = SEPARATOR

export const SYMBOLS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** Writes the symbols of `bytes[start, end)` to `out`. Returns their number; 0 for no code of any country. */
export function putSymbols(bytes: Uint8Array, start: number, end: number, out: Uint8Array): number {
  let length = 0
  for (let i = start; i < end; i++) {
    const symbol = SYMBOL_OF_BYTE[bytes[i]]
    if (symbol === SEPARATOR) continue
    if (symbol === INVALID || length === CODE_LENGTH_MAX) return 0
    out[length++] = symbol
  }
  return length
}

export function putTextSymbols(text: string, out: Uint8Array): number {
  let length = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    const symbol = unit < 256 ? SYMBOL_OF_BYTE[unit] : INVALID
    if (symbol === SEPARATOR) continue
    if (symbol === INVALID || length === CODE_LENGTH_MAX) return 0
    out[length++] = symbol
  }
  return length
}

const scratch = new Uint8Array(CODE_LENGTH_MAX)

/** Returns the canonical form of `text` (1 to 10 of `A-Z0-9`); null if it is no code of any country. */
export function canonicalCode(text: string): string | null {
  return symbolText(scratch, putTextSymbols(text, scratch)) || null
}

export function symbolText(symbols: Uint8Array, length: number): string {
  let text = ''
  for (let i = 0; i < length; i++) text += SYMBOLS[symbols[i]]
  return text
}

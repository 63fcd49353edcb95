/** Writes postal codes in their country's own form. */
import { WRITTEN_APART } from '../format/layout.ts'
import { CODE_LENGTH_MAX } from '../limits.ts'
import { SYMBOLS } from '../text/code.ts'
import type { Country } from './country.ts'
import type { PostalIndex } from './postal-index.ts'
import { copyText } from './text.ts'
import { codeSymbols } from './trie.ts'
import { firstWritten } from './written-apart.ts'

const BYTE_OF_SYMBOL = Buffer.from(SYMBOLS, 'latin1')
const HASH_SIGN = 0x23
const scratch = new Uint8Array(CODE_LENGTH_MAX)
/** Longer than any written form: the builder keeps each within 32 bytes. */
const formBytes = Buffer.alloc(64)

/**
 * Writes the form of code index `code`, whose key is `symbols[start, start + length)`, to `out` at `at`.
 * @returns where it ends, at most 32 bytes on
 */
export function copyWritten(
  index: PostalIndex,
  country: Country,
  code: number,
  symbols: Uint8Array,
  start: number,
  length: number,
  out: Uint8Array,
  at: number,
): number {
  if (country.hasWrittenApart && (index.codes[code << 2] & WRITTEN_APART) !== 0)
    return copyText(index.text, writtenApart(index.written, code), out, at)
  const mask = country.masks[length]
  let end = at
  if (mask === undefined) {
    for (let i = start; i < start + length; i++) out[end++] = BYTE_OF_SYMBOL[symbols[i]]
    return end
  }
  let from = start
  for (let i = 0; i < mask.length; i++) {
    out[end++] = mask[i] === HASH_SIGN ? BYTE_OF_SYMBOL[symbols[from++]] : mask[i]
  }
  return end
}

/** The form of a code whose key is not at hand. */
export function writtenForm(index: PostalIndex, country: Country, code: number): string {
  const length = codeSymbols(index.trie, country.root, code, scratch)
  const end = copyWritten(index, country, code, scratch, 0, length, formBytes, 0)
  return formBytes.toString('latin1', 0, end)
}

/** Offset in TEXT of the form of `code`. The builder wrote one for every code with the bit. */
function writtenApart(written: Uint32Array, code: number): number {
  return written[firstWritten(written, code) * 2 + 1]
}

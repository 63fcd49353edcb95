import { TEXT_FIELD_BYTES_MAX, WRITTEN_BYTES_MAX } from '../../format/layout.ts'
import { LIST_SYMBOLS_MAX } from '../../format/trie-layout.ts'
import { CODE_LENGTH_MAX } from '../../limits.ts'
import { asciiBytes, utf8Text } from '../../text/bytes.ts'
import { SYMBOLS } from '../../text/code.ts'
import { type Country, firstWritten } from '../country.ts'
import { damaged } from '../index-file-error.ts'
import type { PostalIndex } from '../postal-index.ts'
import { copyText } from '../text-section.ts'
import type { CodeQuery } from './resolve.ts'
import { codeSymbols } from './trie.ts'

const BYTE_OF_SYMBOL = asciiBytes(SYMBOLS)
const HASH_SIGN = 0x23
const scratch = new Uint8Array(CODE_LENGTH_MAX + LIST_SYMBOLS_MAX)
const formBytes = new Uint8Array(WRITTEN_BYTES_MAX)
/** Buffer for a form from WRIT, until its length is checked. */
const textBytes = new Uint8Array(TEXT_FIELD_BYTES_MAX)

/** Writes the form of a code with the key `symbols[start, start + length)`. Returns its end. @throws DamagedIndexError */
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
  if (country.hasWrittenApart) {
    const apart = writtenApart(index.written, code)
    if (apart >= 0) return copyForm(index.text, apart, out, at)
  }
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

/** Returns the form of a code without its key. @throws DamagedIndexError */
export function formOfCode(index: PostalIndex, country: Country, code: number): string {
  const length = codeSymbols(index.trie, country.root, code, scratch)
  return utf8Text(formBytes, 0, copyWritten(index, country, code, scratch, 0, length, formBytes, 0))
}

/** Returns the form of code index `code`, which `query` has just found. @throws DamagedIndexError */
export function formOfFound(index: PostalIndex, country: Country, code: number, query: CodeQuery): string {
  const { symbols, keyStart, keyLength } = query
  return utf8Text(formBytes, 0, copyWritten(index, country, code, symbols, keyStart, keyLength, formBytes, 0))
}

function copyForm(text: Uint8Array, offset: number, out: Uint8Array, at: number): number {
  const length = copyText(text, offset, textBytes, 0)
  if (length > WRITTEN_BYTES_MAX)
    damaged(`a written form has ${length} bytes, at most ${WRITTEN_BYTES_MAX} expected`)
  for (let i = 0; i < length; i++) out[at + i] = textBytes[i]
  return at + length
}

/** Returns the offset in TEXT of the form of `code`; -1 if a mask gives the form. */
function writtenApart(written: Uint32Array, code: number): number {
  const entry = firstWritten(written, code) * 2
  return written[entry] === code ? written[entry + 1] : -1
}

import { WRITTEN_BYTES_MAX } from '../../format/layout.ts'
import { LIST_SYMBOLS_MAX } from '../../format/trie-layout.ts'
import { CODE_LENGTH_MAX } from '../../limits.ts'
import { asciiBytes, utf8Text } from '../../text/bytes.ts'
import { SYMBOLS } from '../../text/code.ts'
import type { Country } from '../country.ts'
import type { PostalIndex } from '../postal-index.ts'
import type { CodeQuery } from './find-code.ts'
import { codeSymbols } from './trie.ts'

const BYTE_OF_SYMBOL = asciiBytes(SYMBOLS)
const HASH_SIGN = 0x23
const scratch = new Uint8Array(CODE_LENGTH_MAX + LIST_SYMBOLS_MAX)
const formBytes = new Uint8Array(WRITTEN_BYTES_MAX)

/** Writes the form of the key `symbols[start, start + length)`. Returns its end. */
export function copyWritten(
  country: Country,
  symbols: Uint8Array,
  start: number,
  length: number,
  out: Uint8Array,
  at: number,
): number {
  const mask = country.masks[length]
  let end = at
  if (mask === undefined) {
    for (let i = start; i < start + length; i++) out[end++] = BYTE_OF_SYMBOL[symbols[i]]
    return end
  }
  let from = start
  for (let i = 0; i < mask.length; i++)
    out[end++] = mask[i] === HASH_SIGN ? BYTE_OF_SYMBOL[symbols[from++]] : mask[i]
  return end
}

/** Returns the form of a code without its key. @throws DamagedIndexError */
export function formOfCode(index: PostalIndex, country: Country, code: number): string {
  const length = codeSymbols(index.trie, country.root, code, scratch)
  return utf8Text(formBytes, 0, copyWritten(country, scratch, 0, length, formBytes, 0))
}

export function formOfFound(country: Country, query: CodeQuery): string {
  const { symbols, keyStart, keyLength } = query
  return utf8Text(formBytes, 0, copyWritten(country, symbols, keyStart, keyLength, formBytes, 0))
}

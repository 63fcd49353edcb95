import { WRITTEN_BYTES_MAX } from '../../format/layout.ts'
import { asciiBytes, utf8Text } from '../../text/bytes.ts'
import { SYMBOLS } from '../../text/code-symbols.ts'
import type { Country } from '../country.ts'
import type { PostalIndex } from '../postal-index.ts'
import { CodeQuery } from './code-query.ts'
import { codeSymbols } from './trie.ts'

const BYTE_OF_SYMBOL = asciiBytes(SYMBOLS)
const HASH_SIGN = 0x23
/** Key of a code without a question. */
const scratch = new CodeQuery()
const formBytes = new Uint8Array(WRITTEN_BYTES_MAX)

/** Writes the form of the key that `query` has found. Returns its end. */
export function copyWritten(country: Country, query: CodeQuery, out: Uint8Array, at: number): number {
  const { symbols, keyStart, keyLength } = query
  const mask = country.masks[keyLength]
  let end = at
  if (mask === undefined) {
    for (let i = keyStart; i < keyStart + keyLength; i++) out[end++] = BYTE_OF_SYMBOL[symbols[i]]
    return end
  }
  let from = keyStart
  for (let i = 0; i < mask.length; i++)
    out[end++] = mask[i] === HASH_SIGN ? BYTE_OF_SYMBOL[symbols[from++]] : mask[i]
  return end
}

/** Returns the form of a code without its key. @throws DamagedIndexError */
export function formOfCode(index: PostalIndex, country: Country, code: number): string {
  scratch.keyLength = codeSymbols(index.trie, country.root, code, scratch.symbols)
  return formOfFound(country, scratch)
}

export function formOfFound(country: Country, query: CodeQuery): string {
  return utf8Text(formBytes, 0, copyWritten(country, query, formBytes, 0))
}

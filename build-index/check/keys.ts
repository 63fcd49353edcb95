/** Keys of codes, from the trie and back. */
import { LIST_SYMBOLS_MAX } from '../../src/postal/format/trie-layout.ts'
import { codeSymbols, findCode } from '../../src/postal/index/codes/trie.ts'
import type { Country } from '../../src/postal/index/country.ts'
import type { PostalIndex } from '../../src/postal/index/postal-index.ts'
import { CODE_LENGTH_MAX } from '../../src/postal/limits.ts'
import { SYMBOL_OF_BYTE, SYMBOLS } from '../../src/postal/text/code-symbols.ts'

export function keyOf(index: PostalIndex, country: Country, code: number): string {
  const symbols = new Uint8Array(CODE_LENGTH_MAX + LIST_SYMBOLS_MAX)
  const length = codeSymbols(index.trie, country.root, code, symbols)
  let key = ''
  for (let i = 0; i < length; i++) key += SYMBOLS[symbols[i]]
  return key
}

/** Returns the code of a key in `country`, negative if there is none. */
export function codeOfKey(index: PostalIndex, country: Country, key: string): number {
  const symbols = new Uint8Array(key.length)
  for (let i = 0; i < key.length; i++) symbols[i] = SYMBOL_OF_BYTE[key.charCodeAt(i)]
  return findCode(index.trie, country.root, symbols, 0, symbols.length)
}

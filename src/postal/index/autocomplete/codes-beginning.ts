/** The codes that begin as somebody types: one range of code indexes. */

import {
  HEAD_WORDS,
  HIGH_SYMBOLS_SHIFT,
  LINK_KIND,
  LIST_SYMBOLS_MAX,
  TO_NODE,
} from '../../format/trie-layout.ts'
import { CODE_LENGTH_MAX } from '../../limits.ts'
import { codeSymbols, firstCode, popcount, rankOf } from '../codes/trie.ts'
import { type Country, hasCode } from '../country.ts'
import { damaged } from '../index-file-error.ts'

export interface CodeRange {
  first: number
  end: number
}

const key = new Uint8Array(CODE_LENGTH_MAX + LIST_SYMBOLS_MAX)

/** Returns the codes of `country` whose keys begin with `symbols[0, length)`. @throws DamagedIndexError */
export function findPrefix(
  trie: Uint32Array,
  { cc, root, codeStart, codeCount }: Country,
  symbols: Uint8Array,
  length: number,
): CodeRange {
  let end = codeStart + codeCount
  let link = root
  let at = 0
  while ((link & LINK_KIND) === TO_NODE && at < length) {
    const child = rankOf(trie, link, symbols[at++])
    if (child < 0) return { first: end, end }
    const children = popcount(trie[link + 1]) + popcount(trie[link] >>> HIGH_SYMBOLS_SHIFT)
    const links = link + HEAD_WORDS
    if (child + 1 < children) end = firstCode(trie, trie[links + child + 1] | 0)
    link = trie[links + child] | 0
  }
  let first = firstCode(trie, link)
  if (!(first >= codeStart && first <= end && end <= codeStart + codeCount))
    damaged(`TRIE leads to codes ${first} to ${end}, which ${cc} does not have`)
  if (at < length) {
    while (first < end && compareKey(trie, root, first, symbols, length) < 0) first++
    let last = first
    while (last < end && compareKey(trie, root, last, symbols, length) === 0) last++
    end = last
  }
  return { first, end }
}

/** Returns the code itself, or the codes that begin with a first part. @throws DamagedIndexError */
export function codesOfPart(trie: Uint32Array, country: Country, code: number): CodeRange {
  if (hasCode(country, code)) return { first: code, end: code + 1 }
  const part = new Uint8Array(CODE_LENGTH_MAX + LIST_SYMBOLS_MAX)
  return findPrefix(trie, country, part, codeSymbols(trie, country.partRoot, code, part))
}

/** Compares the key of a code with `symbols[0, length)`; 0 if it begins so. */
function compareKey(
  trie: Uint32Array,
  root: number,
  code: number,
  symbols: Uint8Array,
  length: number,
): number {
  const keyLength = codeSymbols(trie, root, code, key)
  for (let i = 0; i < length; i++) {
    const order = i < keyLength ? key[i] - symbols[i] : -1
    if (order !== 0) return order
  }
  return 0
}

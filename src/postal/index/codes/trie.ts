/** Walks the section TRIE, only on integers, so that a look-up allocates nothing. */

import {
  ENDS_HERE,
  FIRST_CODE,
  HEAD_WORDS,
  HIGH_SYMBOLS_SHIFT,
  LINK_AT,
  LINK_KIND,
  LIST_BASE,
  LIST_SYMBOLS_MAX,
  PAIRS_COUNTS,
  TO_ENDS,
  TO_LIST,
  TO_NODE,
  TO_PAIRS,
} from '../../format/trie-layout.ts'
import { CODE_LENGTH_MAX } from '../../limits.ts'
import { damaged } from '../index-file-error.ts'

const SYMBOLS_COUNT = 36
const PAIRS_COUNT = 100

export function popcount(bits: number): number {
  let n = bits - ((bits >>> 1) & 0x5555_5555)
  n = (n & 0x3333_3333) + ((n >>> 2) & 0x3333_3333)
  return Math.imul((n + (n >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24
}

/**
 * Returns the code index of `symbols[start, start + length)` (each 0-35) under the link `root`, or -1. A
 * symbol costs a node, until few keys are left: `90210` costs the nodes of 9, 0 and 2, and a leaf of codes
 * with 902.
 */
export function findCode(
  trie: Uint32Array,
  root: number,
  symbols: Uint8Array,
  start: number,
  length: number,
): number {
  const end = start + length
  let link = root | 0
  let i = start
  while ((link & LINK_KIND) === TO_NODE) {
    const head = trie[link]
    if (i === end) return (head & ENDS_HERE) === 0 ? -1 : head & FIRST_CODE
    const child = rankOf(trie, link, symbols[i++])
    if (child < 0) return -1
    link = trie[link + HEAD_WORDS + child] | 0
  }
  const at = link & LINK_AT
  switch (link & LINK_KIND) {
    case TO_PAIRS:
      return findPair(trie, at, symbols, i, end)
    case TO_ENDS:
      return findEnd(trie, at, symbols, i, end)
    default:
      return findInList(trie, at, symbols, i, end)
  }
}

/** Returns the number of symbols of the two bitmaps at `at` below `symbol`; -1 if it is not in them. */
export function rankOf(trie: Uint32Array, at: number, symbol: number): number {
  const low = trie[at + 1]
  if (symbol < 32) {
    const bit = 1 << symbol
    if ((low & bit) === 0) return -1
    const below = low & (bit - 1)
    // Nodes of digits are mostly full and need no counting.
    return below === bit - 1 ? symbol : popcount(below)
  }
  const high = trie[at] >>> HIGH_SYMBOLS_SHIFT
  const bit = 1 << (symbol - 32)
  return (high & bit) === 0 ? -1 : popcount(low) + popcount(high & (bit - 1))
}

function findEnd(trie: Uint32Array, at: number, symbols: Uint8Array, start: number, end: number): number {
  if (end - start !== 1) return -1
  const rank = rankOf(trie, at, symbols[start])
  return rank < 0 ? -1 : (trie[at] & FIRST_CODE) + rank
}

function findPair(trie: Uint32Array, at: number, symbols: Uint8Array, start: number, end: number): number {
  if (end - start !== 2) return -1
  const tens = symbols[start]
  const ones = symbols[start + 1]
  if (tens > 9 || ones > 9) return -1
  const pair = tens * 10 + ones
  const word = pair >>> 5
  const mask = trie[at + 1 + word]
  const bit = 1 << (pair & 31)
  if ((mask & bit) === 0) return -1
  const before = (trie[at + PAIRS_COUNTS] >>> (word * 8)) & 0xff
  return trie[at] + before + popcount(mask & (bit - 1))
}

/** Returns the code index of up to three symbols in a list, or -1, by binary search without branches. */
function findInList(trie: Uint32Array, at: number, symbols: Uint8Array, start: number, end: number): number {
  if (end - start > LIST_SYMBOLS_MAX) return -1
  let key = 0
  for (let i = start; i < start + LIST_SYMBOLS_MAX; i++)
    key = key * LIST_BASE + (i < end ? symbols[i] + 1 : 0)
  let low = 0
  for (let count = trie[at + 1] & 0xffff; count > 1; ) {
    const half = count >>> 1
    // The shift gives all ones if the middle key is not above `key`.
    low += half & ((listKey(trie, at, low + half) - key - 1) >> 31)
    count -= half
  }
  return listKey(trie, at, low) === key ? trie[at] + low : -1
}

/** Returns the `rank`-th key of a list. Keys are halves of words, after a half with their number. */
export function listKey(trie: Uint32Array, at: number, rank: number): number {
  const half = rank + 1
  return (trie[at + 1 + (half >>> 1)] >>> ((half & 1) << 4)) & 0xffff
}

/**
 * Writes the symbols of a code index, and returns their number. Every subtree is a range of code indexes.
 * @param out room for `CODE_LENGTH_MAX` symbols and the three of a page
 */
export function codeSymbols(trie: Uint32Array, root: number, code: number, out: Uint8Array): number {
  let link = root | 0
  let depth = 0
  while ((link & LINK_KIND) === TO_NODE && depth < CODE_LENGTH_MAX) {
    const head = trie[link]
    if ((head & ENDS_HERE) !== 0 && (head & FIRST_CODE) === code) return depth
    const low = trie[link + 1]
    const high = head >>> HIGH_SYMBOLS_SHIFT
    const links = link + HEAD_WORDS
    let child = popcount(low) + popcount(high) - 1
    while (child > 0 && firstCode(trie, trie[links + child] | 0) > code) child--
    out[depth++] = nthBit(low, high, child)
    link = trie[links + child] | 0
  }
  const at = link & LINK_AT
  const rank = code - firstCode(trie, link)
  switch (rank >= 0 ? link & LINK_KIND : TO_NODE) {
    case TO_LIST:
      if (rank >= (trie[at + 1] & 0xffff)) damaged(`code index ${code} is not in its list`)
      return putListKey(listKey(trie, at, rank), out, depth)
    case TO_PAIRS:
      return putPair(trie, at, rank, out, depth)
    case TO_ENDS:
      out[depth] = nthBit(trie[at + 1], trie[at] >>> HIGH_SYMBOLS_SHIFT, rank)
      return depth + 1
    default:
      return damaged(`code index ${code} is in no subtree of link ${root}`)
  }
}

export function firstCode(trie: Uint32Array, link: number): number {
  return trie[link & LINK_AT] & FIRST_CODE
}

function putListKey(key: number, out: Uint8Array, depth: number): number {
  let length = depth
  for (let unit = LIST_BASE * LIST_BASE, rest = key; rest > 0; unit /= LIST_BASE) {
    const symbol = ((rest / unit) | 0) - 1
    if (symbol < 0 || symbol >= SYMBOLS_COUNT) damaged(`a list of TRIE has the key ${key}`)
    out[length++] = symbol
    rest %= unit
  }
  return length
}

function putPair(trie: Uint32Array, at: number, rank: number, out: Uint8Array, depth: number): number {
  const counts = trie[at + PAIRS_COUNTS]
  let word = 3
  while (word > 0 && ((counts >>> (word * 8)) & 0xff) > rank) word--
  const pair = word * 32 + nthBit(trie[at + 1 + word], 0, rank - ((counts >>> (word * 8)) & 0xff))
  if (pair >= PAIRS_COUNT) damaged(`a page of TRIE has the pair ${pair}`)
  out[depth] = (pair / 10) | 0
  out[depth + 1] = pair % 10
  return depth + 2
}

/** Returns the number of the `rank`-th set bit of `low` and then, from 32 on, `high`. */
function nthBit(low: number, high: number, rank: number): number {
  const lowCount = popcount(low)
  if (rank >= lowCount + popcount(high)) damaged(`a page of TRIE has no entry ${rank}`)
  let bits = rank < lowCount ? low : high
  for (let skip = rank < lowCount ? rank : rank - lowCount; skip > 0; skip--) bits &= bits - 1
  return (rank < lowCount ? 0 : 32) + 31 - Math.clz32(bits & -bits)
}

/** The codes that begin with given characters: one range of code indexes, found by one walk of the trie. */
import {
  FIRST_CODE,
  HEAD_WORDS,
  HIGH_SYMBOLS_SHIFT,
  LINK_AT,
  LINK_KIND,
  LIST_BASE,
  LIST_SYMBOLS_MAX,
  PAIRS_COUNTS,
  TO_ENDS,
  TO_NODE,
  TO_PAIRS,
} from '../../format/trie-layout.ts'
import type { Country } from '../country.ts'
import { damaged } from '../index-file-error.ts'
import { firstCode, listKey, popcount, rankOf } from './trie.ts'

/** Code indexes from `first` on, without `end`. */
export interface CodeRange {
  first: number
  end: number
}

/**
 * Sets `range` to the codes of `country` whose keys begin with `symbols[start, start + length)`; an empty range when there are
 * none. @throws DamagedIndexError when they are not codes of the country
 */
export function findPrefix(
  trie: Uint32Array,
  country: Country,
  symbols: Uint8Array,
  start: number,
  length: number,
  range: CodeRange,
): void {
  const stop = start + length
  range.end = country.codeStart + country.codeCount
  let link = country.root
  let at = start
  while ((link & LINK_KIND) === TO_NODE && at < stop) {
    const child = rankOf(trie, link, symbols[at++])
    if (child < 0) return empty(range)
    const children = popcount(trie[link + 1]) + popcount(trie[link] >>> HIGH_SYMBOLS_SHIFT)
    const links = link + HEAD_WORDS
    if (child + 1 < children) range.end = firstCode(trie, trie[links + child + 1] | 0)
    link = trie[links + child] | 0
  }
  range.first = trie[link & LINK_AT] & FIRST_CODE
  if (at < stop) narrow(trie, link, symbols, at, stop, range)
  const { codeStart, codeCount } = country
  if (!(range.first >= codeStart && range.first <= range.end && range.end <= codeStart + codeCount))
    damaged(`TRIE leads to codes ${range.first} to ${range.end}, which ${country.cc} does not have`)
}

function empty(range: CodeRange): void {
  range.first = range.end
}

/** Narrows the range of a page to the keys whose rest begins with `symbols[start, stop)`. */
function narrow(
  trie: Uint32Array,
  link: number,
  symbols: Uint8Array,
  start: number,
  stop: number,
  range: CodeRange,
): void {
  const at = link & LINK_AT
  const { first } = range
  switch (link & LINK_KIND) {
    case TO_ENDS: {
      const rank = stop - start === 1 ? rankOf(trie, at, symbols[start]) : -1
      if (rank < 0) return empty(range)
      range.first = first + rank
      range.end = range.first + 1
      return
    }
    case TO_PAIRS:
      return narrowToPairs(trie, at, symbols, start, stop, range)
    default:
      return narrowToList(trie, at, symbols, start, stop, range)
  }
}

function narrowToPairs(
  trie: Uint32Array,
  at: number,
  symbols: Uint8Array,
  start: number,
  stop: number,
  range: CodeRange,
): void {
  const { first } = range
  const tens = symbols[start]
  const ones = stop - start === 2 ? symbols[start + 1] : 0
  if (stop - start > 2 || tens > 9 || ones > 9) return empty(range)
  const pair = tens * 10 + ones
  range.first = first + pairsBelow(trie, at, pair)
  range.end = first + pairsBelow(trie, at, pair + (stop - start === 2 ? 1 : 10))
}

/** How many pairs of the page at `at` are below `pair`, 0 to 100. */
function pairsBelow(trie: Uint32Array, at: number, pair: number): number {
  const word = pair >>> 5
  const before = (trie[at + PAIRS_COUNTS] >>> (word * 8)) & 0xff
  return before + popcount(trie[at + 1 + word] & ((1 << (pair & 31)) - 1))
}

function narrowToList(
  trie: Uint32Array,
  at: number,
  symbols: Uint8Array,
  start: number,
  stop: number,
  range: CodeRange,
): void {
  if (stop - start > LIST_SYMBOLS_MAX) return empty(range)
  let low = 0
  for (let i = start; i < start + LIST_SYMBOLS_MAX; i++)
    low = low * LIST_BASE + (i < stop ? symbols[i] + 1 : 0)
  const high = low + LIST_BASE ** (LIST_SYMBOLS_MAX - (stop - start))
  const { first } = range
  const count = trie[at + 1] & 0xffff
  let begin = 0
  while (begin < count && listKey(trie, at, begin) < low) begin++
  let end = begin
  while (end < count && listKey(trie, at, end) < high) end++
  range.first = first + begin
  range.end = first + end
}

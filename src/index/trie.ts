/**
 * Walks the TRIE section. FORMAT.md draws a node: four words, two bitmaps of 36 symbols. The functions take the section as a
 * `Uint32Array` and work on integers alone, so that a look-up allocates nothing.
 */
import { LOW_28_BITS } from '../format/layout.ts'

/** Number of bits set in `bits`, 0 to 32. Hacker's Delight, 5-1. */
export function popcount(bits: number): number {
  let n = bits - ((bits >>> 1) & 0x5555_5555)
  n = (n & 0x3333_3333) + ((n >>> 2) & 0x3333_3333)
  return Math.imul((n + (n >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24
}

/**
 * Code index of `symbols[0, length)` (each 0-35) under the root node `root`, or -1. Costs one node of 16 bytes a symbol.
 * @param length at least 1
 */
export function findCode(
  nodes: Uint32Array,
  root: number,
  symbols: Uint8Array,
  start: number,
  length: number,
): number {
  const last = start + length - 1
  let at = root << 2
  for (let i = start; i < last; i++) {
    const symbol = symbols[i]
    const word = nodes[at + 2]
    if (symbol < 32) {
      const mask = nodes[at]
      const bit = 1 << symbol
      if ((mask & bit) === 0) return -1
      const below = mask & (bit - 1)
      // Nodes of digits are mostly full, and what is below a symbol then needs no counting: 6 percent of a bulk record.
      at = ((word & LOW_28_BITS) + (below === bit - 1 ? symbol : popcount(below))) << 2
    } else {
      const mask = word >>> 28
      const bit = 1 << (symbol - 32)
      if ((mask & bit) === 0) return -1
      at = ((word & LOW_28_BITS) + popcount(nodes[at]) + popcount(mask & (bit - 1))) << 2
    }
  }
  const symbol = symbols[last]
  const word = nodes[at + 3]
  if (symbol < 32) {
    const mask = nodes[at + 1]
    const bit = 1 << symbol
    return (mask & bit) === 0 ? -1 : (word & LOW_28_BITS) + popcount(mask & (bit - 1))
  }
  const mask = word >>> 28
  const bit = 1 << (symbol - 32)
  return (mask & bit) === 0 ? -1 : (word & LOW_28_BITS) + popcount(nodes[at + 1]) + popcount(mask & (bit - 1))
}

/**
 * The reverse: writes the symbols of code index `code` to `out` and returns their number, at most 10. Every subtree is one
 * range of code indexes, so each level is a search among neighbours.
 * @param code a code index of the country whose root is `root`
 */
export function codeSymbols(nodes: Uint32Array, root: number, code: number, out: Uint8Array): number {
  let node = root
  for (let depth = 0; depth < out.length; depth++) {
    const at = node << 2
    const rank = code - (nodes[at + 3] & LOW_28_BITS)
    const endsHigh = nodes[at + 3] >>> 28
    if (rank < popcount(nodes[at + 1]) + popcount(endsHigh)) {
      out[depth] = nthSymbol(nodes[at + 1], endsHigh, rank)
      return depth + 1
    }
    const childrenHigh = nodes[at + 2] >>> 28
    const first = nodes[at + 2] & LOW_28_BITS
    let child = popcount(nodes[at]) + popcount(childrenHigh) - 1
    while (child > 0 && (nodes[((first + child) << 2) + 3] & LOW_28_BITS) > code) child--
    out[depth] = nthSymbol(nodes[at], childrenHigh, child)
    node = first + child
  }
  throw new RangeError(
    `code index ${code} is in no subtree of node ${root}: the index file is damaged; build it anew`,
  )
}

/** The symbol of the `rank`-th bit set in a bitmap of 36. */
function nthSymbol(low: number, high: number, rank: number): number {
  const lowCount = popcount(low)
  let bits = rank < lowCount ? low : high
  for (let skip = rank < lowCount ? rank : rank - lowCount; skip > 0; skip--) bits &= bits - 1
  return (rank < lowCount ? 0 : 32) + 31 - Math.clz32(bits & -bits)
}

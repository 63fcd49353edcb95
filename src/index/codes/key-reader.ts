/**
 * Reads the keys of codes that lie near each other in the index, such as ten of one town. It remembers the way down the trie to the last
 * one, and begins where the ways part: mostly in the same page.
 */
import {
  ENDS_HERE,
  FIRST_CODE,
  HEAD_WORDS,
  HIGH_SYMBOLS_SHIFT,
  LINK_KIND,
  LIST_SYMBOLS_MAX,
  TO_NODE,
} from '../../format/trie-layout.ts'
import { CODE_LENGTH_MAX } from '../../limits.ts'
import { firstCode, nthBit, popcount, putPageKey } from './trie.ts'

export class KeyReader {
  /** The key that was read last. */
  readonly symbols = new Uint8Array(CODE_LENGTH_MAX + LIST_SYMBOLS_MAX)
  readonly #trie: Uint32Array
  /** The links of the way, from the root, and the code indexes below each: from its first on, without its end. */
  readonly #links = new Int32Array(CODE_LENGTH_MAX + 1)
  readonly #firsts = new Int32Array(CODE_LENGTH_MAX + 1)
  readonly #ends = new Int32Array(CODE_LENGTH_MAX + 1)
  #depth = 0

  constructor(trie: Uint32Array) {
    this.#trie = trie
    // No link yet: a root with no codes.
    this.#ends[0] = -1
  }

  /**
   * Puts the key of `code`, a code index of the country whose link is `root`, into `symbols`.
   * @param end the code index after the country's last @returns symbols of the key @throws DamagedIndexError
   */
  read(root: number, end: number, code: number): number {
    const links = this.#links
    const firsts = this.#firsts
    const ends = this.#ends
    const trie = this.#trie
    // A link may have its highest bit set, and entries are signed.
    const top = root | 0
    if (links[0] !== top || ends[0] !== end) {
      links[0] = top
      firsts[0] = firstCode(trie, top)
      ends[0] = end
      this.#depth = 0
    }
    let depth = this.#depth
    while (depth > 0 && (code < firsts[depth] || code >= ends[depth])) depth--
    // What lies below is written over, perhaps not to the end.
    this.#depth = depth
    let link = links[depth]
    while ((link & LINK_KIND) === TO_NODE && depth < CODE_LENGTH_MAX) {
      const head = trie[link]
      if ((head & ENDS_HERE) !== 0 && (head & FIRST_CODE) === code) break
      const low = trie[link + 1]
      const high = head >>> HIGH_SYMBOLS_SHIFT
      const children = link + HEAD_WORDS
      let child = 0
      let after = popcount(low) + popcount(high)
      let last = ends[depth]
      // The last child whose first code is not above this one.
      while (after - child > 1) {
        const middle = (child + after) >>> 1
        const first = firstCode(trie, trie[children + middle] | 0)
        if (first > code) {
          after = middle
          last = first
        } else child = middle
      }
      this.symbols[depth++] = nthBit(low, high, child)
      link = trie[children + child] | 0
      links[depth] = link
      firsts[depth] = firstCode(trie, link)
      ends[depth] = last
    }
    this.#depth = depth
    return (link & LINK_KIND) === TO_NODE && isEnd(trie, link, code)
      ? depth
      : putPageKey(trie, root, link, code, this.symbols, depth)
  }
}

function isEnd(trie: Uint32Array, link: number, code: number): boolean {
  return (trie[link] & ENDS_HERE) !== 0 && (trie[link] & FIRST_CODE) === code
}

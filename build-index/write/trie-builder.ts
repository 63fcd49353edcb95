/** The TRIE section: a trie per country over its sorted keys. FORMAT.md draws its parts. */
import {
  ENDS_HERE,
  HEAD_WORDS,
  HIGH_SYMBOLS_SHIFT,
  LINKS_MAX,
  LIST_BASE,
  LIST_KEYS_MAX,
  LIST_SYMBOLS_MAX,
  PAIRS_COUNTS,
  PAIRS_KEYS_MIN,
  PAIRS_WORDS,
  TO_ENDS,
  TO_LIST,
  TO_NODE,
  TO_PAIRS,
  TRIE_CODES_MAX,
} from '../../src/postal/format/trie-layout.ts'
import { SYMBOL_OF_BYTE } from '../../src/postal/text/code-symbols.ts'
import { bytesOf } from './byte-writer.ts'

const TWO_DIGITS = /^[0-9]{2}$/
/** Maximum number of keys in any form but a node: 100 pairs. */
const TAILS_MAX = 100

/** Keys from `low` to `high`, which share their first `depth` characters. */
interface Subtree {
  keys: readonly string[]
  low: number
  high: number
  depth: number
  firstCode: number
}

export class TrieBuilder {
  readonly #words: number[] = []
  #codeCount = 0

  get codeCount(): number {
    return this.#codeCount
  }

  /**
   * Adds a country and returns the link to its trie. Its keys get the next code indexes.
   * @param keys distinct, ascending, at least one
   * @throws RangeError when codes or words outgrow their bits
   */
  add(keys: readonly string[]): number {
    const root = this.#write({ keys, low: 0, high: keys.length, depth: 0, firstCode: this.#codeCount })
    this.#codeCount += keys.length
    if (this.#codeCount > TRIE_CODES_MAX || this.#words.length > LINKS_MAX)
      throw new RangeError(`the trie holds at most ${TRIE_CODES_MAX} codes and ${LINKS_MAX} words`)
    return root
  }

  bytes(): Uint8Array {
    return bytesOf(this.#words)
  }

  /** Appends zeros and returns the index of the first. */
  #reserve(count: number): number {
    for (let i = 0; i < count; i++) this.#words.push(0)
    return this.#words.length - count
  }

  /** Uses the smallest form that holds the subtree. */
  #write(subtree: Subtree): number {
    const { keys, low, high, depth, firstCode } = subtree
    if (high - low > TAILS_MAX) return this.#writeNode(subtree)
    const tails = keys.slice(low, high).map(key => key.slice(depth))
    if (tails.every(({ length }) => length === 1)) return this.#writeEnds(firstCode, tails)
    if (tails.length >= PAIRS_KEYS_MIN && tails.every(tail => TWO_DIGITS.test(tail)))
      return this.#writePairs(firstCode, tails)
    if (tails.length <= LIST_KEYS_MAX && tails.every(({ length }) => length <= LIST_SYMBOLS_MAX))
      return this.#writeList(firstCode, tails)
    return this.#writeNode(subtree)
  }

  #writeEnds(firstCode: number, tails: readonly string[]): number {
    const at = this.#reserve(HEAD_WORDS)
    this.#writeHead(
      at,
      firstCode,
      tails.map(tail => SYMBOL_OF_BYTE[tail.charCodeAt(0)]),
    )
    return link(TO_ENDS, at)
  }

  #writeHead(at: number, first: number, symbols: readonly number[]): void {
    const masks = [0, 0]
    for (const symbol of symbols) masks[symbol >>> 5] |= 1 << (symbol & 31)
    this.#words[at] = first | (masks[1] << HIGH_SYMBOLS_SHIFT)
    this.#words[at + 1] = masks[0]
  }

  #writePairs(firstCode: number, tails: readonly string[]): number {
    const at = this.#reserve(PAIRS_WORDS)
    this.#words[at] = firstCode
    const pairs = tails.map(Number)
    for (let word = 0; word < 4; word++) {
      const inWord = pairs.filter(pair => pair >>> 5 === word)
      const before = pairs.filter(pair => pair >>> 5 < word).length
      this.#words[at + 1 + word] = inWord.reduce((mask, pair) => mask | (1 << (pair & 31)), 0)
      this.#words[at + PAIRS_COUNTS] |= before << (word * 8)
    }
    return link(TO_PAIRS, at)
  }

  #writeList(firstCode: number, tails: readonly string[]): number {
    const halves = [tails.length, ...tails.map(listKey)]
    const at = this.#reserve(1 + Math.ceil(halves.length / 2))
    this.#words[at] = firstCode
    for (let i = 0; i < halves.length; i += 2) {
      this.#words[at + 1 + i / 2] = halves[i] | ((halves[i + 1] ?? 0) << 16)
    }
    return link(TO_LIST, at)
  }

  #writeNode({ keys, low, high, depth, firstCode }: Subtree): number {
    // A key that ends here sorts before longer ones.
    const ends = keys[low].length === depth
    const children: { symbol: number; subtree: Subtree }[] = []
    for (let at = ends ? low + 1 : low; at < high; ) {
      const unit = keys[at].charCodeAt(depth)
      let end = at
      while (end < high && keys[end].charCodeAt(depth) === unit) end++
      const subtree = { keys, low: at, high: end, depth: depth + 1, firstCode: firstCode + at - low }
      children.push({ symbol: SYMBOL_OF_BYTE[unit], subtree })
      at = end
    }
    const at = this.#reserve(HEAD_WORDS + children.length)
    this.#writeHead(
      at,
      firstCode | (ends ? ENDS_HERE : 0),
      children.map(({ symbol }) => symbol),
    )
    children.forEach(({ subtree }, i) => {
      this.#words[at + HEAD_WORDS + i] = this.#write(subtree)
    })
    return link(TO_NODE, at)
  }
}

function listKey(tail: string): number {
  let value = 0
  for (let i = 0; i < LIST_SYMBOLS_MAX; i++)
    value = value * LIST_BASE + (i < tail.length ? SYMBOL_OF_BYTE[tail.charCodeAt(i)] + 1 : 0)
  return value
}

function link(kind: number, at: number): number {
  return (kind | at) >>> 0
}

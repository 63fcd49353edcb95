/** The TRIE section: one trie per country over its sorted keys. FORMAT.md draws a node. */
import { CODES_MAX, NODES_MAX } from '../src/format/layout.ts'
import { SYMBOL_OF_BYTE } from '../src/text/code.ts'
import { GrowableU32 } from './growable.ts'

export class TrieBuilder {
  readonly #words = new GrowableU32()
  #codeCount = 0

  get nodeCount(): number {
    return this.#words.length / 4
  }

  get codeCount(): number {
    return this.#codeCount
  }

  /**
   * Adds a country.
   * @param keys distinct canonical keys in ascending order, at least one
   * @returns the index of the root, and for each key its code index
   * @throws RangeError when codes or nodes outgrow their 28 bits
   */
  add(keys: readonly string[]): { root: number; codeIndexes: Uint32Array } {
    const codeIndexes = new Uint32Array(keys.length)
    const root = this.#words.reserve(4) / 4
    this.#fill(root, keys, 0, keys.length, 0, codeIndexes)
    if (this.#codeCount > CODES_MAX || this.nodeCount > NODES_MAX) {
      throw new RangeError(`the trie holds at most ${CODES_MAX} codes and ${NODES_MAX} nodes`)
    }
    return { root, codeIndexes }
  }

  bytes(): Uint8Array {
    return this.#words.bytes()
  }

  /** Writes node `node` for `keys[low, high)`, which share their first `depth` characters and are all longer. */
  #fill(
    node: number,
    keys: readonly string[],
    low: number,
    high: number,
    depth: number,
    codeIndexes: Uint32Array,
  ): void {
    const masks = [0, 0, 0, 0]
    const firstCode = this.#codeCount
    const groups: { low: number; high: number }[] = []
    for (let at = low; at < high; ) {
      const unit = keys[at].charCodeAt(depth)
      const symbol = SYMBOL_OF_BYTE[unit]
      let end = at
      while (end < high && keys[end].charCodeAt(depth) === unit) end++
      const half = symbol >>> 5
      const bit = 1 << (symbol & 31)
      // Ascending order puts the key that ends here before the keys that go on.
      if (keys[at].length === depth + 1) {
        masks[2 + half] |= bit
        codeIndexes[at++] = this.#codeCount++
      }
      if (at < end) {
        masks[half] |= bit
        groups.push({ low: at, high: end })
      }
      at = end
    }
    const firstChild = groups.length === 0 ? 0 : this.#words.reserve(4 * groups.length) / 4
    this.#words.set(node * 4, masks[0])
    this.#words.set(node * 4 + 1, masks[2])
    this.#words.set(node * 4 + 2, (masks[1] << 28) | firstChild)
    this.#words.set(node * 4 + 3, (masks[3] << 28) | firstCode)
    groups.forEach((group, i) => {
      this.#fill(firstChild + i, keys, group.low, group.high, depth + 1, codeIndexes)
    })
  }
}

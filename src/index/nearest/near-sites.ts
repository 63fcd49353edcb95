/**
 * The nearest sites found so far, the nearest first; of equally near ones the one whose codes come first in the index. They are as few as
 * have the codes wanted.
 */
export class NearSites {
  /** The haversine of each, its first code, the number of its codes, and the number of its tree. */
  readonly haversines: Float64Array
  readonly codes: Int32Array
  readonly sizes: Uint16Array
  readonly trees: Uint16Array
  count = 0
  /** No site beyond this haversine is wanted. */
  bound = 1
  /** Codes that are wanted, and codes of all sites together. */
  #limit = 1
  #total = 0

  /** @param max codes that may be wanted */
  constructor(max: number) {
    // The last is for a site that makes others superfluous.
    this.haversines = new Float64Array(max + 1)
    this.codes = new Int32Array(max + 1)
    this.sizes = new Uint16Array(max + 1)
    this.trees = new Uint16Array(max + 1)
  }

  /** Forgets all. @param limit codes wanted, from 1 on */
  begin(limit: number, bound: number): void {
    this.count = 0
    this.bound = bound
    this.#limit = limit
    this.#total = 0
  }

  /** Puts a site that is within the bound into its place. */
  take(haversine: number, code: number, size: number, tree: number): void {
    const { haversines, codes, sizes, trees } = this
    let at = this.count++
    for (; at > 0; at--) {
      const before = haversines[at - 1]
      if (before < haversine || (before === haversine && codes[at - 1] < code)) break
      haversines[at] = before
      codes[at] = codes[at - 1]
      sizes[at] = sizes[at - 1]
      trees[at] = trees[at - 1]
    }
    haversines[at] = haversine
    codes[at] = code
    sizes[at] = size
    trees[at] = tree
    this.#total += size
    while (this.#total - sizes[this.count - 1] >= this.#limit) this.#total -= sizes[--this.count]
    if (this.#total >= this.#limit) this.bound = haversines[this.count - 1]
  }
}

/**
 * The nearest sites found so far, the nearest first; of equally near ones the one whose codes come first in the index. They are as few as
 * have the codes wanted.
 */
export class NearSites {
  count = 0
  /** No site beyond this haversine is wanted. */
  bound = 1
  /** The haversine of each site, and its number in the arrays below, which stays the same while sites change their places. */
  readonly haversines: Float64Array
  readonly #numbers: Uint16Array
  /** By number: the first code, the number of codes, and the number of the tree. */
  readonly #codes: Int32Array
  readonly #sizes: Uint16Array
  readonly #trees: Uint16Array
  /** Codes that are wanted, and codes of all sites together. */
  #limit = 1
  #total = 0

  /** @param max codes that may be wanted, at most 65,535 */
  constructor(max: number) {
    // The last is for a site that makes others superfluous.
    this.haversines = new Float64Array(max + 1)
    this.#numbers = Uint16Array.from({ length: max + 1 }, (_, number) => number)
    this.#codes = new Int32Array(max + 1)
    this.#sizes = new Uint16Array(max + 1)
    this.#trees = new Uint16Array(max + 1)
  }

  /** The first code of a site, the number of its codes, and the number of its tree. @param site from 0 to `count` - 1 */
  codeOf(site: number): number {
    return this.#codes[this.#numbers[site]]
  }
  sizeOf(site: number): number {
    return this.#sizes[this.#numbers[site]]
  }
  treeOf(site: number): number {
    return this.#trees[this.#numbers[site]]
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
    const { haversines } = this
    const numbers = this.#numbers
    // Numbers beyond the count are free.
    let at = this.count++
    const number = numbers[at]
    this.#codes[number] = code
    this.#sizes[number] = size
    this.#trees[number] = tree
    for (; at > 0; at--) {
      const before = haversines[at - 1]
      if (before < haversine || (before === haversine && this.#codes[numbers[at - 1]] < code)) break
      haversines[at] = before
      numbers[at] = numbers[at - 1]
    }
    haversines[at] = haversine
    numbers[at] = number
    let total = this.#total + size
    while (total - this.sizeOf(this.count - 1) >= this.#limit) total -= this.sizeOf(--this.count)
    this.#total = total
    if (total >= this.#limit) this.bound = haversines[this.count - 1]
  }
}

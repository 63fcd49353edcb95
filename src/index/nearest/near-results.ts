/** The nearest codes found so far, the nearest first; of equally near ones the first in the index. */
export class NearResults {
  readonly codes: Int32Array
  readonly haversines: Float64Array
  /** Numbers of the trees that the codes are from. */
  readonly trees: Uint16Array
  count = 0
  /** No code beyond this haversine is wanted. */
  bound = 1
  #limit = 1

  /** @param max codes that may be wanted */
  constructor(max: number) {
    this.codes = new Int32Array(max)
    this.haversines = new Float64Array(max)
    this.trees = new Uint16Array(max)
  }

  /** Forgets all. @param limit codes wanted, from 1 on */
  begin(limit: number, bound: number): void {
    this.count = 0
    this.bound = bound
    this.#limit = limit
  }

  /** Whether there are as many as are wanted, so that the bound is the last one's. */
  get isFull(): boolean {
    return this.count === this.#limit
  }

  /** Puts a code that is within the bound into its place. */
  take(code: number, tree: number, haversine: number): void {
    const { codes, haversines, trees, isFull } = this
    let at = isFull ? this.count - 1 : this.count
    if (isFull && !this.#isNearer(code, haversine, at)) return
    for (; at > 0 && this.#isNearer(code, haversine, at - 1); at--) {
      codes[at] = codes[at - 1]
      haversines[at] = haversines[at - 1]
      trees[at] = trees[at - 1]
    }
    codes[at] = code
    haversines[at] = haversine
    trees[at] = tree
    if (!isFull) this.count++
    if (this.isFull) this.bound = haversines[this.count - 1]
  }

  #isNearer(code: number, haversine: number, than: number): boolean {
    const other = this.haversines[than]
    return haversine < other || (haversine === other && code < this.codes[than])
  }
}

/**
 * The nearest points found so far, the nearest first; of equally near ones the one whose first code comes first in the index. As every
 * point has a code, the codes wanted are among those of as many points.
 */
export class NearPoints {
  /** The place of the first code of each in the order of its tree, the number of its codes, and the number of the tree. */
  readonly places: Int32Array
  readonly sizes: Uint8Array
  readonly trees: Uint16Array
  readonly haversines: Float64Array
  count = 0
  /** No point beyond this haversine is wanted. */
  bound = 1
  readonly #codeAt: (tree: number, place: number) => number
  #limit = 1

  /**
   * @param max points that may be wanted
   * @param codeAt code index at a place of a tree's order. Asked only for points that are equally near: reading it waits for memory
   */
  constructor(max: number, codeAt: (tree: number, place: number) => number) {
    this.places = new Int32Array(max)
    this.sizes = new Uint8Array(max)
    this.trees = new Uint16Array(max)
    this.haversines = new Float64Array(max)
    this.#codeAt = codeAt
  }

  /** Forgets all. @param limit points wanted, from 1 on */
  begin(limit: number, bound: number): void {
    this.count = 0
    this.bound = bound
    this.#limit = limit
  }

  /** Puts a point that is within the bound into its place. */
  take(haversine: number, place: number, size: number, tree: number): void {
    const { places, sizes, trees, haversines } = this
    const limit = this.#limit
    const isFull = this.count === limit
    if (isFull && haversine === this.bound && !this.#isFirst(tree, place, limit - 1)) return
    // The last one falls out when there are as many as are wanted.
    let at = isFull ? limit - 1 : this.count++
    for (; at > 0; at--) {
      const before = haversines[at - 1]
      if (before < haversine || (before === haversine && !this.#isFirst(tree, place, at - 1))) break
      haversines[at] = before
      places[at] = places[at - 1]
      sizes[at] = sizes[at - 1]
      trees[at] = trees[at - 1]
    }
    haversines[at] = haversine
    places[at] = place
    sizes[at] = size
    trees[at] = tree
    if (this.count === limit) this.bound = haversines[limit - 1]
  }

  /** Whether the first code of a point comes before that of point `other`. */
  #isFirst(tree: number, place: number, other: number): boolean {
    return this.#codeAt(tree, place) < this.#codeAt(this.trees[other], this.places[other])
  }
}

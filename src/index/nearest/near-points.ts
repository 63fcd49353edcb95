/**
 * The nearest points found so far, the nearest first; of equally near ones the one whose first code comes first in the index. As every
 * point has a code, the codes wanted are among those of as many points.
 */
export class NearPoints {
  /** The haversine of each, and its number in the arrays below. */
  readonly haversines: Float64Array
  readonly numbers: Uint16Array
  /**
   * By number: the place of its first code in the order of its tree, the number of its codes, and the number of the tree. They stay
   * where they are while points change their places, and the number of one that falls out is given to the next.
   */
  readonly places: Int32Array
  readonly sizes: Uint8Array
  readonly trees: Uint16Array
  count = 0
  /** No point beyond this haversine is wanted. */
  bound = 1
  readonly #codeAt: (tree: number, place: number) => number
  #limit = 1

  /**
   * @param max points that may be wanted, at most 65,536
   * @param codeAt code index at a place of a tree's order. Asked only for points that are equally near: reading it waits for memory
   */
  constructor(max: number, codeAt: (tree: number, place: number) => number) {
    this.haversines = new Float64Array(max)
    this.numbers = new Uint16Array(max)
    this.places = new Int32Array(max)
    this.sizes = new Uint8Array(max)
    this.trees = new Uint16Array(max)
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
    const { haversines, numbers, count } = this
    const limit = this.#limit
    let at = count
    let number = count
    if (count === limit) {
      // The last one falls out.
      at--
      number = numbers[at]
      if (haversine === haversines[at] && !this.#isFirst(tree, place, number)) return
    } else this.count++
    for (; at > 0; at--) {
      const before = haversines[at - 1]
      if (before < haversine || (before === haversine && !this.#isFirst(tree, place, numbers[at - 1]))) break
      haversines[at] = before
      numbers[at] = numbers[at - 1]
    }
    haversines[at] = haversine
    numbers[at] = number
    this.places[number] = place
    this.sizes[number] = size
    this.trees[number] = tree
    if (this.count === limit) this.bound = haversines[limit - 1]
  }

  /** Whether the first code of a point comes before that of the point with `number`. */
  #isFirst(tree: number, place: number, number: number): boolean {
    return this.#codeAt(tree, place) < this.#codeAt(this.trees[number], this.places[number])
  }
}

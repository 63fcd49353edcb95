/** The codes of the nearest points: the nearest first, of equally near ones the first in the index. */
export class NearResults {
  readonly codes: Int32Array
  readonly haversines: Float64Array
  /** Numbers of the trees that the codes are from. */
  readonly trees: Uint16Array
  count = 0

  /** @param max codes that may be wanted */
  constructor(max: number) {
    this.codes = new Int32Array(max)
    this.haversines = new Float64Array(max)
    this.trees = new Uint16Array(max)
  }

  /**
   * Puts a code into its place among at most `limit`. Codes come in the order of their points, so that it is mostly the last.
   * @returns whether it is among them
   */
  take(haversine: number, code: number, tree: number, limit: number): boolean {
    const { codes, haversines, trees } = this
    let at = this.count
    while (at > 0 && haversines[at - 1] === haversine && codes[at - 1] > code) at--
    if (at === limit) return false
    if (this.count < limit) this.count++
    for (let i = this.count - 1; i > at; i--) {
      haversines[i] = haversines[i - 1]
      codes[i] = codes[i - 1]
      trees[i] = trees[i - 1]
    }
    haversines[at] = haversine
    codes[at] = code
    trees[at] = tree
    return true
  }
}

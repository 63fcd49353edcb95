/** The nearest codes: the nearest first, of equally near ones the first in the index. */
import type { NearSites } from './near-sites.ts'

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

  /** Becomes the first `limit` codes of `sites`. */
  list(sites: NearSites, limit: number): void {
    let count = 0
    for (let site = 0; site < sites.count; site++) {
      const first = sites.codeOf(site)
      const end = first + Math.min(sites.sizeOf(site), limit - count)
      for (let code = first; code < end; code++) {
        this.codes[count] = code
        this.haversines[count] = sites.haversines[site]
        this.trees[count++] = sites.treeOf(site)
      }
    }
    this.count = count
  }
}

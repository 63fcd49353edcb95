/** Finds entries of the WRIT section: pairs of code index and offset in TEXT, ascending by code index. */

/** Number of the first entry of WRIT whose code index is not below `code`, by binary search. */
export function firstWritten(written: Uint32Array, code: number): number {
  let low = 0
  let high = written.length >>> 1
  while (low < high) {
    const middle = (low + high) >>> 1
    if (written[middle * 2] < code) low = middle + 1
    else high = middle
  }
  return low
}

/** Edits between two short texts: inserted, removed and replaced characters and exchanged neighbours. */

/** Longest text compared; a name beyond it has no close match. */
export const COMPARED_LENGTH_MAX = 80

let beforeLast = new Uint8Array(COMPARED_LENGTH_MAX + 1)
let last = new Uint8Array(COMPARED_LENGTH_MAX + 1)
let row = new Uint8Array(COMPARED_LENGTH_MAX + 1)

/**
 * The optimal string alignment distance of `a[0, aLength)` and `b[0, bLength)`, or `limit + 1` when it is more than
 * `limit`. Only the diagonal band that can stay within the limit is computed, and it stops where no row can.
 */
export function editDistance(
  a: Uint16Array,
  aLength: number,
  b: Uint16Array,
  bLength: number,
  limit: number,
): number {
  if (Math.abs(aLength - bLength) > limit) return limit + 1
  const never = limit + 1
  for (let j = 0; j <= bLength; j++) last[j] = j <= limit ? j : never
  let lastBest = 0
  for (let i = 1; i <= aLength; i++) {
    const low = Math.max(1, i - limit)
    const high = Math.min(bLength, i + limit)
    row[low - 1] = low === 1 && i <= limit ? i : never
    let best = row[low - 1]
    for (let j = low; j <= high; j++) {
      const same = a[i - 1] === b[j - 1]
      let edits = last[j - 1] + (same ? 0 : 1)
      if (row[j - 1] + 1 < edits) edits = row[j - 1] + 1
      if (last[j] + 1 < edits) edits = last[j] + 1
      if (
        !same &&
        i > 1 &&
        j > 1 &&
        a[i - 1] === b[j - 2] &&
        a[i - 2] === b[j - 1] &&
        beforeLast[j - 2] + 1 < edits
      ) {
        edits = beforeLast[j - 2] + 1
      }
      row[j] = Math.min(edits, never)
      if (row[j] < best) best = row[j]
    }
    if (high < bLength) row[high + 1] = never
    // An exchange reaches back two rows, so one hopeless row is not the end.
    if (best > limit && lastBest > limit) return never
    lastBest = best
    const spare = beforeLast
    beforeLast = last
    last = row
    row = spare
  }
  return last[bLength]
}

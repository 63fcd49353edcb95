/** Edit distance of two short texts: inserted, removed and replaced characters, and exchanged neighbours. */

/** Characters of the longest compared text. A longer name has no close match. */
const COMPARED_LENGTH_MAX = 80

let beforeLast = new Uint8Array(COMPARED_LENGTH_MAX + 1)
let last = new Uint8Array(COMPARED_LENGTH_MAX + 1)
let row = new Uint8Array(COMPARED_LENGTH_MAX + 1)

/** Returns the optimal string alignment distance; `limit + 1` above `limit`, or for a long text. */
export function editDistance(a: string, b: string, limit: number): number {
  const isTooLong = Math.max(a.length, b.length) > COMPARED_LENGTH_MAX
  if (isTooLong || Math.abs(a.length - b.length) > limit) return limit + 1
  for (let j = 0; j <= b.length; j++) last[j] = j
  for (let i = 1; i <= a.length; i++) {
    row[0] = i
    const character = a.charCodeAt(i - 1)
    const before = i > 1 ? a.charCodeAt(i - 2) : -1
    for (let j = 1; j <= b.length; j++) {
      const isSame = character === b.charCodeAt(j - 1)
      let edits = Math.min(last[j - 1] + (isSame ? 0 : 1), row[j - 1] + 1, last[j] + 1)
      const isExchange = j > 1 && character === b.charCodeAt(j - 2) && before === b.charCodeAt(j - 1)
      if (isExchange) edits = Math.min(edits, beforeLast[j - 2] + 1)
      row[j] = edits
    }
    const spare = beforeLast
    beforeLast = last
    last = row
    row = spare
  }
  return Math.min(last[b.length], limit + 1)
}

/** A first look into a tree: the leaf that a point lies in, or one near it, by going down to the nearest box at each level. */
import { BOX_WORDS, NEAR_FANOUT, rangeHigh, rangeLow } from '../../format/near-tree.ts'
import type { NearTree } from './near-trees.ts'

/**
 * Number of a box of the lowest level. It bounds the distance of the codes wanted, and need not be the nearest.
 * @param north millionths of a degree, as `east` @param cosine of the latitude
 */
export function leafAround(
  words: Uint32Array,
  tree: NearTree,
  north: number,
  east: number,
  cosine: number,
): number {
  const { starts, counts, frame, northStep, eastStep } = tree
  const row = (north - frame.south) * tree.northSteps
  const column = (east - frame.west) * tree.eastSteps
  const width = eastStep * cosine
  let box = 0
  for (let level = starts.length - 2; level >= 0; level--) {
    const first = box * NEAR_FANOUT
    const end = Math.min(first + NEAR_FANOUT, counts[level])
    let least = Number.POSITIVE_INFINITY
    for (let child = first; child < end; child++) {
      const word = starts[level] + child * BOX_WORDS
      const square = distanceTo(words[word], row, northStep) + distanceTo(words[word + 1], column, width)
      if (square >= least) continue
      least = square
      box = child
    }
  }
  return box
}

/** What of the middle of a range counts, so that of several boxes around the point the one in whose middle it lies is taken. */
const MIDDLE_SHARE = 1 / 64

/** About the square of the distance to a range of steps, each of which is `step` long. */
function distanceTo(range: number, at: number, step: number): number {
  const low = rangeLow(range)
  const high = rangeHigh(range)
  const outside = Math.max(0, low - at, at - high) * step
  const middle = ((low + high) / 2 - at) * step
  return outside * outside + middle * middle * MIDDLE_SHARE
}

/**
 * A first look for a question: the leaf that a point lies in, or one near it, by going down to the nearest box at each level. It bounds
 * the distance of the codes wanted, and need not be the nearest.
 */
import { BOX_WORDS, NEAR_FANOUT, rangeHigh, rangeLow } from '../../format/near-tree.ts'
import { type NearRange, SIDES } from './near-range.ts'
import type { NearTree } from './near-tree.ts'
import type { Roof } from './roof.ts'

/**
 * Number of a box of the lowest level below box `top` of level `from`.
 * @param north millionths of a degree, as `east` @param cosine of the latitude
 */
export function leafAround(
  words: Uint32Array,
  tree: NearTree,
  from: number,
  top: number,
  north: number,
  east: number,
  cosine: number,
): number {
  const { starts, counts, northStep, eastStep } = tree
  const row = (north - tree.south) * tree.northSteps
  const column = (east - tree.west) * tree.eastSteps
  const width = eastStep * cosine
  let box = top
  for (let level = from - 1; level >= 0; level--) {
    const first = box * NEAR_FANOUT
    const end = Math.min(first + NEAR_FANOUT, counts[level])
    let least = Number.POSITIVE_INFINITY
    for (let child = first; child < end; child++) {
      const word = starts[level] + child * BOX_WORDS
      const norths = words[word]
      const easts = words[word + 1]
      const square =
        distanceTo(rangeLow(norths), rangeHigh(norths), row, northStep) +
        distanceTo(rangeLow(easts), rangeHigh(easts), column, width)
      if (square >= least) continue
      least = square
      box = child
    }
  }
  return box
}

/** Number of a part of the roof: in the cell around the point, or by going down. */
export function partAround(roof: Roof, range: NearRange): number {
  const { cells, boxes, starts, counts } = roof
  const { north, east, cosine } = range
  let part = -1
  let least = Number.POSITIVE_INFINITY
  const cell = cells.cellOf(range)
  for (let i = cells.starts[cell]; i < cells.starts[cell + 1]; i++) {
    const square = distanceToBox(boxes, cells.members[i] * SIDES, north, east, cosine)
    if (square >= least) continue
    least = square
    part = cells.members[i]
  }
  if (part >= 0) return part
  let box = 0
  for (let level = starts.length - 2; level >= 0; level--) {
    const first = box * NEAR_FANOUT
    const end = Math.min(first + NEAR_FANOUT, counts[level])
    least = Number.POSITIVE_INFINITY
    for (let child = first; child < end; child++) {
      const square = distanceToBox(boxes, (starts[level] + child) * SIDES, north, east, cosine)
      if (square >= least) continue
      least = square
      box = child
    }
  }
  return box
}

/** About the square of the distance to the box at `at`. */
function distanceToBox(boxes: Int32Array, at: number, north: number, east: number, cosine: number): number {
  return (
    distanceTo(boxes[at], boxes[at + 2], north, 1) + distanceTo(boxes[at + 1], boxes[at + 3], east, cosine)
  )
}

/** What of the middle of a range counts, so that of several boxes around the point the one in whose middle it lies is taken. */
const MIDDLE_SHARE = 1 / 64

/** About the square of the distance to a range of steps, each of which is `step` long. */
function distanceTo(low: number, high: number, at: number, step: number): number {
  const outside = (at < low ? low - at : at > high ? at - high : 0) * step
  const middle = ((low + high) / 2 - at) * step
  return outside * outside + middle * middle * MIDDLE_SHARE
}

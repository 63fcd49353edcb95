/**
 * One tree over the trees of all countries, for questions that name no country: frames of countries overlap, and fifteen of them reach
 * near a place in the middle. It stands on boxes of some hundred codes each, so it has some thousand of them, and is made in memory.
 */
import { nearOrder } from '../../format/near-order.ts'
import { BOX_WORDS, NEAR_FANOUT, nearLevels, rangeHigh, rangeLow } from '../../format/near-tree.ts'
import { SIDES } from './near-range.ts'
import type { NearTree } from './near-tree.ts'
import { PartCells } from './part-cells.ts'

/** The level of the trees on whose boxes the roof stands: 4,096 sites each. */
const PART_LEVEL = 2

export interface Roof {
  /** The boxes of all levels, from the lowest. Each has `NEAR_FANOUT` of the level before it, and those of the lowest as many parts. */
  readonly boxes: Int32Array
  /** Box at which each level begins, and the number of its boxes. The first level are the parts. */
  readonly starts: readonly number[]
  readonly counts: readonly number[]
  /** For each part: the number of its tree, the word of its box there, and the level of that. */
  readonly trees: Uint16Array
  readonly words: Uint32Array
  readonly levels: Uint8Array
  readonly cells: PartCells
}

/** Costs about a millisecond for each thousand parts. */
export function roofOver(words: Uint32Array, trees: readonly NearTree[]): Roof {
  const parts = trees.flatMap((tree, number) => partsOf(words, tree, number))
  const norths = Int32Array.from(parts, ({ sides: [south, , north] }) => (south + north) / 2)
  const easts = Int32Array.from(parts, ({ sides: [, west, , east] }) => (west + east) / 2)
  const ordered = Array.from(nearOrder(norths, easts), number => parts[number])
  const counts = ordered.length === 0 ? [] : [ordered.length, ...nearLevels(ordered.length)]
  const starts = counts.map((_, level) => counts.slice(0, level).reduce((sum, count) => sum + count, 0))
  const boxes = new Int32Array(SIDES * counts.reduce((sum, count) => sum + count, 0))
  ordered.forEach(({ sides }, part) => {
    boxes.set(sides, part * SIDES)
  })
  for (let level = 1; level < counts.length; level++)
    for (let box = 0; box < counts[level]; box++) {
      const first = box * NEAR_FANOUT
      const last = Math.min(first + NEAR_FANOUT, counts[level - 1])
      boxes.set(
        around(boxes, starts[level - 1] + first, starts[level - 1] + last),
        (starts[level] + box) * SIDES,
      )
    }
  return {
    boxes,
    starts,
    counts,
    trees: Uint16Array.from(ordered, ({ tree }) => tree),
    words: Uint32Array.from(ordered, ({ word }) => word),
    levels: Uint8Array.from(ordered, ({ level }) => level),
    cells: new PartCells(ordered.length, part => ordered[part].sides),
  }
}

interface Part {
  readonly tree: number
  readonly word: number
  readonly level: number
  readonly sides: readonly [south: number, west: number, north: number, east: number]
}

/** The boxes of a tree on which the roof stands, without those that have no positions. */
function partsOf(words: Uint32Array, tree: NearTree, number: number): Part[] {
  const { starts, counts, south, west, northStep, eastStep } = tree
  const level = Math.min(PART_LEVEL, starts.length - 1)
  const parts: Part[] = []
  for (let box = 0; box < (counts[level] ?? 0); box++) {
    const word = starts[level] + box * BOX_WORDS
    const norths = words[word]
    const easts = words[word + 1]
    // Only a box without positions has its range the wrong way round.
    if (rangeLow(norths) > rangeHigh(norths)) continue
    const sides = [
      Math.floor(south + rangeLow(norths) * northStep),
      Math.floor(west + rangeLow(easts) * eastStep),
      Math.ceil(south + rangeHigh(norths) * northStep),
      Math.ceil(west + rangeHigh(easts) * eastStep),
    ] as const
    parts.push({ tree: number, word, level, sides })
  }
  return parts
}

/** The box around boxes `first` to `end`. */
function around(boxes: Int32Array, first: number, end: number): Int32Array {
  const sides = boxes.slice(first * SIDES, (first + 1) * SIDES)
  for (let at = (first + 1) * SIDES; at < end * SIDES; at += SIDES) {
    sides[0] = Math.min(sides[0], boxes[at])
    sides[1] = Math.min(sides[1], boxes[at + 1])
    sides[2] = Math.max(sides[2], boxes[at + 2])
    sides[3] = Math.max(sides[3], boxes[at + 3])
  }
  return sides
}

/** Reads the leaves of trees: the points of a box of the lowest level that lie in the range of a search. */
import { isPlaced, latitude, longitude } from '../../format/code-record.ts'
import { readEntry } from '../../format/name-order.ts'
import {
  LEAF_HEAD_WORDS,
  LEAF_WORDS,
  NEAR_FANOUT,
  POINT_WORDS,
  pointCodes,
  pointEast,
  pointNorth,
} from '../../format/near-tree.ts'
import { damaged } from '../index-file-error.ts'
import { CIRCLE, type NearRange } from './near-range.ts'
import type { NearTree } from './near-tree.ts'

/** The points that were read last. Reused for every leaf. */
export class Leaf {
  count = 0
  /** Millionths of a degree. */
  readonly norths = new Int32Array(NEAR_FANOUT)
  readonly easts = new Int32Array(NEAR_FANOUT)
  /** The place in the order of the first code of each, and the number of its codes. */
  readonly places = new Int32Array(NEAR_FANOUT)
  readonly sizes = new Uint8Array(NEAR_FANOUT)

  /** @param words the section @param codes CODE, where older files have the positions @param box number of the leaf in `tree` */
  read(words: Uint32Array, codes: Uint32Array, tree: NearTree, box: number, range: NearRange): void {
    if (tree.leavesAt < 0) this.#readCodes(words, codes, tree, box, range)
    else this.#readPoints(words, tree, box, range)
  }

  /** One loop without a branch: which of the points lie in the range is as good as random. */
  #readPoints(
    words: Uint32Array,
    { leavesAt, count }: NearTree,
    box: number,
    { north, east, up, along }: NearRange,
  ): void {
    const { norths, easts, places, sizes } = this
    const start = leavesAt + box * LEAF_WORDS
    const first = start + LEAF_HEAD_WORDS
    const end = first + Math.min(NEAR_FANOUT, count - box * NEAR_FANOUT) * POINT_WORDS
    let place = words[start] | 0
    let near = 0
    for (let at = first; at < end; at += POINT_WORDS) {
      const norther = words[at]
      const easter = words[at + 1]
      const size = pointCodes(norther, easter)
      const pointUp = pointNorth(norther)
      const pointAlong = pointEast(easter)
      norths[near] = pointUp
      easts[near] = pointAlong
      places[near] = place
      sizes[near] = size
      place = (place + size) | 0
      near += 1 + outside(pointUp - north, pointAlong - east, up, along)
    }
    this.count = near
  }

  /** The same for SPOT and NEAR, whose points are single codes. */
  #readCodes(
    words: Uint32Array,
    codes: Uint32Array,
    tree: NearTree,
    box: number,
    { north, east, up, along }: NearRange,
  ): void {
    const { norths, easts, places, sizes } = this
    const end = Math.min((box + 1) * NEAR_FANOUT, tree.count)
    let near = 0
    for (let place = box * NEAR_FANOUT; place < end; place++) {
      const code = codeAt(words, tree, place)
      norths[near] = latitude(codes, code)
      easts[near] = longitude(codes, code)
      places[near] = place
      sizes[near] = 1
      // Only a tree of NEAR, or a damaged one, has codes without a position.
      if (isPlaced(codes, code)) near += 1 + outside(norths[near] - north, easts[near] - east, up, along)
    }
    this.count = near
  }
}

/** Code index at a place of a tree's order. @throws DamagedIndexError */
export function codeAt(words: Uint32Array, tree: NearTree, place: number): number {
  const { cc, bits, orderAt, orderCount, codeStart, codeCount } = tree
  if (!(place >= 0 && place < orderCount))
    damaged(`a point of ${cc} leads to the place ${place} of ${orderCount}`)
  const entry = bits === 0 ? place : readEntry(words, orderAt, place, bits)
  if (entry >= codeCount)
    damaged(`a tree of positions leads to the code ${entry} of ${cc}, which has ${codeCount}`)
  return codeStart + entry
}

/** 0 within the range, -1 outside of it: the sign of each difference. */
function outside(pointUp: number, pointAlong: number, up: number, along: number): number {
  const apart = Math.abs(pointAlong)
  return ((up - Math.abs(pointUp)) >> 31) | (((along - apart) >> 31) & ((along - CIRCLE + apart) >> 31))
}

/** Reads the leaves of trees: the codes of a box of the lowest level that lie in the range of a search. */
import { isPlaced, latitude, longitude } from '../../format/code-record.ts'
import { readEntry } from '../../format/name-order.ts'
import { NEAR_FANOUT } from '../../format/near-tree.ts'
import { damaged } from '../index-file-error.ts'
import { CIRCLE, type NearRange } from './near-range.ts'
import type { NearTree } from './near-tree.ts'

/** The codes that were read last. Reused for every leaf. */
export class Leaf {
  count = 0
  readonly codes = new Int32Array(NEAR_FANOUT)
  /** Millionths of a degree. */
  readonly norths = new Int32Array(NEAR_FANOUT)
  readonly easts = new Int32Array(NEAR_FANOUT)

  /**
   * One loop nearly without a branch: which of the codes lie in the range is as good as random.
   * @param words the section @param codes CODE, which has the positions @param box number of the leaf in `tree`
   * @throws DamagedIndexError
   */
  read(
    words: Uint32Array,
    codes: Uint32Array,
    tree: NearTree,
    box: number,
    { north, east, up, along }: NearRange,
  ): void {
    const { norths, easts } = this
    const end = Math.min((box + 1) * NEAR_FANOUT, tree.count)
    let near = 0
    for (let place = box * NEAR_FANOUT; place < end; place++) {
      const code = codeAt(words, tree, place)
      this.codes[near] = code
      norths[near] = latitude(codes, code)
      easts[near] = longitude(codes, code)
      // Only a tree of NEAR, or a damaged one, has codes without a position.
      if (isPlaced(codes, code)) near += 1 + outside(norths[near] - north, easts[near] - east, up, along)
    }
    this.count = near
  }
}

/** Code index at a place of a tree's order. @throws DamagedIndexError */
function codeAt(
  words: Uint32Array,
  { cc, bits, orderAt, codeStart, codeCount }: NearTree,
  place: number,
): number {
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

/** Reads the leaves of trees: the sites of a box of the lowest level that lie in the range of a search. */
import { isPlaced, latitude, longitude } from '../../format/code-record.ts'
import { readEntry } from '../../format/name-order.ts'
import {
  BOX_WORDS,
  cellsPerMillionth,
  LEAF_CELL_WORDS,
  LEAF_WORDS,
  NEAR_FANOUT,
  rangeLow,
  siteCodes,
  siteNumber,
} from '../../format/near-tree.ts'
import { damaged } from '../index-file-error.ts'
import { CIRCLE, type NearRange, STEP_SLACK, wholeSteps } from './near-range.ts'
import type { NearTree } from './near-tree.ts'

/** The sites that were read last. Reused for every leaf. */
export class Leaf {
  count = 0
  /** The first code of each, and the number of its codes. */
  readonly codes = new Int32Array(NEAR_FANOUT)
  readonly sizes = new Uint16Array(NEAR_FANOUT)
  /** Millionths of a degree. */
  readonly norths = new Int32Array(NEAR_FANOUT)
  readonly easts = new Int32Array(NEAR_FANOUT)
  /** Words of the sites in cells that touch the range. */
  readonly #members = new Int32Array(NEAR_FANOUT)

  /**
   * @param words the section @param codes CODE, which has the positions @param box number of the leaf in `tree`
   * @throws DamagedIndexError
   */
  read(words: Uint32Array, codes: Uint32Array, tree: NearTree, box: number, range: NearRange): void {
    if (tree.leavesAt < 0) this.#readCodes(words, codes, tree, box, range)
    else this.#readSites(words, codes, tree, box, range)
  }

  /** Only a site whose cell touches the range has its position read: that waits for memory. */
  #readSites(
    words: Uint32Array,
    codes: Uint32Array,
    tree: NearTree,
    box: number,
    { north, east, up, along }: NearRange,
  ): void {
    const { cc, codeStart, codeCount } = tree
    const candidates = this.#readCells(words, tree, box, north, east, up, along)
    let near = 0
    for (let i = 0; i < candidates; i++) {
      const site = words[this.#members[i]]
      const number = siteNumber(site)
      const size = siteCodes(site)
      if (number + size > codeCount)
        damaged(`a site of ${cc} has the codes ${number} to ${number + size - 1} of ${codeCount}`)
      const code = codeStart + number
      this.codes[near] = code
      this.sizes[near] = size
      near += this.#place(near, codes, code, north, east, up, along)
    }
    this.count = near
  }

  /**
   * Sets `#members` to the sites in cells that touch the range. One loop without a branch: which of them do is as good as random.
   * @returns their number
   */
  #readCells(
    words: Uint32Array,
    { starts, leavesAt, count, south, west, northStep, eastStep }: NearTree,
    box: number,
    north: number,
    east: number,
    up: number,
    along: number,
  ): number {
    const members = this.#members
    const norths = words[starts[0] + box * BOX_WORDS]
    const easts = words[starts[0] + box * BOX_WORDS + 1]
    const rows = cellsPerMillionth(norths, northStep)
    const columns = cellsPerMillionth(easts, eastStep)
    const row = (north - south - rangeLow(norths) * northStep) * rows
    const column = (east - west - rangeLow(easts) * eastStep) * columns
    const height = (up + STEP_SLACK) * rows
    const width = (along + STEP_SLACK) * columns
    // A range that crosses the date line keeps no site out: its exact position does.
    const isPlain = Math.abs(east) + along <= CIRCLE / 2
    const rowMin = wholeSteps(row - height)
    const rowMax = wholeSteps(row + height)
    const columnMin = isPlain ? wholeSteps(column - width) : -1
    const columnMax = isPlain ? wholeSteps(column + width) : CIRCLE
    const leaf = leavesAt + box * LEAF_WORDS
    const sites = Math.min(NEAR_FANOUT, count - box * NEAR_FANOUT)
    let touching = 0
    for (let i = 0; i < sites; i++) {
      const cell = words[leaf + (i >> 1)] >>> ((i & 1) << 4)
      const cellRow = cell & 0xff
      const cellColumn = (cell >>> 8) & 0xff
      members[touching] = leaf + LEAF_CELL_WORDS + i
      // The sign of each difference is that of a cell outside of the range.
      const outside =
        (rowMax - cellRow) | (cellRow - rowMin) | (columnMax - cellColumn) | (cellColumn - columnMin)
      touching += 1 + (outside >> 31)
    }
    return touching
  }

  /** The same for SPOT and NEAR, whose sites are single codes. */
  #readCodes(
    words: Uint32Array,
    codes: Uint32Array,
    tree: NearTree,
    box: number,
    { north, east, up, along }: NearRange,
  ): void {
    const end = Math.min((box + 1) * NEAR_FANOUT, tree.count)
    let near = 0
    for (let place = box * NEAR_FANOUT; place < end; place++) {
      const code = codeAt(words, tree, place)
      this.codes[near] = code
      this.sizes[near] = 1
      near += this.#place(near, codes, code, north, east, up, along)
    }
    this.count = near
  }

  /** Puts the position of `code` at place `at`. @returns 1 when it lies in the range, otherwise 0 */
  #place(
    at: number,
    codes: Uint32Array,
    code: number,
    north: number,
    east: number,
    up: number,
    along: number,
  ): number {
    this.norths[at] = latitude(codes, code)
    this.easts[at] = longitude(codes, code)
    // Only a tree of NEAR, or a damaged one, has codes without a position.
    if (!isPlaced(codes, code)) return 0
    return 1 + outside(this.norths[at] - north, this.easts[at] - east, up, along)
  }
}

/** Code index at a place of an order. @throws DamagedIndexError */
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

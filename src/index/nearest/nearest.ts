/**
 * The codes nearest to a point. A first look at the leaf around it bounds the distance; then boxes are opened in the order of the
 * least distance that a code in them can have, and the search ends when that is more than the distance of the last code wanted.
 * Every box is opened at most twice, whatever the file says.
 */
import { isPlaced, latitude, longitude } from '../../format/code-record.ts'
import { readEntry } from '../../format/name-order.ts'
import { BOX_WORDS, NEAR_FANOUT, rangeHigh, rangeLow } from '../../format/near-tree.ts'
import { NEAREST_MAX } from '../../limits.ts'
import { damaged } from '../index-file-error.ts'
import { MinHeap } from '../min-heap.ts'
import type { PostalIndex } from '../postal-index.ts'
import { haversine, haversineOf, metresOf } from './distance.ts'
import { leafAround } from './leaf-around.ts'
import { CIRCLE, NearRange, STEP_SLACK } from './near-range.ts'
import { NearResults } from './near-results.ts'
import { type NearTree, type NearTrees, nearTrees } from './near-trees.ts'

/** Steps of a frame, and the most that a range of them can be. */
const STEPS_MAX = 0xffff
/** Trees whose leaf around the point is looked at first. More than a few have it only where countries are tiny. */
const FIRST_LEAVES_MAX = 4

export interface NearQuery {
  /** Millionths of a degree. */
  north: number
  east: number
  /** Metres; infinity for any distance. */
  radius: number
  /** From 1 to what the search was made for. */
  limit: number
  /** Two capitals; undefined: any country. */
  cc: string | undefined
}

/** Searches one index. Reused: its results are those of the last search. */
export class NearestSearch {
  readonly #index: PostalIndex
  readonly #trees: NearTrees
  /** Boxes that are still to be opened: word, tree and level of each. A box waits at most once. */
  readonly #heap = new MinHeap()
  /** The parts of the box that was opened last: the least haversine to each, and its word. */
  readonly #keys = new Float64Array(NEAR_FANOUT)
  readonly #words = new Int32Array(NEAR_FANOUT)
  /** Codes of the leaf, or words of the boxes, that were read last. */
  readonly #members = new Int32Array(NEAR_FANOUT)
  /** Words of the leaves whose codes have been taken first. */
  readonly #firstLeaves = new Int32Array(FIRST_LEAVES_MAX)
  #firstLeavesCount = 0
  readonly #found: NearResults
  readonly #range = new NearRange()

  /** @param max codes that may be wanted: a search among so many inserts each into a list */
  constructor(index: PostalIndex, max: number = NEAREST_MAX) {
    this.#index = index
    this.#found = new NearResults(max)
    this.#trees = nearTrees(index)
  }

  /** Whether the index has a section that this needs. */
  get isPossible(): boolean {
    return this.#trees.trees.length > 0
  }

  /** Codes that were found, and their indexes: the nearest first, of equally near ones the first in the index. */
  get count(): number {
    return this.#found.count
  }
  get codes(): Int32Array {
    return this.#found.codes
  }

  /** Metres from the point to a code of `codes`. */
  metres(result: number): number {
    return metresOf(this.#found.haversines[result])
  }

  /** Two capitals: the country of a code of `codes`. */
  countryOf(result: number): string {
    return this.#trees.trees[this.#found.trees[result]].cc
  }

  /** Fills `codes`. Costs about ten microseconds for ten codes. */
  search({ north, east, radius, limit, cc }: NearQuery): void {
    this.#range.begin(north, east)
    this.#found.begin(limit, radius === Number.POSITIVE_INFINITY ? 1 : haversineOf(radius))
    this.#heap.length = 0
    this.#firstLeavesCount = 0
    if (cc === undefined) this.#searchAll()
    else {
      const tree = this.#trees.byCountry.get(cc)
      if (tree === undefined) return
      this.#takeFirstLeaf(tree)
      this.#pushRoot(tree)
    }
    this.#openBoxes()
  }

  /**
   * Takes the codes of the leaf around the point, in as few trees as give enough of them: the smallest bounds the distance best. Then
   * pushes the trees that may have nearer ones.
   */
  #searchAll(): void {
    const { trees, frames, grid } = this.#trees
    const range = this.#range
    const around = grid.around(range.north, range.east)
    for (let i = 0; i < around.length; i++) {
      if (!range.isIn(frames, around[i])) continue
      this.#takeFirstLeaf(around[i])
      if (this.#found.isFull || this.#firstLeavesCount === FIRST_LEAVES_MAX) break
    }
    range.tighten(this.#found.bound)
    if (grid.isOneCell(range)) {
      for (let i = 0; i < around.length; i++) if (range.reaches(frames, around[i])) this.#pushRoot(around[i])
    } else for (let i = 0; i < trees.length; i++) if (range.reaches(frames, i)) this.#pushRoot(i)
  }

  #takeFirstLeaf(number: number): void {
    const { trees, words } = this.#trees
    const tree = trees[number]
    if (tree.count === 0) return
    const { north, east, cosine } = this.#range
    const leaf = leafAround(words, tree, north, east, cosine)
    this.#firstLeaves[this.#firstLeavesCount++] = tree.starts[0] + leaf * BOX_WORDS
    this.#takeCodes(tree, number, leaf * NEAR_FANOUT)
  }

  #pushRoot(number: number): void {
    const { frame, count, starts } = this.#trees.trees[number]
    if (count === 0) return
    const key = this.#range.leastTo(frame.south, frame.north, frame.west, frame.east)
    const top = starts.length - 1
    if (key <= this.#found.bound) this.#heap.push(key, starts[top], number, top)
  }

  #openBoxes(): void {
    const { trees } = this.#trees
    const heap = this.#heap
    while (heap.length > 0 && heap.least <= this.#found.bound) {
      heap.pop()
      const { first: word, second: number, third: level } = heap
      const tree = trees[number]
      const first = ((word - tree.starts[level]) / BOX_WORDS) * NEAR_FANOUT
      if (level === 0) this.#openLeaf(tree, number, word)
      else {
        const count = this.#gather(tree, level - 1, first)
        if (level > 1)
          for (let i = 0; i < count; i++) heap.push(this.#keys[i], this.#words[i], number, level - 1)
        else
          for (let i = 0; i < count && this.#keys[i] <= this.#found.bound; i++)
            this.#openLeaf(tree, number, this.#words[i])
      }
    }
    heap.length = 0
  }

  #openLeaf(tree: NearTree, number: number, word: number): void {
    for (let i = 0; i < this.#firstLeavesCount; i++) if (this.#firstLeaves[i] === word) return
    this.#takeCodes(tree, number, ((word - tree.starts[0]) / BOX_WORDS) * NEAR_FANOUT)
  }

  /**
   * Sets `#keys` and `#words` to the boxes of `level`, from `first` on, that are near enough, the nearest first.
   * @returns their number
   */
  #gather(tree: NearTree, level: number, first: number): number {
    this.#range.tighten(this.#found.bound)
    const { northStep, eastStep, south, west } = tree
    const boxes = this.#trees.words
    const candidates = this.#readBoxes(tree, level, first)
    let count = 0
    for (let i = 0; i < candidates; i++) {
      const word = this.#members[i]
      const norths = boxes[word]
      const easts = boxes[word + 1]
      // Only a box without positions has its range the wrong way round.
      if (rangeLow(norths) > rangeHigh(norths)) continue
      const key = this.#range.leastTo(
        south + rangeLow(norths) * northStep,
        south + rangeHigh(norths) * northStep,
        west + rangeLow(easts) * eastStep,
        west + rangeHigh(easts) * eastStep,
      )
      if (key > this.#found.bound) continue
      let at = count++
      for (; at > 0 && this.#keys[at - 1] > key; at--) {
        this.#keys[at] = this.#keys[at - 1]
        this.#words[at] = this.#words[at - 1]
      }
      this.#keys[at] = key
      this.#words[at] = word
    }
    return count
  }

  /**
   * Sets `#members` to the words of the boxes of `level`, from `first` on, that touch the ranges of the bound, by comparisons of
   * steps alone. Like `#readCodes` without a branch. @returns their number
   */
  #readBoxes(tree: NearTree, level: number, first: number): number {
    const boxes = this.#trees.words
    const members = this.#members
    const { south, west, northSteps, eastSteps } = tree
    const start = tree.starts[level] + first * BOX_WORDS
    const end = start + Math.min(NEAR_FANOUT, tree.counts[level] - first) * BOX_WORDS
    const { north, east } = this.#range
    const up = this.#range.up + STEP_SLACK
    const along = this.#range.along + STEP_SLACK
    const northMax = steps((north + up - south) * northSteps + 1)
    const northMin = steps((north - up - south) * northSteps)
    // A range of longitudes that crosses the date line keeps no box out: the exact bound does.
    const isPlain = Math.abs(east) + along <= CIRCLE / 2
    const eastMax = isPlain ? steps((east + along - west) * eastSteps + 1) : STEPS_MAX
    const eastMin = isPlain ? steps((east - along - west) * eastSteps) : 0
    let count = 0
    for (let word = start; word < end; word += BOX_WORDS) {
      const norths = boxes[word]
      const easts = boxes[word + 1]
      members[count] = word
      // The sign of each difference is that of a box outside of a range.
      const outside =
        (northMax - rangeLow(norths)) |
        (rangeHigh(norths) - northMin) |
        (eastMax - rangeLow(easts)) |
        (rangeHigh(easts) - eastMin)
      count += 1 + (outside >> 31)
    }
    return count
  }

  /** Takes those of the codes of a leaf that are near enough. */
  #takeCodes(tree: NearTree, number: number, first: number): void {
    this.#range.tighten(this.#found.bound)
    const count = this.#readCodes(tree, first)
    const { codes } = this.#index
    const { north, east, cosine, sine } = this.#range
    const found = this.#found
    for (let i = 0; i < count; i++) {
      const code = this.#members[i]
      const h = haversine(cosine, sine, latitude(codes, code) - north, longitude(codes, code) - east)
      // Only a tree of NEAR, or a damaged one, has codes without a position.
      if (h <= found.bound && isPlaced(codes, code)) found.take(code, number, h)
    }
  }

  /**
   * Sets `#members` to the codes of the leaf that begins at `first` and lie in the ranges of the bound. One loop without a branch:
   * which of them do is as good as random. @returns their number
   */
  #readCodes({ cc, codeStart, codeCount, orderAt, bits, count }: NearTree, first: number): number {
    const { codes } = this.#index
    const { words } = this.#trees
    const members = this.#members
    const { north, east, up, along } = this.#range
    const end = Math.min(first + NEAR_FANOUT, count)
    let near = 0
    for (let slot = first; slot < end; slot++) {
      const entry = bits === 0 ? slot : readEntry(words, orderAt, slot, bits)
      if (entry >= codeCount) damaged(`SPOT leads to the code ${entry} of ${cc}, which has ${codeCount}`)
      const code = codeStart + entry
      members[near] = code
      const apart = Math.abs(longitude(codes, code) - east)
      // The sign of each difference is 0 within the range and -1 outside of it.
      const outside = (up - Math.abs(latitude(codes, code) - north)) >> 31
      const aside = ((along - apart) >> 31) & ((along - CIRCLE + apart) >> 31)
      near += 1 + (outside | aside)
    }
    return near
  }
}

/** A whole number of steps of a frame, for a comparison with those of its boxes. */
function steps(value: number): number {
  return Math.max(-1, Math.min(STEPS_MAX + 1, value)) | 0
}

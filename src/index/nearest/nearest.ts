/**
 * The codes nearest to a point. Boxes are opened in the order of the least distance that a code in them can have, and the search
 * ends when that is more than the distance of the last code wanted. Every box is opened at most once, whatever the file says.
 */
import { isPlaced, latitude, longitude } from '../../format/code-record.ts'
import { BOX_WORDS, NEAR_FANOUT, rangeHigh, rangeLow } from '../../format/near-tree.ts'
import { NEAREST_MAX } from '../../limits.ts'
import { MinHeap } from '../min-heap.ts'
import type { PostalIndex } from '../postal-index.ts'
import { haversine, haversineOf, leastHaversine, MILLIONTH, metresOf } from './distance.ts'
import { type NearTree, type NearTrees, nearTrees } from './near-trees.ts'

/** What decoding a step may be off by, in millionths of a degree. */
const STEP_SLACK = 2
const CIRCLE = 360_000_000

export interface NearQuery {
  /** Millionths of a degree. */
  north: number
  east: number
  /** Metres; infinity for any distance. */
  radius: number
  /** 1 to `NEAREST_MAX`. */
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
  readonly #rootKeys: Float64Array
  /** What was found, the nearest first; of equally near codes the first in the index. */
  readonly codes: Int32Array = new Int32Array(NEAREST_MAX)
  readonly #haversines = new Float64Array(NEAREST_MAX)
  readonly #treesOf = new Uint16Array(NEAREST_MAX)
  count = 0
  #limit = 1
  /** No code beyond it is wanted. */
  #bound = 1
  /** The point, in millionths of a degree and in radians, and the cosine of its latitude. */
  #north = 0
  #east = 0
  #cosine = 1

  constructor(index: PostalIndex) {
    this.#index = index
    this.#trees = nearTrees(index)
    this.#rootKeys = new Float64Array(this.#trees.trees.length)
  }

  /** Whether the index has the section that this needs. */
  get isPossible(): boolean {
    return this.#trees.boxCount > 0
  }

  /** Metres from the point to a code of `codes`. */
  metres(result: number): number {
    return metresOf(this.#haversines[result])
  }

  /** Two capitals: the country of a code of `codes`. */
  countryOf(result: number): string {
    return this.#trees.trees[this.#treesOf[result]].cc
  }

  /** Fills `codes`. Costs some microseconds for ten codes. */
  search({ north, east, radius, limit, cc }: NearQuery): void {
    const { trees } = this.#trees
    this.#north = north
    this.#east = east
    this.#cosine = Math.cos(north * MILLIONTH)
    this.#limit = limit
    this.#bound = radius === Number.POSITIVE_INFINITY ? 1 : haversineOf(radius)
    this.count = 0
    this.#heap.length = 0
    for (let i = 0; i < trees.length; i++)
      this.#rootKeys[i] =
        cc === undefined || trees[i].cc === cc ? this.#rootKey(trees[i]) : Number.POSITIVE_INFINITY
    this.#openBoxes()
  }

  #openBoxes(): void {
    const { trees } = this.#trees
    const heap = this.#heap
    let root = this.#nearestRoot()
    for (;;) {
      if (root >= 0 && this.#rootKeys[root] <= heap.least) {
        const key = this.#rootKeys[root]
        if (!(key <= this.#bound)) return
        const top = trees[root].starts.length - 1
        heap.push(key, trees[root].starts[top], root, top)
        this.#rootKeys[root] = Number.POSITIVE_INFINITY
        root = this.#nearestRoot()
      }
      if (heap.length === 0 || !(heap.least <= this.#bound)) return
      heap.pop()
      const { first: word, second: tree, third: level } = heap
      const place = (word - trees[tree].starts[level]) / BOX_WORDS
      if (level === 0) this.#takeCodes(trees[tree], tree, place * NEAR_FANOUT)
      else this.#pushBoxes(trees[tree], tree, level - 1, place * NEAR_FANOUT)
    }
  }

  #nearestRoot(): number {
    let best = -1
    let least = Number.POSITIVE_INFINITY
    for (let root = 0; root < this.#rootKeys.length; root++) {
      if (this.#rootKeys[root] < least) {
        least = this.#rootKeys[root]
        best = root
      }
    }
    return best
  }

  #rootKey({ frame }: NearTree): number {
    if (frame.south > frame.north) return Number.POSITIVE_INFINITY
    return this.#leastTo(frame.south, frame.north, frame.west, frame.east)
  }

  #pushBoxes(tree: NearTree, number: number, level: number, first: number): void {
    const { boxes } = this.#index
    const { northStep, eastStep } = tree
    const { south, west } = tree.frame
    const start = tree.starts[level]
    const end = Math.min(first + NEAR_FANOUT, tree.counts[level])
    for (let box = first; box < end; box++) {
      const word = start + box * BOX_WORDS
      const norths = boxes[word]
      const easts = boxes[word + 1]
      // Only a box without positions has its range the wrong way round.
      if (rangeLow(norths) > rangeHigh(norths)) continue
      const key = this.#leastTo(
        south + rangeLow(norths) * northStep,
        south + rangeHigh(norths) * northStep,
        west + rangeLow(easts) * eastStep,
        west + rangeHigh(easts) * eastStep,
      )
      if (key <= this.#bound) this.#heap.push(key, word, number, level)
    }
  }

  /** A lower bound of the haversine from the point to a range, in millionths of a degree. */
  #leastTo(south: number, north: number, west: number, east: number): number {
    const up = Math.max(0, south - this.#north, this.#north - north) - STEP_SLACK
    let along = 0
    if (this.#east < west || this.#east > east)
      along = Math.min(turn(west - this.#east), turn(this.#east - east)) - STEP_SLACK
    const latitudeMax = Math.max(-south, north) + STEP_SLACK
    return leastHaversine(
      up > 0 ? up * MILLIONTH : 0,
      along > 0 ? along * MILLIONTH : 0,
      this.#cosine,
      latitudeMax * MILLIONTH,
    )
  }

  #takeCodes({ codeStart, codeCount }: NearTree, tree: number, first: number): void {
    const { codes } = this.#index
    const end = codeStart + Math.min(first + NEAR_FANOUT, codeCount)
    for (let code = codeStart + first; code < end; code++) {
      if (!isPlaced(codes, code)) continue
      const north = latitude(codes, code)
      const east = longitude(codes, code)
      const up = Math.abs(north - this.#north) * MILLIONTH
      let along = Math.abs(east - this.#east)
      if (along > CIRCLE / 2) along = CIRCLE - along
      const least = leastHaversine(up, along * MILLIONTH, this.#cosine, Math.abs(north) * MILLIONTH)
      if (least > this.#bound) continue
      this.#take(code, tree, haversine(this.#north, this.#east, north, east))
    }
  }

  /** Puts a code into its place among those found so far. */
  #take(code: number, tree: number, h: number): void {
    if (h > this.#bound) return
    const isFull = this.count === this.#limit
    let at = isFull ? this.count - 1 : this.count
    if (isFull && !this.#isNearer(code, h, at)) return
    while (at > 0 && this.#isNearer(code, h, at - 1)) {
      this.codes[at] = this.codes[at - 1]
      this.#haversines[at] = this.#haversines[at - 1]
      this.#treesOf[at] = this.#treesOf[at - 1]
      at--
    }
    this.codes[at] = code
    this.#haversines[at] = h
    this.#treesOf[at] = tree
    if (!isFull) this.count++
    if (this.count === this.#limit) this.#bound = this.#haversines[this.count - 1]
  }

  #isNearer(code: number, h: number, than: number): boolean {
    const other = this.#haversines[than]
    return h < other || (h === other && code < this.codes[than])
  }
}

/** A difference of two longitudes, in millionths of a degree, as an angle from 0 to a full circle. Twice as fast as a remainder. */
function turn(angle: number): number {
  return angle < 0 ? angle + CIRCLE : angle
}

/**
 * The codes nearest to a point. Boxes are opened in the order of the least distance that a code in them can have, and the search
 * ends when that is more than the distance of the last code wanted. Every box is opened at most once, whatever the file says.
 */
import { isPlaced, latitude, longitude } from '../../format/code-record.ts'
import { BOX_WORDS, type Frame, NEAR_FANOUT, rangeHigh, rangeLow } from '../../format/near-tree.ts'
import { NEAREST_MAX } from '../../limits.ts'
import { MinHeap } from '../min-heap.ts'
import type { PostalIndex } from '../postal-index.ts'
import { haversine, haversineOf, leastHaversine, MILLIONTH, metresOf } from './distance.ts'
import { type NearTree, type NearTrees, nearTrees } from './near-trees.ts'

/** What decoding a step may be off by, in millionths of a degree. */
const STEP_SLACK = 2
const CIRCLE = 360_000_000
/** From this latitude on, a circle around a point may hold the pole. */
const POLAR_RADIANS = Math.PI / 2 - 1e-6

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
  /** How far north or south, and east or west, of the point codes are wanted, in millionths of a degree. */
  #up = 0
  #along = 0
  /** Whether the bound has changed since those two were computed. */
  #isLoose = true

  constructor(index: PostalIndex) {
    this.#index = index
    this.#trees = nearTrees(index)
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
    this.#isLoose = true
    this.count = 0
    this.#heap.length = 0
    // Most points lie in few countries. What those have then keeps nearly all others out at the cost of four comparisons.
    for (let i = 0; i < trees.length; i++)
      if (cc === undefined ? isAround(trees[i], north, east) : trees[i].cc === cc) this.#pushRoot(trees[i], i)
    this.#openBoxes()
    if (cc !== undefined) return
    this.#tighten()
    for (let i = 0; i < trees.length; i++)
      if (!isAround(trees[i], north, east) && this.#isWithin(trees[i].frame)) this.#pushRoot(trees[i], i)
    this.#openBoxes()
  }

  #pushRoot(tree: NearTree, number: number): void {
    const { south, west, north, east } = tree.frame
    if (south > north) return
    const key = this.#leastTo(south, north, west, east)
    const top = tree.starts.length - 1
    if (key <= this.#bound) this.#heap.push(key, tree.starts[top], number, top)
  }

  #openBoxes(): void {
    const { trees } = this.#trees
    const heap = this.#heap
    while (heap.length > 0 && heap.least <= this.#bound) {
      heap.pop()
      const { first: word, second: tree, third: level } = heap
      const place = (word - trees[tree].starts[level]) / BOX_WORDS
      if (this.#isLoose) this.#tighten()
      if (level === 0) this.#takeCodes(trees[tree], tree, place * NEAR_FANOUT)
      else this.#pushBoxes(trees[tree], tree, level - 1, place * NEAR_FANOUT)
    }
    heap.length = 0
  }

  /** Brings the ranges outside of which no code is wanted up to the bound. */
  #tighten(): void {
    this.#isLoose = false
    const angle = 2 * Math.asin(Math.min(1, Math.sqrt(this.#bound))) * (1 + 1e-9)
    this.#up = angle / MILLIONTH + STEP_SLACK
    const isPolar = Math.abs(this.#north) * MILLIONTH + angle > POLAR_RADIANS
    this.#along = isPolar ? CIRCLE : Math.asin(Math.sin(angle) / this.#cosine) / MILLIONTH + STEP_SLACK
  }

  /** Whether a range comes near enough to the point, by its latitudes and longitudes alone. */
  #isWithin({ south, west, north, east }: Frame): boolean {
    if (south - this.#north > this.#up || this.#north - north > this.#up) return false
    if (this.#east >= west && this.#east <= east) return true
    return Math.min(turn(west - this.#east), turn(this.#east - east)) <= this.#along
  }

  #pushBoxes(tree: NearTree, number: number, level: number, first: number): void {
    const { boxes } = this.#index
    const { northStep, eastStep } = tree
    const { south, west } = tree.frame
    const start = tree.starts[level]
    const end = Math.min(first + NEAR_FANOUT, tree.counts[level])
    const northMax = this.#north + this.#up
    const northMin = this.#north - this.#up
    // A range of longitudes that crosses the date line keeps no box out: the exact bound does.
    const isPlain = Math.abs(this.#east) + this.#along <= CIRCLE / 2
    const eastMax = isPlain ? this.#east + this.#along : CIRCLE
    const eastMin = isPlain ? this.#east - this.#along : -CIRCLE
    for (let box = first; box < end; box++) {
      const word = start + box * BOX_WORDS
      const norths = boxes[word]
      const easts = boxes[word + 1]
      const boxSouth = south + rangeLow(norths) * northStep
      const boxNorth = south + rangeHigh(norths) * northStep
      if (boxSouth - STEP_SLACK > northMax || boxNorth + STEP_SLACK < northMin) continue
      const boxWest = west + rangeLow(easts) * eastStep
      const boxEast = west + rangeHigh(easts) * eastStep
      if (boxWest - STEP_SLACK > eastMax || boxEast + STEP_SLACK < eastMin) continue
      // Only a box without positions has its range the wrong way round.
      if (rangeLow(norths) > rangeHigh(norths)) continue
      const key = this.#leastTo(boxSouth, boxNorth, boxWest, boxEast)
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
      if (Math.abs(north - this.#north) > this.#up) continue
      const along = Math.abs(east - this.#east)
      if (along > this.#along && CIRCLE - along > this.#along) continue
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
    if (this.count < this.#limit) return
    this.#bound = this.#haversines[this.count - 1]
    this.#isLoose = true
  }

  #isNearer(code: number, h: number, than: number): boolean {
    const other = this.#haversines[than]
    return h < other || (h === other && code < this.codes[than])
  }
}

/** Whether the frame of a tree holds the point. */
function isAround(
  { frame: { south, west, north, east } }: NearTree,
  pointNorth: number,
  pointEast: number,
): boolean {
  return pointNorth >= south && pointNorth <= north && pointEast >= west && pointEast <= east
}

/** A difference of two longitudes, in millionths of a degree, as an angle from 0 to a full circle. Twice as fast as a remainder. */
function turn(angle: number): number {
  return angle < 0 ? angle + CIRCLE : angle
}

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
import { haversine, haversineOf, leastHaversine, MILLIONTH, metresOf } from './distance.ts'
import { leafAround } from './leaf-around.ts'
import { type NearTree, type NearTrees, nearTrees } from './near-trees.ts'

/** What decoding a step may be off by, in millionths of a degree. */
const STEP_SLACK = 2
const CIRCLE = 360_000_000
/** From this latitude on, a circle around a point may hold the pole. */
const POLAR_RADIANS = Math.PI / 2 - 1e-6
/** South, west, north and east of a frame. */
const FRAME_SIDES = 4
/** Trees whose leaf around the point is looked at first. More than a few have it only where countries are tiny. */
const FIRST_LEAVES_MAX = 4

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
  /** Words of the leaves whose codes have been taken first. */
  readonly #firstLeaves = new Int32Array(FIRST_LEAVES_MAX)
  #firstLeavesCount = 0
  /** What was found, the nearest first; of equally near codes the first in the index. */
  readonly codes: Int32Array = new Int32Array(NEAREST_MAX)
  readonly #haversines = new Float64Array(NEAREST_MAX)
  readonly #treesOf = new Uint16Array(NEAREST_MAX)
  count = 0
  #limit = 1
  /** No code beyond it is wanted. */
  #bound = 1
  /** The point, in millionths of a degree, and the cosine and sine of its latitude. */
  #north = 0
  #east = 0
  #cosine = 1
  #sine = 0
  /** How far north or south, and east or west, of the point codes are wanted, in millionths of a degree. */
  #up = 0
  #along = 0
  /** Whether the bound has changed since those two were computed. */
  #isLoose = true

  constructor(index: PostalIndex) {
    this.#index = index
    this.#trees = nearTrees(index)
  }

  /** Whether the index has a section that this needs. */
  get isPossible(): boolean {
    return this.#trees.trees.length > 0
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
    this.#sine = Math.sin(north * MILLIONTH)
    this.#limit = limit
    this.#bound = radius === Number.POSITIVE_INFINITY ? 1 : haversineOf(radius)
    this.#isLoose = true
    this.count = 0
    this.#heap.length = 0
    this.#takeFirstLeaves(cc)
    this.#tighten()
    for (let i = 0; i < trees.length; i++)
      if (cc === undefined ? this.#isWithin(i) : trees[i].cc === cc) this.#pushRoot(trees[i], i)
    this.#openBoxes()
  }

  /** Takes the codes of the leaf around the point, in as few trees as give enough of them: the smallest bounds the distance best. */
  #takeFirstLeaves(cc: string | undefined): void {
    const { trees, words } = this.#trees
    this.#firstLeavesCount = 0
    for (let number = 0; number < trees.length; number++) {
      if (cc === undefined ? !this.#isAround(number) : trees[number].cc !== cc) continue
      const tree = trees[number]
      if (tree.count === 0) continue
      if (this.#isLoose) this.#tighten()
      const leaf = leafAround(words, tree, this.#north, this.#east, this.#cosine)
      this.#firstLeaves[this.#firstLeavesCount++] = tree.starts[0] + leaf * BOX_WORDS
      this.#takeCodes(tree, number, leaf * NEAR_FANOUT)
      if (this.count === this.#limit || this.#firstLeavesCount === FIRST_LEAVES_MAX) return
    }
  }

  #pushRoot(tree: NearTree, number: number): void {
    const { south, west, north, east } = tree.frame
    if (south > north || tree.count === 0) return
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
      if (level > 0) this.#pushBoxes(trees[tree], tree, level - 1, place * NEAR_FANOUT)
      else if (!this.#isFirstLeaf(word)) this.#takeCodes(trees[tree], tree, place * NEAR_FANOUT)
    }
    heap.length = 0
  }

  #isFirstLeaf(word: number): boolean {
    for (let i = 0; i < this.#firstLeavesCount; i++) if (this.#firstLeaves[i] === word) return true
    return false
  }

  /** Brings the ranges outside of which no code is wanted up to the bound. */
  #tighten(): void {
    this.#isLoose = false
    const angle = 2 * Math.asin(Math.min(1, Math.sqrt(this.#bound))) * (1 + 1e-9)
    this.#up = angle / MILLIONTH + STEP_SLACK
    const isPolar = Math.abs(this.#north) * MILLIONTH + angle > POLAR_RADIANS
    this.#along = isPolar ? CIRCLE : Math.asin(Math.sin(angle) / this.#cosine) / MILLIONTH + STEP_SLACK
  }

  /** Whether the frame of a tree holds the point. */
  #isAround(number: number): boolean {
    const { frames } = this.#trees
    const at = number * FRAME_SIDES
    if (this.#north < frames[at] || this.#north > frames[at + 2]) return false
    return this.#east >= frames[at + 1] && this.#east <= frames[at + 3]
  }

  /** Whether it comes near enough to the point, by its latitudes and longitudes alone. */
  #isWithin(number: number): boolean {
    const { frames } = this.#trees
    const at = number * FRAME_SIDES
    if (frames[at] - this.#north > this.#up || this.#north - frames[at + 2] > this.#up) return false
    const west = frames[at + 1] - this.#east
    const east = this.#east - frames[at + 3]
    return (west <= 0 && east <= 0) || Math.min(turn(west), turn(east)) <= this.#along
  }

  #pushBoxes(tree: NearTree, number: number, level: number, first: number): void {
    const boxes = this.#trees.words
    const { northStep, eastStep, northSteps, eastSteps } = tree
    const { south, west } = tree.frame
    const start = tree.starts[level]
    const end = Math.min(first + NEAR_FANOUT, tree.counts[level])
    // The ranges in steps of the frame: most boxes then cost four comparisons of whole numbers.
    const northMax = (this.#north + this.#up + STEP_SLACK - south) * northSteps
    const northMin = (this.#north - this.#up - STEP_SLACK - south) * northSteps
    // A range of longitudes that crosses the date line keeps no box out: the exact bound does.
    const isPlain = Math.abs(this.#east) + this.#along <= CIRCLE / 2
    const eastMax = isPlain ? (this.#east + this.#along + STEP_SLACK - west) * eastSteps : CIRCLE
    const eastMin = isPlain ? (this.#east - this.#along - STEP_SLACK - west) * eastSteps : -CIRCLE
    for (let box = first; box < end; box++) {
      const word = start + box * BOX_WORDS
      const norths = boxes[word]
      if (rangeLow(norths) > northMax || rangeHigh(norths) < northMin) continue
      const easts = boxes[word + 1]
      if (rangeLow(easts) > eastMax || rangeHigh(easts) < eastMin) continue
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

  #takeCodes(
    { cc, codeStart, codeCount, count, orderAt, bits }: NearTree,
    tree: number,
    first: number,
  ): void {
    const { codes } = this.#index
    const { words } = this.#trees
    const end = Math.min(first + NEAR_FANOUT, count)
    for (let slot = first; slot < end; slot++) {
      const entry = bits === 0 ? slot : readEntry(words, orderAt, slot, bits)
      if (entry >= codeCount) damaged(`SPOT leads to the code ${entry} of ${cc}, which has ${codeCount}`)
      const code = codeStart + entry
      if (!isPlaced(codes, code)) continue
      const up = latitude(codes, code) - this.#north
      if (up > this.#up || -up > this.#up) continue
      const along = longitude(codes, code) - this.#east
      const apart = Math.abs(along)
      if (apart > this.#along && CIRCLE - apart > this.#along) continue
      this.#take(code, tree, haversine(this.#cosine, this.#sine, up, along))
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

/** A difference of two longitudes, in millionths of a degree, as an angle from 0 to a full circle. Twice as fast as a remainder. */
function turn(angle: number): number {
  return angle < 0 ? angle + CIRCLE : angle
}

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
  /** The parts of the box that was opened last: the least haversine to each, and its word. */
  readonly #keys = new Float64Array(NEAR_FANOUT)
  readonly #words = new Int32Array(NEAR_FANOUT)
  /** Codes of the leaf, or words of the boxes, that were read last. */
  readonly #members = new Int32Array(NEAR_FANOUT)
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
    this.#north = north
    this.#east = east
    this.#cosine = Math.cos(north * MILLIONTH)
    this.#sine = Math.sin(north * MILLIONTH)
    this.#limit = limit
    this.#bound = radius === Number.POSITIVE_INFINITY ? 1 : haversineOf(radius)
    this.#isLoose = true
    this.count = 0
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
    const { trees, grid } = this.#trees
    const around = grid.around(this.#north, this.#east)
    for (let i = 0; i < around.length; i++) {
      if (!this.#isAround(around[i])) continue
      this.#takeFirstLeaf(around[i])
      if (this.count === this.#limit || this.#firstLeavesCount === FIRST_LEAVES_MAX) break
    }
    if (this.#isLoose) this.#tighten()
    if (grid.isOneCell(this.#north, this.#east, this.#up, this.#along)) {
      for (let i = 0; i < around.length; i++) if (this.#isWithin(around[i])) this.#pushRoot(around[i])
    } else for (let tree = 0; tree < trees.length; tree++) if (this.#isWithin(tree)) this.#pushRoot(tree)
  }

  #takeFirstLeaf(number: number): void {
    const { trees, words } = this.#trees
    const tree = trees[number]
    if (tree.count === 0) return
    if (this.#isLoose) this.#tighten()
    const leaf = leafAround(words, tree, this.#north, this.#east, this.#cosine)
    this.#firstLeaves[this.#firstLeavesCount++] = tree.starts[0] + leaf * BOX_WORDS
    this.#takeCodes(tree, number, leaf * NEAR_FANOUT)
  }

  #pushRoot(number: number): void {
    const { frame, count, starts } = this.#trees.trees[number]
    if (count === 0) return
    const key = this.#leastTo(frame.south, frame.north, frame.west, frame.east)
    const top = starts.length - 1
    if (key <= this.#bound) this.#heap.push(key, starts[top], number, top)
  }

  #openBoxes(): void {
    const { trees } = this.#trees
    const heap = this.#heap
    while (heap.length > 0 && heap.least <= this.#bound) {
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
          for (let i = 0; i < count && this.#keys[i] <= this.#bound; i++)
            this.#openLeaf(tree, number, this.#words[i])
      }
    }
    heap.length = 0
  }

  #openLeaf(tree: NearTree, number: number, word: number): void {
    for (let i = 0; i < this.#firstLeavesCount; i++) if (this.#firstLeaves[i] === word) return
    this.#takeCodes(tree, number, ((word - tree.starts[0]) / BOX_WORDS) * NEAR_FANOUT)
  }

  /** Brings the ranges outside of which no code is wanted up to the bound. */
  #tighten(): void {
    this.#isLoose = false
    const angle = 2 * Math.asin(Math.min(1, Math.sqrt(this.#bound))) * (1 + 1e-9)
    this.#up = Math.ceil(angle / MILLIONTH) + STEP_SLACK
    const isPolar = Math.abs(this.#north) * MILLIONTH + angle > POLAR_RADIANS
    this.#along = isPolar
      ? CIRCLE
      : Math.ceil(Math.asin(Math.sin(angle) / this.#cosine) / MILLIONTH) + STEP_SLACK
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

  /**
   * Sets `#keys` and `#words` to the boxes of `level`, from `first` on, that are near enough, the nearest first.
   * @returns their number
   */
  #gather(tree: NearTree, level: number, first: number): number {
    if (this.#isLoose) this.#tighten()
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
      const key = this.#leastTo(
        south + rangeLow(norths) * northStep,
        south + rangeHigh(norths) * northStep,
        west + rangeLow(easts) * eastStep,
        west + rangeHigh(easts) * eastStep,
      )
      if (key > this.#bound) continue
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
    const up = this.#up + STEP_SLACK
    const along = this.#along + STEP_SLACK
    const northMax = steps((this.#north + up - south) * northSteps + 1)
    const northMin = steps((this.#north - up - south) * northSteps)
    // A range of longitudes that crosses the date line keeps no box out: the exact bound does.
    const isPlain = Math.abs(this.#east) + this.#along <= CIRCLE / 2
    const eastMax = isPlain ? steps((this.#east + along - west) * eastSteps + 1) : STEPS_MAX
    const eastMin = isPlain ? steps((this.#east - along - west) * eastSteps) : 0
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

  /** Takes those of the codes of a leaf that are near enough. */
  #takeCodes(tree: NearTree, number: number, first: number): void {
    if (this.#isLoose) this.#tighten()
    const count = this.#readCodes(tree, first)
    const { codes } = this.#index
    const members = this.#members
    for (let i = 0; i < count; i++) {
      const code = members[i]
      const h = haversine(
        this.#cosine,
        this.#sine,
        latitude(codes, code) - this.#north,
        longitude(codes, code) - this.#east,
      )
      if (h <= this.#bound) this.#take(code, number, h)
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
    const [north, east, up, along] = [this.#north, this.#east, this.#up, this.#along]
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
    if (bits > 0) return near
    // Codes without a position are left out of the order of SPOT.
    let placed = 0
    for (let i = 0; i < near; i++) if (isPlaced(codes, members[i])) members[placed++] = members[i]
    return placed
  }

  /** Puts a code that is within the bound into its place among those found so far. */
  #take(code: number, tree: number, h: number): void {
    const { codes } = this
    const haversines = this.#haversines
    const isFull = this.count === this.#limit
    let at = isFull ? this.count - 1 : this.count
    if (isFull && !this.#isNearer(code, h, at)) return
    for (; at > 0 && this.#isNearer(code, h, at - 1); at--) {
      codes[at] = codes[at - 1]
      haversines[at] = haversines[at - 1]
      this.#treesOf[at] = this.#treesOf[at - 1]
    }
    codes[at] = code
    haversines[at] = h
    this.#treesOf[at] = tree
    if (!isFull) this.count++
    if (this.count < this.#limit) return
    this.#bound = haversines[this.count - 1]
    this.#isLoose = true
  }

  #isNearer(code: number, h: number, than: number): boolean {
    const other = this.#haversines[than]
    return h < other || (h === other && code < this.codes[than])
  }
}

/** A whole number of steps of a frame, for a comparison with those of its boxes. */
function steps(value: number): number {
  return Math.max(-1, Math.min(STEPS_MAX + 1, value)) | 0
}

/** A difference of two longitudes, in millionths of a degree, as an angle from 0 to a full circle. Twice as fast as a remainder. */
function turn(angle: number): number {
  return angle < 0 ? angle + CIRCLE : angle
}

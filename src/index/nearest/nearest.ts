/**
 * The codes nearest to a point. A first look at the leaf around it bounds the distance; then boxes are opened in the order of the
 * least distance that a code in them can have, and the search ends when that is more than the distance of the last code wanted.
 * Every box is opened at most twice, whatever the file says.
 */
import { BOX_WORDS, NEAR_FANOUT, rangeHigh, rangeLow } from '../../format/near-tree.ts'
import { NEAREST_MAX } from '../../limits.ts'
import { KeyReader } from '../codes/key-reader.ts'
import { MinHeap } from '../min-heap.ts'
import type { PostalIndex } from '../postal-index.ts'
import { haversine, haversineOf, metresOf } from './distance.ts'
import { Leaf } from './leaf.ts'
import { leafAround, partAround } from './leaf-around.ts'
import { NearRange, STEP_SLACK, STEPS_MAX, wholeSteps } from './near-range.ts'
import { NearResults } from './near-results.ts'
import { NearSites } from './near-sites.ts'
import type { NearTree } from './near-tree.ts'
import { type NearTrees, nearTrees } from './near-trees.ts'

/** Added to the level of a box of the roof while it waits for its turn. */
const ROOF = 32

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
  /** Words of the boxes that were read last. */
  readonly #members = new Int32Array(NEAR_FANOUT)
  /** Word of the leaf whose sites have been taken first. */
  #firstLeaf = -1
  readonly #leaf = new Leaf()
  readonly #found: NearSites
  readonly #results: NearResults
  readonly #range = new NearRange()

  /** @param max codes that may be wanted: a search among so many inserts each into a list */
  constructor(index: PostalIndex, max: number = NEAREST_MAX) {
    this.#index = index
    this.#trees = nearTrees(index)
    this.#found = new NearSites(max)
    this.#results = new NearResults(max)
    this.keys = new KeyReader(index.trie)
  }

  /** Whether the index has a section that this needs. */
  get isPossible(): boolean {
    return this.#trees.trees.length > 0
  }

  /** Codes that were found, and their indexes: the nearest first, of equally near ones the first in the index. */
  get count(): number {
    return this.#results.count
  }
  get codes(): Int32Array {
    return this.#results.codes
  }

  /** The number of the country of each of them. */
  get trees(): Uint16Array {
    return this.#results.trees
  }

  /** Reads the keys of `codes`, which lie near each other in the index too. */
  readonly keys: KeyReader

  /** Metres from the point to a code of `codes`. */
  metres(result: number): number {
    return metresOf(this.#results.haversines[result])
  }

  /** Two capitals: the country with a number of `trees`. */
  countryOf(tree: number): string {
    return this.#trees.trees[tree].cc
  }

  /** Fills `codes`. Costs about four microseconds for ten codes (`npm run bench -- endpoints`). */
  search({ north, east, radius, limit, cc }: NearQuery): void {
    this.#range.begin(north, east)
    this.#found.begin(limit, radius === Number.POSITIVE_INFINITY ? 1 : haversineOf(radius))
    this.#heap.length = 0
    if (cc === undefined) this.#beginAnywhere()
    else {
      const number = this.#trees.byCountry.get(cc)
      if (number !== undefined) this.#beginIn(number)
    }
    this.#openBoxes()
    this.#results.list(this.#found, limit)
  }

  #beginIn(number: number): void {
    const tree = this.#trees.trees[number]
    const top = tree.starts.length - 1
    if (top < 0) return
    this.#takeFirstLeaf(tree, number, top, 0)
    this.#heap.push(0, tree.starts[top], number, top)
  }

  #beginAnywhere(): void {
    const { trees, roof } = this.#trees
    const top = roof.starts.length - 1
    if (top < 0) return
    const range = this.#range
    const part = partAround(roof, range)
    const number = roof.trees[part]
    const tree = trees[number]
    const level = roof.levels[part]
    this.#takeFirstLeaf(tree, number, level, (roof.words[part] - tree.starts[level]) / BOX_WORDS)
    range.tighten(this.#found.bound)
    const { cells } = roof
    if (cells.holds(range)) {
      const cell = cells.cellOf(range)
      for (let i = cells.starts[cell]; i < cells.starts[cell + 1]; i++) this.#pushPart(cells.members[i])
    } else this.#heap.push(0, 0, 0, ROOF + top)
  }

  #pushPart(part: number): void {
    const { roof } = this.#trees
    const key = this.#range.leastToBox(roof.boxes, part)
    if (key <= this.#found.bound) this.#heap.push(key, roof.words[part], roof.trees[part], roof.levels[part])
  }

  /** Takes the sites of the leaf around the point below a box: they bound the distance of all others. */
  #takeFirstLeaf(tree: NearTree, number: number, level: number, box: number): void {
    const { north, east, cosine } = this.#range
    const leaf = leafAround(this.#trees.words, tree, level, box, north, east, cosine)
    this.#firstLeaf = tree.starts[0] + leaf * BOX_WORDS
    this.#takeSites(tree, number, leaf)
  }

  #openBoxes(): void {
    const { trees } = this.#trees
    const heap = this.#heap
    while (heap.length > 0 && heap.least <= this.#found.bound) {
      heap.pop()
      const { first: word, second: number, third: level } = heap
      if (level >= ROOF) {
        this.#openRoof(level - ROOF, word)
        continue
      }
      const tree = trees[number]
      if (level === 0) this.#openLeaf(tree, number, word)
      else {
        const first = ((word - tree.starts[level]) / BOX_WORDS) * NEAR_FANOUT
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

  /** Puts those of the boxes or parts that box `box` of a level of the roof holds, and that are near enough, into the heap. */
  #openRoof(level: number, box: number): void {
    const { boxes, counts, starts } = this.#trees.roof
    this.#range.tighten(this.#found.bound)
    const first = box * NEAR_FANOUT
    const end = Math.min(first + NEAR_FANOUT, counts[level - 1])
    const start = starts[level - 1]
    for (let child = first; child < end; child++) {
      if (level === 1) {
        this.#pushPart(child)
        continue
      }
      const key = this.#range.leastToBox(boxes, start + child)
      if (key <= this.#found.bound) this.#heap.push(key, child, 0, ROOF + level - 1)
    }
  }

  #openLeaf(tree: NearTree, number: number, word: number): void {
    if (word === this.#firstLeaf) return
    this.#takeSites(tree, number, (word - tree.starts[0]) / BOX_WORDS)
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
   * steps alone. Like `Leaf.read` without a branch. @returns their number
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
    const northMax = wholeSteps((north + up - south) * northSteps + 1)
    const northMin = wholeSteps((north - up - south) * northSteps)
    // A range of longitudes that crosses the date line keeps no box out: the exact bound does.
    const { isPlain } = this.#range
    const eastMax = isPlain ? wholeSteps((east + along - west) * eastSteps + 1) : STEPS_MAX
    const eastMin = isPlain ? wholeSteps((east - along - west) * eastSteps) : 0
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

  /** Takes those of the sites of a leaf that are near enough. */
  #takeSites(tree: NearTree, number: number, box: number): void {
    const range = this.#range
    const leaf = this.#leaf
    const found = this.#found
    range.tighten(found.bound)
    leaf.read(this.#trees.words, this.#index.codes, tree, box, range)
    const { cosine, sine, north, east } = range
    for (let i = 0; i < leaf.count; i++) {
      const h = haversine(cosine, sine, leaf.norths[i] - north, leaf.easts[i] - east)
      if (h <= found.bound) found.take(h, leaf.codes[i], leaf.sizes[i], number)
    }
  }
}

/** The trees of the sections SPOT and NEAR: where each begins, and whose codes it holds. */
import { COUNTRY_WORDS, readCountry } from '../../format/country-entry.ts'
import {
  BOX_WORDS,
  FRAME_WORDS,
  type Frame,
  NEAR_FRAME_WORDS,
  nearLevels,
  orderWords,
  readFrame,
  SPOT_BITS,
  SPOT_COUNT,
  stepOf,
} from '../../format/near-tree.ts'
import { damaged } from '../index-file-error.ts'
import type { PostalIndex } from '../postal-index.ts'
import { FrameGrid } from './frame-grid.ts'

export interface NearTree {
  readonly cc: string
  readonly codeStart: number
  readonly codeCount: number
  /** Codes that it holds, of which each has a place of the order. */
  readonly count: number
  readonly frame: Frame
  /** Of the frame. */
  readonly south: number
  readonly west: number
  /** Millionths of a degree of a step; steps of a millionth, 0 where all codes have one latitude or longitude. */
  readonly northStep: number
  readonly eastStep: number
  readonly northSteps: number
  readonly eastSteps: number
  /** Word of the first box of each level, from the lowest, and their numbers. */
  readonly starts: readonly number[]
  readonly counts: readonly number[]
  /** Word at which the order begins, and bits of an entry; 0 bits in NEAR, whose order is that of the codes. */
  readonly orderAt: number
  readonly bits: number
}

export interface NearTrees {
  /** The section. */
  readonly words: Uint32Array
  /** Those with the smallest frame first. */
  readonly trees: readonly NearTree[]
  /** South, west, north and east of each, in the same order: every search compares all of them with its point. */
  readonly frames: Int32Array
  /** The number of the tree of each country, by two capitals. */
  readonly byCountry: ReadonlyMap<string, number>
  readonly grid: FrameGrid
}

const opened = new WeakMap<PostalIndex, NearTrees>()
/** Millionths of a degree. */
const NORTH_MAX = 90_000_000
const EAST_MAX = 180_000_000
/** More bits than a code index has. */
const BITS_MAX = 27

/**
 * The trees of `index`; none when it was built before there were any. The first call costs some microseconds for each hundred
 * countries. @throws DamagedIndexError when the section has another length than its countries need
 */
export function nearTrees(index: PostalIndex): NearTrees {
  const known = opened.get(index)
  if (known !== undefined) return known
  const { spots, boxes, file } = index
  const isOrdered = spots.length > 0
  const words = isOrdered ? spots : boxes
  const trees = words.length === 0 ? [] : readTrees(words, file.sections.CTRY, isOrdered)
  trees.sort((a, b) => sizeOf(a.frame) - sizeOf(b.frame))
  const frames = Int32Array.from(
    trees.flatMap(({ frame: { south, west, north, east } }) => [south, west, north, east]),
  )
  const byCountry = new Map(trees.map(({ cc }, number) => [cc, number]))
  const made = { words, trees, frames, byCountry, grid: new FrameGrid(trees.map(({ frame }) => frame)) }
  opened.set(index, made)
  return made
}

function readTrees(
  words: Uint32Array,
  { bytes, count }: PostalIndex['file']['sections']['CTRY'],
  isOrdered: boolean,
): NearTree[] {
  const entries = new Uint32Array(bytes.buffer, bytes.byteOffset, count * COUNTRY_WORDS)
  const trees: NearTree[] = []
  let at = 0
  for (let entry = 0; entry < entries.length && at < words.length; entry += COUNTRY_WORDS) {
    const { cc, codeStart, codeCount } = readCountry(entries, entry)
    const count = isOrdered ? words[at + SPOT_COUNT] : codeCount
    const bits = isOrdered ? words[at + SPOT_BITS] : 0
    if (!(count <= codeCount) || !(bits <= BITS_MAX))
      damaged(`SPOT has ${count} codes of ${cc} in ${bits} bits each, at most ${codeCount} expected`)
    const counts = nearLevels(count)
    const frame = readFrame(words, at)
    if (!isOnEarth(frame))
      damaged(`the tree of ${cc} has a frame of ${Object.values(frame)}, which is not on earth`)
    at += isOrdered ? FRAME_WORDS : NEAR_FRAME_WORDS
    const starts = counts.map(boxes => {
      const start = at
      at += boxes * BOX_WORDS
      return start
    })
    const northStep = stepOf(frame.south, frame.north)
    const eastStep = stepOf(frame.west, frame.east)
    const { south, west } = frame
    const northSteps = northStep === 0 ? 0 : 1 / northStep
    const eastSteps = eastStep === 0 ? 0 : 1 / eastStep
    // One literal, so that all trees have one shape and V8 need not ask which.
    trees.push({
      cc,
      codeStart,
      codeCount,
      count,
      frame,
      south,
      west,
      northStep,
      eastStep,
      northSteps,
      eastSteps,
      starts,
      counts,
      orderAt: at,
      bits,
    })
    at += orderWords(count, bits)
  }
  if (at !== words.length || trees.length !== count)
    damaged(`the trees of positions have ${words.length} words, ${at} expected for their countries`)
  return trees
}

/** Whether a frame has no latitude or longitude that there is not; one without positions has none. */
function isOnEarth({ south, west, north, east }: Frame): boolean {
  return south > north || (south >= -NORTH_MAX && north <= NORTH_MAX && west >= -EAST_MAX && east <= EAST_MAX)
}

function sizeOf({ south, west, north, east }: Frame): number {
  return (north - south) * (east - west)
}

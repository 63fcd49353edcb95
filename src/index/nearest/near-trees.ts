/** The trees of the section SITE, or of SPOT or NEAR in older files: where each begins, and whose codes it holds. */
import { COUNTRY_WORDS, readCountry } from '../../format/country-entry.ts'
import {
  BOX_WORDS,
  type Frame,
  LEAF_WORDS,
  NEAR_FRAME_WORDS,
  nearLevels,
  orderWords,
  readFrame,
  SITE_COUNT,
  SITE_FRAME_WORDS,
  SPOT_BITS,
  SPOT_COUNT,
  SPOT_FRAME_WORDS,
  stepOf,
} from '../../format/near-tree.ts'
import { damaged } from '../index-file-error.ts'
import type { PostalIndex } from '../postal-index.ts'
import type { NearTree } from './near-tree.ts'
import { type Roof, roofOver } from './roof.ts'

export interface NearTrees {
  /** The section. */
  readonly words: Uint32Array
  /** In the order of the countries. */
  readonly trees: readonly NearTree[]
  /** The number of the tree of each country, by two capitals. */
  readonly byCountry: ReadonlyMap<string, number>
  /** Over all of them. */
  readonly roof: Roof
}

const opened = new WeakMap<PostalIndex, NearTrees>()
/** Millionths of a degree. */
const NORTH_MAX = 90_000_000
const EAST_MAX = 180_000_000
/** Words of a frame, and which of them is the number of sites or codes. In NEAR all codes count. */
const HEADS = {
  SITE: { words: SITE_FRAME_WORDS, count: SITE_COUNT },
  SPOT: { words: SPOT_FRAME_WORDS, count: SPOT_COUNT },
  NEAR: { words: NEAR_FRAME_WORDS },
} as const
/** More bits than a code index has. */
const BITS_MAX = 27

/**
 * The trees of `index`; none when it was built before there were any. The first call costs some milliseconds for the world, most of it
 * for the roof. @throws DamagedIndexError when the section has another length than its countries need
 */
export function nearTrees(index: PostalIndex): NearTrees {
  const known = opened.get(index)
  if (known !== undefined) return known
  const { sites, spots, boxes, file } = index
  const kind = sites.length > 0 ? 'SITE' : spots.length > 0 ? 'SPOT' : 'NEAR'
  const words = { SITE: sites, SPOT: spots, NEAR: boxes }[kind]
  const trees = words.length === 0 ? [] : readTrees(words, file.sections.CTRY, kind)
  const byCountry = new Map(trees.map(({ cc }, number) => [cc, number]))
  const made = { words, trees, byCountry, roof: roofOver(words, trees) }
  opened.set(index, made)
  return made
}

function readTrees(
  words: Uint32Array,
  { bytes, count }: PostalIndex['file']['sections']['CTRY'],
  kind: keyof typeof HEADS,
): NearTree[] {
  const entries = new Uint32Array(bytes.buffer, bytes.byteOffset, count * COUNTRY_WORDS)
  const trees: NearTree[] = []
  let at = 0
  for (let entry = 0; entry < entries.length && at < words.length; entry += COUNTRY_WORDS) {
    const { cc, codeStart, codeCount } = readCountry(entries, entry)
    const count = kind === 'NEAR' ? codeCount : words[at + HEADS[kind].count]
    const bits = kind === 'SPOT' ? words[at + SPOT_BITS] : 0
    if (!(count <= codeCount) || !(bits <= BITS_MAX))
      damaged(`${kind} has ${count} positions of ${cc} in ${bits} bits each, at most ${codeCount} expected`)
    const counts = nearLevels(count)
    const frame = readFrame(words, at)
    if (!isOnEarth(frame))
      damaged(`the tree of ${cc} has a frame of ${Object.values(frame)}, which is not on earth`)
    at += HEADS[kind].words
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
      leavesAt: kind === 'SITE' ? at : -1,
      orderAt: at,
      bits,
    })
    at += kind === 'SITE' ? (counts[0] ?? 0) * LEAF_WORDS : orderWords(count, bits)
  }
  if (at !== words.length || trees.length !== count)
    damaged(`the trees of positions have ${words.length} words, ${at} expected for their countries`)
  return trees
}

/** Whether a frame has no latitude or longitude that there is not; one without positions has none. */
function isOnEarth({ south, west, north, east }: Frame): boolean {
  return south > north || (south >= -NORTH_MAX && north <= NORTH_MAX && west >= -EAST_MAX && east <= EAST_MAX)
}

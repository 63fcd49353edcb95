/** The trees of the section NEAR: where each begins, and whose codes it holds. */
import { COUNTRY_WORDS, readCountry } from '../../format/country-entry.ts'
import { BOX_WORDS, FRAME_BOXES, type Frame, nearLevels, readFrame, stepOf } from '../../format/near-tree.ts'
import { damaged } from '../index-file-error.ts'
import type { PostalIndex } from '../postal-index.ts'

export interface NearTree {
  readonly cc: string
  readonly codeStart: number
  readonly codeCount: number
  readonly frame: Frame
  /** Millionths of a degree of a step. */
  readonly northStep: number
  readonly eastStep: number
  /** Word of the first box of each level, from the lowest, and their numbers. */
  readonly starts: readonly number[]
  readonly counts: readonly number[]
}

export interface NearTrees {
  readonly trees: readonly NearTree[]
  /** Boxes of all trees. */
  readonly boxCount: number
}

const opened = new WeakMap<PostalIndex, NearTrees>()

/**
 * The trees of `index`; none when it was built before there were any. The first call costs some microseconds for each hundred
 * countries. @throws DamagedIndexError when the section has another length than its countries need
 */
export function nearTrees(index: PostalIndex): NearTrees {
  const known = opened.get(index)
  if (known !== undefined) return known
  const made = readTrees(index)
  opened.set(index, made)
  return made
}

function readTrees({ boxes, file }: PostalIndex): NearTrees {
  if (boxes.length === 0) return { trees: [], boxCount: 0 }
  const { bytes, count } = file.sections.CTRY
  const entries = new Uint32Array(bytes.buffer, bytes.byteOffset, count * COUNTRY_WORDS)
  const trees: NearTree[] = []
  let at = 0
  for (let entry = 0; entry < entries.length; entry += COUNTRY_WORDS) {
    const { cc, codeStart, codeCount } = readCountry(entries, entry)
    const counts = nearLevels(codeCount)
    const frameAt = at
    at += FRAME_BOXES * BOX_WORDS
    const starts = counts.map(boxes => {
      const start = at
      at += boxes * BOX_WORDS
      return start
    })
    if (at > boxes.length) break
    const frame = readFrame(boxes, frameAt)
    trees.push({
      ...{ cc, codeStart, codeCount, frame, starts, counts },
      northStep: stepOf(frame.south, frame.north),
      eastStep: stepOf(frame.west, frame.east),
    })
  }
  if (at !== boxes.length) damaged(`NEAR has ${boxes.length} words, ${at} or more expected for its countries`)
  return { trees, boxCount: boxes.length / BOX_WORDS }
}

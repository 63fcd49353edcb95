/** The NEAR section as builders of version 3.1 wrote it: boxes around the positions of each country's codes, in their order. */
import { isPlaced, latitude, longitude } from '../../src/format/code-record.ts'
import type { CountryRanges } from '../../src/format/meta.ts'
import {
  BOX_WORDS,
  type Frame,
  NEAR_FANOUT,
  NEAR_FRAME_WORDS,
  nearLevels,
  packBox,
  packFrame,
} from '../../src/format/near-tree.ts'

const NOTHING: Frame = {
  south: Number.POSITIVE_INFINITY,
  west: Number.POSITIVE_INFINITY,
  north: Number.NEGATIVE_INFINITY,
  east: Number.NEGATIVE_INFINITY,
}
/** What stands for the frame of a country without positions: south above north. */
const NO_FRAME: Frame = { south: 1, west: 0, north: 0, east: 0 }

/** @param codes the section CODE @param countries in the order of CTRY */
export function nearSection(
  codes: Uint32Array,
  countries: readonly Pick<CountryRanges, 'codeStart' | 'codeCount'>[],
): Uint8Array {
  const boxesOf = (codeCount: number) => nearLevels(codeCount).reduce((sum, count) => sum + count, 0)
  const words = new Uint32Array(
    countries.reduce((sum, { codeCount }) => sum + boxesOf(codeCount) * BOX_WORDS + NEAR_FRAME_WORDS, 0),
  )
  let at = 0
  for (const { codeStart, codeCount } of countries) {
    let level = grouped(Array.from({ length: codeCount }, (_, i) => pointOf(codes, codeStart + i)))
    const levels = [level]
    while (level.length > 1) {
      level = grouped(level)
      levels.push(level)
    }
    const root = level[0]
    const frame = root.south > root.north ? NO_FRAME : root
    words.set(packFrame(frame), at)
    at += NEAR_FRAME_WORDS
    for (const box of levels.flat()) {
      words.set(packBox(box, frame), at)
      at += BOX_WORDS
    }
  }
  return new Uint8Array(words.buffer)
}

function pointOf(codes: Uint32Array, code: number): Frame {
  if (!isPlaced(codes, code)) return NOTHING
  const north = latitude(codes, code)
  const east = longitude(codes, code)
  return { south: north, west: east, north, east }
}

/** The boxes around each `NEAR_FANOUT` of `boxes`. */
export function grouped(boxes: readonly Frame[]): Frame[] {
  const groups: Frame[] = []
  for (let at = 0; at < boxes.length; at += NEAR_FANOUT)
    groups.push(boxes.slice(at, at + NEAR_FANOUT).reduce(around))
  return groups
}

export function around(one: Frame, other: Frame): Frame {
  return {
    south: Math.min(one.south, other.south),
    west: Math.min(one.west, other.west),
    north: Math.max(one.north, other.north),
    east: Math.max(one.east, other.east),
  }
}

/**
 * The SITE section: for each country a tree of boxes around the positions of its codes, for finding those near a point. FORMAT.md
 * draws it. A site is a position with the codes that lie there and follow each other in the index. Sites are in an order of their own
 * that keeps neighbours together. Files of 3.2 have SPOT in its place, a tree of single codes, and those of 3.1 have NEAR, whose codes
 * are in the order of their keys.
 */
import { DEGREE_SCALE } from './code-record.ts'

/** Sites of a box of the lowest level, and boxes of a box of any other. */
export const NEAR_FANOUT = 16
/** Words of a box: latitudes in the first, longitudes in the second, each the lower in the low half. */
export const BOX_WORDS = 2
/** Words of a frame: south, west, north, east, and the number of sites. */
export const SITE_FRAME_WORDS = 5
export const SITE_COUNT = 4
/** Words of a frame of SPOT: the first four, the number of codes with a position, and the bits of an entry of their order. */
export const SPOT_FRAME_WORDS = 6
export const SPOT_COUNT = 4
export const SPOT_BITS = 5
/** Words of a frame of NEAR: the first four. */
export const NEAR_FRAME_WORDS = 4

/** Words of a leaf: about where its sites lie, two in a word, then the codes of each. */
export const LEAF_CELL_WORDS: number = NEAR_FANOUT / 2
export const LEAF_WORDS: number = LEAF_CELL_WORDS + NEAR_FANOUT
/** Codes of a site, at most; where more lie, there are several sites. */
export const SITE_CODES_MAX = 256
/** Codes of a country, at most. */
export const SITE_NUMBER_END: number = 2 ** 24
/** Cells into which the box of a leaf divides latitudes, and longitudes. */
export const CELLS = 256

/** Steps into which a frame divides latitudes, and longitudes. */
const STEPS = 0xffff
const NORTH_ZERO = 90 * DEGREE_SCALE
const EAST_ZERO = 180 * DEGREE_SCALE
/** The first half is above the second, which no other box has. */
const EMPTY_RANGE = STEPS

/** Millionths of a degree. Without positions, south is above north. */
export interface Frame {
  south: number
  west: number
  north: number
  east: number
}

/** Numbers of boxes of a tree of `count` sites or codes, from the lowest level to the one box of the highest; none for none. */
export function nearLevels(count: number): number[] {
  if (count === 0) return []
  const levels = [Math.ceil(count / NEAR_FANOUT)]
  while (levels[levels.length - 1] > 1) levels.push(Math.ceil(levels[levels.length - 1] / NEAR_FANOUT))
  return levels
}

/** Words of SPOT's order of `count` codes, filled up to a whole entry of the section. */
export function orderWords(count: number, bits: number): number {
  return Math.ceil((count * bits) / (BOX_WORDS * 32)) * BOX_WORDS
}

export function packFrame({ south, west, north, east }: Frame): number[] {
  return [south + NORTH_ZERO, west + EAST_ZERO, north + NORTH_ZERO, east + EAST_ZERO]
}

/** The frame at word `at`. */
export function readFrame(words: Uint32Array, at: number): Frame {
  return {
    south: words[at] - NORTH_ZERO,
    west: words[at + 1] - EAST_ZERO,
    north: words[at + 2] - NORTH_ZERO,
    east: words[at + 3] - EAST_ZERO,
  }
}

/** The two words of the smallest box around `south` to `east` that the steps of `frame` allow. */
export function packBox({ south, west, north, east }: Frame, frame: Frame): [number, number] {
  if (south > north) return [EMPTY_RANGE, EMPTY_RANGE]
  return [packRange(south, north, frame.south, frame.north), packRange(west, east, frame.west, frame.east)]
}

function packRange(low: number, high: number, start: number, end: number): number {
  const step = stepOf(start, end)
  if (step === 0) return 0
  const first = Math.floor((low - start) / step)
  const last = Math.min(STEPS, Math.ceil((high - start) / step))
  return (first | (last << 16)) >>> 0
}

/** Millionths of a degree of one step between `start` and `end`. */
export function stepOf(start: number, end: number): number {
  return (end - start) / STEPS
}

/** Steps from the start of the frame to the lower end of a range, and to the upper. */
export function rangeLow(word: number): number {
  return word & STEPS
}
export function rangeHigh(word: number): number {
  return word >>> 16
}

/** The 16 bits that say in which cell of the box of its leaf a site lies: the latitude's in the low byte. @param box as `packBox` gives it */
export function packCell(north: number, east: number, box: readonly [number, number], frame: Frame): number {
  const row = cellOf(north, box[0], frame.south, stepOf(frame.south, frame.north))
  const column = cellOf(east, box[1], frame.west, stepOf(frame.west, frame.east))
  return row | (column << 8)
}

function cellOf(value: number, range: number, start: number, step: number): number {
  const cells = (value - start - rangeLow(range) * step) * cellsPerMillionth(range, step)
  return Math.max(0, Math.min(CELLS - 1, Math.floor(cells)))
}

/** Cells of a range for each millionth of a degree; 0 where the range has one value. */
export function cellsPerMillionth(range: number, step: number): number {
  const length = (rangeHigh(range) - rangeLow(range)) * step
  return length === 0 ? 0 : CELLS / length
}

/** The word of a site. @param number that of its first code in the country @param codes from 1 to `SITE_CODES_MAX` */
export function packSite(number: number, codes: number): number {
  return (number | ((codes - 1) << 24)) >>> 0
}
export function siteNumber(word: number): number {
  return word & (SITE_NUMBER_END - 1)
}
export function siteCodes(word: number): number {
  return (word >>> 24) + 1
}

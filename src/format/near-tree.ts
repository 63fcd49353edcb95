/**
 * The DOTS section: for each country a tree of boxes around the positions of its codes, for finding those near a point. FORMAT.md
 * draws it. Its leaves are points, of which each has the codes that lie there, in an order of their own that keeps neighbours
 * together. Files of 3.2 have SPOT in its place, whose leaves are codes, and files of 3.1 have NEAR, with codes in the order of their
 * keys.
 */
import { DEGREE_SCALE } from './code-record.ts'

/** Points of a box of the lowest level, and boxes of a box of any other. */
export const NEAR_FANOUT = 16
/** Words of a box: latitudes in the first, longitudes in the second, each the lower in the low half. */
export const BOX_WORDS = 2
/** Words of a frame: south, west, north, east, the number of points, and the number of codes that they have together. */
export const FRAME_WORDS = 6
export const DOTS_POINTS = 4
export const DOTS_CODES = 5
/** In SPOT the fifth is the number of codes with a position, and the sixth the bits of an entry of their order. */
export const SPOT_COUNT = 4
export const SPOT_BITS = 5
/** Words of a frame of NEAR: the first four. */
export const NEAR_FRAME_WORDS = 4
/** Words before the points of a leaf: where in the order the first of its codes is, and a zero. */
export const LEAF_HEAD_WORDS = 2
/** Words of a point: latitude and longitude, and in the bits above them how many codes it has, less one. */
export const POINT_WORDS = 2
/** Words from a leaf that is full to the next. */
export const LEAF_WORDS: number = LEAF_HEAD_WORDS + NEAR_FANOUT * POINT_WORDS
export const POINT_CODES_MAX = 128
const POINT_LOW_SHIFT = 28
const POINT_HIGH_SHIFT = 29
const POINT_LOW_BITS = 4
const POINT_NORTH = 0x0fff_ffff
const POINT_EAST = 0x1fff_ffff

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

/** Numbers of boxes of a tree of `codeCount` codes, from the lowest level to the one box of the highest; none for no codes. */
export function nearLevels(codeCount: number): number[] {
  if (codeCount === 0) return []
  const levels = [Math.ceil(codeCount / NEAR_FANOUT)]
  while (levels[levels.length - 1] > 1) levels.push(Math.ceil(levels[levels.length - 1] / NEAR_FANOUT))
  return levels
}

/** Words of the leaves of so many points: each box of the lowest level has a head, and its points after it. */
export function leafWords(pointCount: number): number {
  return Math.ceil(pointCount / NEAR_FANOUT) * LEAF_HEAD_WORDS + pointCount * POINT_WORDS
}

/** The two words of a point, whose coordinates are millionths of a degree. @param codes from 1 to `POINT_CODES_MAX` */
export function packPoint(north: number, east: number, codes: number): [number, number] {
  const rest = codes - 1
  return [
    ((north + NORTH_ZERO) | (rest << POINT_LOW_SHIFT)) >>> 0,
    ((east + EAST_ZERO) | ((rest >>> POINT_LOW_BITS) << POINT_HIGH_SHIFT)) >>> 0,
  ]
}

/** Millionths of a degree, from the first word of a point, and from the second. */
export function pointNorth(first: number): number {
  return (first & POINT_NORTH) - NORTH_ZERO
}
export function pointEast(second: number): number {
  return (second & POINT_EAST) - EAST_ZERO
}
/** How many codes a point has. */
export function pointCodes(first: number, second: number): number {
  return ((first >>> POINT_LOW_SHIFT) | ((second >>> POINT_HIGH_SHIFT) << POINT_LOW_BITS)) + 1
}

/** Words of the order of `count` codes, filled up to a whole entry of the section. */
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

/**
 * The SPOT section: for each country a tree of boxes around the positions of its codes, for finding those near a point. FORMAT.md
 * draws it. The codes are in an order of their own, along a curve that keeps neighbours together. In NEAR, which files before 3.2
 * have in its place, they are in the order of their keys.
 */
import { DEGREE_SCALE } from './code-record.ts'

/** Codes of a box of the lowest level, and boxes of a box of any other. */
export const NEAR_FANOUT = 16
/** Words of a box: latitudes in the first, longitudes in the second, each the lower in the low half. */
export const BOX_WORDS = 2
/** Words of a frame: south, west, north, east, the number of codes with a position, and the bits of an entry of their order. */
export const FRAME_WORDS = 6
export const SPOT_COUNT = 4
export const SPOT_BITS = 5
/** Words of a frame of NEAR: the first four. */
export const NEAR_FRAME_WORDS = 4

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

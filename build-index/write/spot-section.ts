/** The SPOT section: boxes around the positions of each country's codes, in an order that keeps neighbours together. */
import { isPlaced, latitude, longitude } from '../../src/format/code-record.ts'
import type { CountryRanges } from '../../src/format/meta.ts'
import { bitsOf, putEntry } from '../../src/format/name-order.ts'
import {
  type Frame,
  NEAR_FANOUT,
  nearLevels,
  orderWords,
  packBox,
  packFrame,
} from '../../src/format/near-tree.ts'
import { GrowableU32 } from './growable.ts'

/** What stands for the frame of a country without positions: south above north. */
const NO_FRAME: Frame = { south: 1, west: 0, north: 0, east: 0 }
/** Bits of each coordinate on the curve, at most: some ten metres in a country of a thousand kilometres. */
const CURVE_BITS_MAX = 16
/** A whole number of so many bits is exact. */
const EXACT_BITS = 53
const RADIANS = Math.PI / 180 / 1_000_000

/** @param codes the section CODE @param countries in the order of CTRY */
export function spotSection(
  codes: Uint32Array,
  countries: readonly Pick<CountryRanges, 'codeStart' | 'codeCount'>[],
): Uint8Array {
  const out = new GrowableU32()
  for (const { codeStart, codeCount } of countries) {
    const placed = Array.from({ length: codeCount }, (_, i) => codeStart + i).filter(code =>
      isPlaced(codes, code),
    )
    for (const word of countryWords(placed, codeStart, codeCount, codes)) out.push(word)
  }
  return out.bytes()
}

function countryWords(
  placed: readonly number[],
  codeStart: number,
  codeCount: number,
  codes: Uint32Array,
): number[] {
  const points = placed.map(code => pointOf(codes, code))
  const frame = points.length === 0 ? NO_FRAME : points.reduce(around)
  const order = curveOrder(points, frame)
  const bits = bitsOf(codeCount)
  const words = [...packFrame(frame), placed.length, bits]
  let level: Frame[] = order.map(i => points[i])
  for (const _ of nearLevels(placed.length)) {
    level = grouped(level)
    for (const box of level) words.push(...packBox(box, frame))
  }
  const entries = new Uint32Array(orderWords(placed.length, bits))
  order.forEach((i, slot) => {
    putEntry(entries, 0, slot, bits, placed[i] - codeStart)
  })
  for (const word of entries) words.push(word)
  return words
}

function pointOf(codes: Uint32Array, code: number): Frame {
  const north = latitude(codes, code)
  const east = longitude(codes, code)
  return { south: north, west: east, north, east }
}

/** Indexes of `points` in the order of a Hilbert curve through a square around `frame`; equal ones ascend. */
function curveOrder(points: readonly Frame[], { south, west, north, east }: Frame): number[] {
  const cosine = Math.cos(((south + north) / 2) * RADIANS)
  const indexBits = bitsOf(points.length)
  const curveBits = Math.min(CURVE_BITS_MAX, Math.floor((EXACT_BITS - indexBits) / 2))
  const scale = (2 ** curveBits - 1) / Math.max(1, north - south, (east - west) * cosine)
  // Both in one number, so that the order needs no comparing function.
  const indexes = 2 ** indexBits
  const keys = Float64Array.from(
    points,
    (point, i) =>
      hilbert(
        Math.round((point.west - west) * cosine * scale),
        Math.round((point.south - south) * scale),
        2 ** (curveBits - 1),
      ) *
        indexes +
      i,
  ).sort()
  return Array.from(keys, key => key % indexes)
}

/** How far along a Hilbert curve a cell lies. Hamilton's iteration over quadrants, from the largest. */
function hilbert(column: number, row: number, sideMax: number): number {
  let x = column
  let y = row
  let distance = 0
  for (let side = sideMax; side >= 1; side /= 2) {
    const right = x >= side ? 1 : 0
    const upper = y >= side ? 1 : 0
    distance += side * side * ((3 * right) ^ upper)
    x -= right * side
    y -= upper * side
    if (upper === 0) {
      if (right === 1) {
        x = side - 1 - x
        y = side - 1 - y
      }
      const turned = x
      x = y
      y = turned
    }
  }
  return distance
}

/** The boxes around each `NEAR_FANOUT` of `boxes`. */
function grouped(boxes: readonly Frame[]): Frame[] {
  const groups: Frame[] = []
  for (let at = 0; at < boxes.length; at += NEAR_FANOUT)
    groups.push(boxes.slice(at, at + NEAR_FANOUT).reduce(around))
  return groups
}

function around(one: Frame, other: Frame): Frame {
  return {
    south: Math.min(one.south, other.south),
    west: Math.min(one.west, other.west),
    north: Math.max(one.north, other.north),
    east: Math.max(one.east, other.east),
  }
}

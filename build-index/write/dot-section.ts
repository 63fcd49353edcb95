/** The DOTS section: boxes around the positions of each country's codes, in an order that keeps neighbours together. */
import { isPlaced, latitude, longitude } from '../../src/format/code-record.ts'
import type { CountryRanges } from '../../src/format/meta.ts'
import { bitsOf, putEntry } from '../../src/format/name-order.ts'
import { nearOrder } from '../../src/format/near-order.ts'
import {
  type Frame,
  NEAR_FANOUT,
  nearLevels,
  orderWords,
  POINT_CODES_MAX,
  packBox,
  packFrame,
  packPoint,
} from '../../src/format/near-tree.ts'
import { GrowableU32 } from './growable.ts'

/** What stands for the frame of a country without positions: south above north. */
const NO_FRAME: Frame = { south: 1, west: 0, north: 0, east: 0 }
/** Above every longitude in millionths of a degree. */
const LONGITUDES = 2 ** 30

type Ranges = Pick<CountryRanges, 'codeStart' | 'codeCount'>

/** A position and codes that lie there, ascending, as numbers within their country. */
interface Point {
  readonly north: number
  readonly east: number
  readonly codes: number[]
}

/** @param codes the section CODE @param countries in the order of CTRY */
export function dotSection(codes: Uint32Array, countries: readonly Ranges[]): Uint8Array {
  const out = new GrowableU32()
  for (const country of countries) writeCountry(out, country.codeCount, pointsOf(codes, country))
  return out.bytes()
}

/** The points of a country, in the order of the section. */
function pointsOf(codes: Uint32Array, { codeStart, codeCount }: Ranges): Point[] {
  const points: Point[] = []
  /** The last point at each position. */
  const known = new Map<number, Point>()
  for (let number = 0; number < codeCount; number++) {
    const code = codeStart + number
    if (!isPlaced(codes, code)) continue
    const [north, east] = [latitude(codes, code), longitude(codes, code)]
    const position = north * LONGITUDES + east
    const point = known.get(position)
    if (point !== undefined && point.codes.length < POINT_CODES_MAX) point.codes.push(number)
    else {
      const added = { north, east, codes: [number] }
      known.set(position, added)
      points.push(added)
    }
  }
  const norths = Int32Array.from(points, ({ north }) => north)
  const easts = Int32Array.from(points, ({ east }) => east)
  return Array.from(nearOrder(norths, easts), number => points[number])
}

function writeCountry(out: GrowableU32, codeCount: number, points: readonly Point[]): void {
  let level: Frame[] = points.map(({ north, east }) => ({ south: north, west: east, north, east }))
  const frame = level.length === 0 ? NO_FRAME : level.reduce(around)
  const codes = points.flatMap(point => point.codes)
  for (const word of [...packFrame(frame), points.length, codes.length]) out.push(word)
  for (const _ of nearLevels(points.length)) {
    level = grouped(level)
    for (const box of level) for (const word of packBox(box, frame)) out.push(word)
  }
  let place = 0
  points.forEach(({ north, east, codes }, number) => {
    if (number % NEAR_FANOUT === 0) for (const word of [place, 0]) out.push(word)
    for (const word of packPoint(north, east, codes.length)) out.push(word)
    place += codes.length
  })
  const bits = bitsOf(codeCount)
  const order = new Uint32Array(orderWords(codes.length, bits))
  codes.forEach((code, place) => {
    putEntry(order, 0, place, bits, code)
  })
  for (const word of order) out.push(word)
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

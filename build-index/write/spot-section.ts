/** The SPOT section: boxes around the positions of each country's codes, in an order that keeps neighbours together. */
import { isPlaced, latitude, longitude } from '../../src/format/code-record.ts'
import type { CountryRanges } from '../../src/format/meta.ts'
import { bitsOf, putEntry } from '../../src/format/name-order.ts'
import { nearOrder } from '../../src/format/near-order.ts'
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

type Ranges = Pick<CountryRanges, 'codeStart' | 'codeCount'>

/** @param codes the section CODE @param countries in the order of CTRY */
export function spotSection(codes: Uint32Array, countries: readonly Ranges[]): Uint8Array {
  const out = new GrowableU32()
  for (const country of countries) writeCountry(out, codes, country)
  return out.bytes()
}

function writeCountry(out: GrowableU32, codes: Uint32Array, { codeStart, codeCount }: Ranges): void {
  const all = Array.from({ length: codeCount }, (_, number) => codeStart + number)
  const placed = all.filter(code => isPlaced(codes, code))
  const norths = Int32Array.from(placed, code => latitude(codes, code))
  const easts = Int32Array.from(placed, code => longitude(codes, code))
  const order = nearOrder(norths, easts)
  let level = Array.from(
    order,
    (i): Frame => ({ south: norths[i], west: easts[i], north: norths[i], east: easts[i] }),
  )
  const frame = level.length === 0 ? NO_FRAME : level.reduce(around)
  const bits = bitsOf(codeCount)
  for (const word of [...packFrame(frame), placed.length, bits]) out.push(word)
  for (const _ of nearLevels(placed.length)) {
    level = grouped(level)
    for (const box of level) for (const word of packBox(box, frame)) out.push(word)
  }
  const entries = new Uint32Array(orderWords(placed.length, bits))
  order.forEach((i, place) => {
    putEntry(entries, 0, place, bits, placed[i] - codeStart)
  })
  for (const word of entries) out.push(word)
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

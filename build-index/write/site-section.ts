/** The SITE section: boxes around the positions of each country's codes, in an order that keeps neighbours together. */
import { isPlaced, latitude, longitude } from '../../src/format/code-record.ts'
import type { CountryRanges } from '../../src/format/meta.ts'
import { nearOrder } from '../../src/format/near-order.ts'
import {
  type Frame,
  LEAF_CELL_WORDS,
  LEAF_WORDS,
  NEAR_FANOUT,
  packBox,
  packCell,
  packFrame,
  packSite,
  SITE_CODES_MAX,
  SITE_NUMBER_END,
} from '../../src/format/near-tree.ts'
import { GrowableU32 } from './growable.ts'

/** What stands for the frame of a country without positions: south above north. */
const NO_FRAME: Frame = { south: 1, west: 0, north: 0, east: 0 }

type Ranges = Pick<CountryRanges, 'codeStart' | 'codeCount'>

interface Site {
  readonly north: number
  readonly east: number
  /** The number of its first code in the country. */
  readonly number: number
  codes: number
}

/** @param codes the section CODE @param countries in the order of CTRY @throws RangeError for a country with too many codes */
export function siteSection(codes: Uint32Array, countries: readonly Ranges[]): Uint8Array {
  const out = new GrowableU32()
  for (const country of countries) writeCountry(out, sitesOf(codes, country))
  return out.bytes()
}

/** The sites of a country, in the order of the section. */
function sitesOf(codes: Uint32Array, { codeStart, codeCount }: Ranges): Site[] {
  if (codeCount > SITE_NUMBER_END)
    throw new RangeError(`a country has ${codeCount} codes, at most ${SITE_NUMBER_END} expected`)
  const sites: Site[] = []
  for (let number = 0; number < codeCount; number++) {
    const code = codeStart + number
    if (!isPlaced(codes, code)) continue
    const [north, east] = [latitude(codes, code), longitude(codes, code)]
    const last = sites.at(-1)
    const follows = last !== undefined && last.number + last.codes === number
    if (follows && last.north === north && last.east === east && last.codes < SITE_CODES_MAX) last.codes++
    else sites.push({ north, east, number, codes: 1 })
  }
  const norths = Int32Array.from(sites, ({ north }) => north)
  const easts = Int32Array.from(sites, ({ east }) => east)
  return Array.from(nearOrder(norths, easts), number => sites[number])
}

function writeCountry(out: GrowableU32, sites: readonly Site[]): void {
  const points: Frame[] = sites.map(({ north, east }) => ({ south: north, west: east, north, east }))
  const frame = points.length === 0 ? NO_FRAME : points.reduce(around)
  for (const word of [...packFrame(frame), sites.length]) out.push(word)
  const leaves = grouped(points)
  for (let level = leaves; ; level = grouped(level)) {
    for (const box of level) for (const word of packBox(box, frame)) out.push(word)
    if (level.length <= 1) break
  }
  leaves.forEach((box, leaf) => {
    const members = sites.slice(leaf * NEAR_FANOUT, (leaf + 1) * NEAR_FANOUT)
    for (const word of leafWords(members, packBox(box, frame), frame)) out.push(word)
  })
}

function leafWords(sites: readonly Site[], box: [number, number], frame: Frame): Uint32Array {
  const words = new Uint32Array(LEAF_WORDS)
  const cells = new Uint16Array(words.buffer)
  sites.forEach(({ north, east, number, codes }, i) => {
    cells[i] = packCell(north, east, box, frame)
    words[LEAF_CELL_WORDS + i] = packSite(number, codes)
  })
  return words
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

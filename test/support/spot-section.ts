/** The SPOT section as builders of version 3.2 wrote it: boxes around codes in an order of their own, each with one position. */
import { isPlaced, latitude, longitude } from '../../src/format/code-record.ts'
import type { CountryRanges } from '../../src/format/meta.ts'
import { bitsOf, putEntry } from '../../src/format/name-order.ts'
import { nearOrder } from '../../src/format/near-order.ts'
import { type Frame, nearLevels, orderWords, packBox, packFrame } from '../../src/format/near-tree.ts'
import { around, grouped } from './near-section.ts'

/** What stands for the frame of a country without positions: south above north. */
const NO_FRAME: Frame = { south: 1, west: 0, north: 0, east: 0 }

/** @param codes the section CODE @param countries in the order of CTRY */
export function spotSection(
  codes: Uint32Array,
  countries: readonly Pick<CountryRanges, 'codeStart' | 'codeCount'>[],
): Uint8Array {
  const words = countries.flatMap(({ codeStart, codeCount }) => {
    const placed = Array.from({ length: codeCount }, (_, i) => codeStart + i).filter(code =>
      isPlaced(codes, code),
    )
    const norths = Int32Array.from(placed, code => latitude(codes, code))
    const easts = Int32Array.from(placed, code => longitude(codes, code))
    const order = Array.from(nearOrder(norths, easts))
    let level: Frame[] = order.map(i => ({
      south: norths[i],
      west: easts[i],
      north: norths[i],
      east: easts[i],
    }))
    const frame = level.length === 0 ? NO_FRAME : level.reduce(around)
    const bits = bitsOf(codeCount)
    const boxes = nearLevels(placed.length).flatMap(() => {
      level = grouped(level)
      return level.flatMap(box => packBox(box, frame))
    })
    const entries = new Uint32Array(orderWords(placed.length, bits))
    order.forEach((i, place) => {
      putEntry(entries, 0, place, bits, placed[i] - codeStart)
    })
    return [...packFrame(frame), placed.length, bits, ...boxes, ...entries]
  })
  return new Uint8Array(Uint32Array.from(words).buffer)
}

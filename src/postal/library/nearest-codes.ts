/** Finds the postal codes around a point, for `/api/nearest`. */

import { CODE_KINDS, DEGREE_SCALE, latitude, longitude, nameOfCode } from '../format/code-entry.ts'
import { formOfCode } from '../index/codes/written.ts'
import { type CodeOf, findNearest, metresBetween } from '../index/nearest.ts'
import type { PostalIndex } from '../index/postal-index.ts'
import { plainText } from '../index/text-section.ts'
import { NEAREST_DEFAULT, RADIUS_KM_MAX } from '../limits.ts'
import { checkedNumber, checkedWhole, describe } from './number-options.ts'
import type { NearCode, NearestOptions } from './records.ts'

/** Maximum number of results of nearest in process: 8,000 ZIP codes lie within 300 miles of New York. */
const NEAREST_IN_PROCESS_MAX = 10_000
/** Maximum radius in kilometres for rare kinds of codes. A wider search would read all codes of the world. */
const RARE_KIND_KM_MAX = 100

const METRES_PER_KM = 1000

/** Point in millionths of a degree. */
export interface Point {
  north: number
  east: number
  /** Code whose point it is. It is no result. */
  own?: CodeOf | undefined
}

export function kilometresBetween(from: Point, to: Point): number {
  return Math.round(metresBetween(from.north, from.east, to.north, to.east)) / METRES_PER_KM
}

/** @throws RangeError unless it is a point in degrees */
export function pointOf(degrees: { latitude: number; longitude: number }): Point {
  return {
    north: Math.round(checkedNumber('latitude', degrees.latitude, -90, 90) * DEGREE_SCALE),
    east: Math.round(checkedNumber('longitude', degrees.longitude, -180, 180) * DEGREE_SCALE),
  }
}

/** @param cc two capitals; undefined for any country @throws RangeError for a radius or limit out of range */
export function nearestCodes(
  index: PostalIndex,
  { north, east, own }: Point,
  cc: string | undefined,
  { radius, limit, kind }: NearestOptions,
): NearCode[] {
  const asked = checkedNumber('radius', radius ?? RADIUS_KM_MAX, 0, RADIUS_KM_MAX)
  if (kind != null && !CODE_KINDS.includes(kind))
    throw new RangeError(`kind is ${describe(kind)}, one of ${CODE_KINDS.slice(1).join(', ')} expected`)
  const km = kind && kind !== 'street' ? Math.min(RARE_KIND_KM_MAX, asked) : asked
  const most = checkedWhole('limit', limit, 1, NEAREST_IN_PROCESS_MAX, NEAREST_DEFAULT)
  const find = (count: number) => {
    // Without a spread, with which the search takes a third longer.
    const query = { north, east, own, cc, radius: km * METRES_PER_KM, limit: count, kind: kind || undefined }
    return findNearest(index, query).map(
      ({ code, country, metres }): NearCode => ({
        postalCode: formOfCode(index, country, code),
        country: country.cc,
        placeName: plainText(index.text, nameOfCode(index, country, code)),
        latitude: latitude(index.codes, code) / DEGREE_SCALE,
        longitude: longitude(index.codes, code) / DEGREE_SCALE,
        distance: Math.round(metres) / METRES_PER_KM,
      }),
    )
  }
  const near = find(most)
  if (cc !== undefined) return near
  const first = near.filter(isFirst)
  if (near.length < most || first.length === most) return first
  // A code is in at most two countries, so twice as many are always enough.
  const more = find(2 * most)
  return more.filter(isFirst).slice(0, most)
}

/** Returns false for a code listed before, in the other country of its postal union: 00901 of PR and US. */
function isFirst({ postalCode, distance }: NearCode, i: number, all: readonly NearCode[]): boolean {
  for (let at = i - 1; at >= 0 && all[at].distance === distance; at--)
    if (all[at].postalCode === postalCode) return false
  return true
}

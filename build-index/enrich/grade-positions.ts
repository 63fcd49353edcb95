/** How exact the position of each code is, judged by what other codes have there and by the gazetteer, not by its source alone. */
import { distanceKm } from '../distance.ts'
import type { CodeDraft, PlaceDraft } from '../rows/drafts.ts'

/** GeoNames' scale, which rows use: 1 is an estimate, 5 and 6 are the middle of the code's own addresses. */
export const ESTIMATED = 1
const OWN_MIN = 5
/** Ten metres, in degrees: nearer points are one. */
const POINT_DEGREES = 1e-4
/** A position this near to the gazetteer's place of its name is that of the place; and so near, it has been taken from there. */
export const AT_PLACE_KM = 3
const SAME_POINT_KM = 0.1

/**
 * Grades the positions of a country's codes. An estimate, and a point that codes of several places share, is an area's, unless the
 * gazetteer has the place there. A point that only one code has is that code's own where its source says so, or where its place has other
 * codes at other points: then it cannot be the place's. All others are the place's. Costs about a microsecond a code.
 */
export function gradePositions(codes: readonly CodeDraft[]): void {
  const points = new Map<number, Point>()
  /** The first point of each place, and whether it has others. */
  const spread = new Map<PlaceDraft, { at: number; isSpread: boolean }>()
  for (const { lat, lon, places } of codes) {
    if (Number.isNaN(lat)) continue
    const [place] = places
    const at = pointOf(lat, lon)
    const point = points.get(at)
    if (point === undefined) points.set(at, { key: place.key, codes: 1, isShared: false })
    else {
      point.codes++
      point.isShared ||= point.key !== place.key
    }
    const first = spread.get(place)
    if (first === undefined) spread.set(place, { at, isSpread: false })
    else first.isSpread ||= first.at !== at
  }
  for (const code of codes) {
    const point = points.get(pointOf(code.lat, code.lon))
    if (point === undefined) code.grade = ''
    else if (code.accuracy === ESTIMATED || point.isShared)
      code.grade = isAtPlace(code, AT_PLACE_KM) ? 'place' : 'area'
    else if (point.codes > 1 || isAtPlace(code, SAME_POINT_KM)) code.grade = 'place'
    else if (code.isFound) code.grade = 'place'
    else code.grade = code.accuracy >= OWN_MIN || spread.get(code.places[0])?.isSpread ? 'code' : 'place'
  }
}

interface Point {
  /** City key of the place of its first code. */
  key: string
  codes: number
  /** True if codes of another place lie there too. */
  isShared: boolean
}

/** A number for the square of ten metres that a position in degrees lies in. */
export function pointOf(lat: number, lon: number): number {
  return Math.round(lat / POINT_DEGREES) * 1e7 + Math.round(lon / POINT_DEGREES)
}

export function isAtPlace({ lat, lon, places }: CodeDraft, km: number): boolean {
  const { city } = places[0]
  return city != null && distanceKm(lat, lon, city.lat, city.lon) <= km
}

/** How far from an estimate the code may lie, in km, for the estimate to be kept. */
const REACH_MAX_KM = 30

/** True if the position of a code is an estimate that may be too far off to be given. */
export function isRough({ reachKm }: CodeDraft): boolean {
  return reachKm > REACH_MAX_KM
}

/**
 * Leaves out the positions that are too rough. It comes last, because the time zone of a region, and the city that its codes belong to,
 * follow from them all the same.
 */
export function withdrawRoughEstimates(codes: readonly CodeDraft[]): void {
  for (const code of codes) {
    if (!isRough(code)) continue
    code.setPosition(Number.NaN, Number.NaN, 0)
    code.grade = ''
  }
}

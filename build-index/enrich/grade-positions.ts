/** Grades positions by other codes and by the gazetteer, not by their source alone. */
import { kmBetween } from '../distance.ts'
import type { CodeDraft, PlaceDraft } from '../rows/drafts.ts'
import { AT_PLACE_KM, REACH_MAX_KM, SAME_POINT_KM } from '../thresholds.ts'
import type { CountryDraft } from './country-draft.ts'

/** GeoNames' scale of accuracy. */
export const ESTIMATED = 1
export const MEASURED = 6
const OWN_MIN = 5
/** Ten metres in degrees; nearer points are one. */
const POINT_DEGREES = 1e-4

/**
 * Grades positions as `code`, `place` or `area`. A shared point or an estimate is an area's, unless the gazetteer has
 * the place there. A point of one code is its own if the source says so, or if its place has codes elsewhere. All
 * others are the place's.
 */
export function gradePositions({ codes }: CountryDraft): void {
  const points = new Map<number, CodesAtPoint>()
  /** First point of each place; `isSpread` if there are others. */
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
    else if (point.codes > 1 || code.isDerived || isAtPlace(code, SAME_POINT_KM)) code.grade = 'place'
    else code.grade = code.accuracy >= OWN_MIN || spread.get(code.places[0])?.isSpread ? 'code' : 'place'
  }
}

interface CodesAtPoint {
  key: string
  codes: number
  /** True if codes of another place share the point. */
  isShared: boolean
}

/** Returns the number of the square of ten metres around a position. */
export function pointOf(lat: number, lon: number): number {
  return Math.round(lat / POINT_DEGREES) * 1e7 + Math.round(lon / POINT_DEGREES)
}

export function isAtPlace(code: CodeDraft, km: number): boolean {
  const { city } = code.places[0]
  return city != null && kmBetween(code, city) <= km
}

export function isRough({ reachKm }: CodeDraft): boolean {
  return reachKm > REACH_MAX_KM
}

/** Removes positions that are too rough. Time zones and cities are derived from them before. */
export function withdrawRoughEstimates({ codes }: CountryDraft): void {
  for (const code of codes) {
    if (!isRough(code)) continue
    code.setPosition(Number.NaN, Number.NaN, 0)
    code.grade = ''
  }
}

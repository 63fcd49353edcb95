/** Grades positions by other codes and by the gazetteer, not by their source alone. */
import type { City } from '../../datasets/reference/cities-500.ts'
import { kmBetween, type Point } from '../distance.ts'
import type { PlaceDraft } from '../rows/places.ts'
import { ESTIMATED, type Position } from '../rows/position.ts'
import { AT_PLACE_KM, REACH_MAX_KM, SAME_POINT_KM } from '../thresholds.ts'
import type { PlacedCode } from './placed-code.ts'

const OWN_MIN = 5
/** Ten metres in degrees; nearer points are one. */
const POINT_DEGREES = 1e-4

/**
 * Grades positions as `code`, `place` or `area`. A shared point or an estimate is an area's, unless the gazetteer has
 * the place there. A point of one code is its own if the source says so, or if its place has codes elsewhere. All
 * others are the place's.
 */
export function graded(codes: readonly PlacedCode[]): Position[] {
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
  return codes.map(({ position, places: [place] }) => {
    const { accuracy, isDerived } = position
    const point = points.get(pointOf(position.lat, position.lon))
    const isNear = (km: number) => isAtPlace(place.city, position, km)
    const gradeOf = () => {
      if (point === undefined) return ''
      if (accuracy === ESTIMATED || point.isShared) return isNear(AT_PLACE_KM) ? 'place' : 'area'
      if (point.codes > 1 || isDerived || isNear(SAME_POINT_KM)) return 'place'
      return accuracy >= OWN_MIN || spread.get(place)?.isSpread ? 'code' : 'place'
    }
    return { ...position, grade: gradeOf() }
  })
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

/** Returns true if `at` lies at a place of the gazetteer. */
export function isAtPlace(city: City | null | undefined, at: Point, km: number): boolean {
  return city != null && kmBetween(at, city) <= km
}

/** Returns true for an estimate that is too rough for an answer. It still tells time zones and cities. */
export function isRough({ reachKm }: Position): boolean {
  return reachKm > REACH_MAX_KM
}

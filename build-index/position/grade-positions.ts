/** Grades positions by other codes and by the gazetteer, not by their source alone. */
import { getOrMake } from '../../datasets/maps.ts'
import { ESTIMATED } from '../../datasets/row.ts'
import { isPlaced } from '../distance.ts'
import { isAtPlace } from '../gazetteer/gazetteer.ts'
import type { Code, GradedCode } from '../rows/code.ts'
import type { Place } from '../rows/places.ts'
import { type GradedPosition, pointOf } from '../rows/position.ts'
import { AT_PLACE_KM, SAME_POINT_KM } from '../thresholds.ts'

const OWN_MIN = 5

export function gradePositions(codes: readonly Code[]): readonly GradedCode[] {
  const positions = gradedPositions(codes)
  return codes.map((code, i) => ({ ...code, position: positions[i] }))
}

/**
 * Grades positions as `code`, `place` or `area`. A shared point or an estimate is an area's, unless the
 * gazetteer has the place there. A point of one code is its own if the source says so, or if its place has
 * codes elsewhere. All others are the place's.
 */
export function gradedPositions(codes: readonly Code[]): readonly GradedPosition[] {
  /** Codes at each point, shared by codes of another place or not. */
  const points = new Map<number, { key: string; codes: number; isShared: boolean }>()
  /** First point of each place; `isSpread` if there are others. */
  const spread = new Map<Place, { at: number; isSpread: boolean }>()
  for (const { position, places } of codes) {
    if (!isPlaced(position)) continue
    const [place] = places
    const at = pointOf(position.lat, position.lon)
    const point = getOrMake(points, at, () => ({ key: place.key, codes: 0, isShared: false }))
    point.codes++
    point.isShared ||= point.key !== place.key
    const first = getOrMake(spread, place, () => ({ at, isSpread: false }))
    first.isSpread ||= first.at !== at
  }
  return codes.map(({ position, places: [place] }) => {
    const { statedAccuracy, isDerived } = position
    const point = points.get(pointOf(position.lat, position.lon))
    const isNear = (km: number) => isAtPlace(place.city, position, km)
    const gradeOf = () => {
      if (point === undefined) return ''
      if (statedAccuracy === ESTIMATED || point.isShared) return isNear(AT_PLACE_KM) ? 'place' : 'area'
      if (point.codes > 1 || isDerived || isNear(SAME_POINT_KM)) return 'place'
      return statedAccuracy >= OWN_MIN || spread.get(place)?.isSpread ? 'code' : 'place'
    }
    return { ...position, accuracy: gradeOf() }
  })
}

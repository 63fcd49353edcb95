/** Replaces positions that their areas or their neighbours by code contradict, or makes them rough. */
import { mostFrequent, sumOf } from '../../datasets/maps.ts'
import { kmBetween, type Point } from '../distance.ts'
import type { Areas, CodeDraft } from '../rows/drafts.ts'
import { AREA_KM_MAX, AROUND_KM, AT_PLACE_KM, FAR_KM, NEAREST_KM, ROUNDS } from '../thresholds.ts'
import { type CountryDraft, codesAtHome } from './country-draft.ts'
import type { AreaNumbers } from './gazetteer.ts'
import { ESTIMATED, isAtPlace } from './grade-positions.ts'
import { type Division, LEVEL_1, LEVEL_2, positionVotes, type Votes } from './learn-areas.ts'
import { Middles, scattered } from './middles.ts'

/**
 * Mends positions that codes nearby contradict. An estimate is mended if it is far from its neighbours or outside its areas.
 * A source's point must be both. A position at its place in the gazetteer stays.
 */
export function mendContradicted(draft: CountryDraft): void {
  const codes = codesAtHome(draft)
  const levels = [LEVEL_1, LEVEL_2]
  const votes = positionVotes(codes, draft.gazetteer, levels)
  const tests = levels.map((level, i) => outsideTestOf(draft, level, votes[i]))
  for (let round = 0; round < ROUNDS; round++) mendOnce(codes, new Middles(codes, draft.extents), tests)
}

/** Tells if a position is near another area and far from its own. */
type IsOutside = (admin: Areas, at: Point) => boolean

function mendOnce(codes: readonly CodeDraft[], middles: Middles, tests: readonly IsOutside[]): void {
  for (const [i, code] of codes.entries()) {
    if (
      Number.isNaN(code.lat) ||
      code.reachKm === Number.POSITIVE_INFINITY ||
      code.grade === 'code' ||
      isAtPlace(code, AT_PLACE_KM)
    )
      continue
    const [{ admin }] = code.places
    const [neighbours, area] = [scattered(middles.neighbours(i)), middles.anyOfArea(code)]
    const isFar = (at: Point) => neighbours !== null && kmBetween(at, neighbours) > FAR_KM
    const isElsewhere = (at: Point) =>
      tests.some(isOutside => isOutside(admin, at)) || (area !== null && kmBetween(at, area) > AREA_KM_MAX)
    const far = isFar(code)
    if (code.grade === 'area' ? !far && !isElsewhere(code) : !far || !isElsewhere(code)) continue
    const [better] = [neighbours, area]
      .filter(middle => middle !== null)
      .filter(middle => !isFar(middle) && !isElsewhere(middle))
      .sort((a, b) => a.reachKm() - b.reachKm())
    if (better === undefined) code.reachKm = Number.POSITIVE_INFINITY
    else code.setPosition(better.lat, better.lon, ESTIMATED, better.reachKm())
    code.grade = 'area'
  }
}

/** Returns the test of one level. The area of the gazetteer with most codes of a label is its own. */
function outsideTestOf({ gazetteer, extents }: CountryDraft, { labelOf }: Division, votes: Votes): IsOutside {
  const own = new Map<string, AreaNumbers>()
  for (const [label, counts] of votes) {
    const main = mostFrequent(counts) ?? ''
    if ((counts.get(main) ?? 0) > sumOf(counts) / 2) own.set(label, new Set([main]))
  }
  return (admin, { lat, lon }) => {
    const areas = own.get(labelOf(admin))
    if (areas === undefined || extents.nearestIn(areas, lat, lon, AROUND_KM) !== null) return false
    return gazetteer.nearest(lat, lon, NEAREST_KM) !== null
  }
}

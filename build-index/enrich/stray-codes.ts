/**
 * Corrects rows that are about a namesake or another city, as the codes around them tell:
 *
 *   SE 43102  Mölndal    Västra Götaland  57.66,12.01
 *   SE 43121  Stockholm  Stockholm        59.33,18.05   400 km from all others: nameless, in Västra Götaland
 *   SE 43130  Mölndal    Västra Götaland  57.66,12.01
 */
import { areaKey } from '../../src/postal/text/area.ts'
import { cityKey } from '../../src/postal/text/city.ts'
import { kmBetween } from '../distance.ts'
import { ascending } from '../model.ts'
import { ESTIMATED } from '../position/grade.ts'
import { type Areas, type CodeDraft, type PlaceDraft, UNPLACED } from '../rows/drafts.ts'
import { CITY_POPULATION_MIN, FAR_KM, NEIGHBOUR_SPREAD_KM, NEIGHBOURS, WITNESSES_MIN } from '../thresholds.ts'
import type { CountryDraft } from './country-draft.ts'

/** Moves a code whose estimate is far from its neighbours, all of another area, to their area. Its place there has the same name, or none. */
export function correctStrays({ codes: all, pool, gazetteer, extents }: CountryDraft): void {
  const codes = ascending(all)
  const strays: [code: CodeDraft, area: Areas][] = []
  for (const [i, code] of codes.entries()) {
    const { position, places } = code
    if (position.accuracy !== ESTIMATED || places.length > 1) continue
    const beside = [...codes.slice(Math.max(0, i - NEIGHBOURS), i), ...codes.slice(i + 1, i + 1 + NEIGHBOURS)]
    const area = beside.length === 2 * NEIGHBOURS ? sharedArea(beside, places[0]) : undefined
    const placed = beside.filter(({ lat }) => !Number.isNaN(lat))
    const isFar = placed.length >= WITNESSES_MIN && placed.every(other => kmBetween(position, other) > FAR_KM)
    const isTogether = placed.every(other => kmBetween(placed[0], other) <= 2 * NEIGHBOUR_SPREAD_KM)
    if (area !== undefined && isFar && isTogether) strays.push([code, area])
  }
  for (const [code, area] of strays) {
    const { name } = code.places[0]
    const named = gazetteer.named(cityKey(name))
    const isThere = named.some(({ lat, lon }) => extents.holds(area, lat, lon))
    // A village has namesakes. The name of a city means the city.
    const isWrong = !isThere && named.some(({ population }) => population >= CITY_POPULATION_MIN)
    code.replace(0, pool.place(isWrong ? '' : name, area, []))
    code.settleAt(UNPLACED)
  }
}

/** Returns the areas that all codes share, and `place` has not; undefined if there are none. */
function sharedArea([first, ...others]: readonly CodeDraft[], { admin: own }: PlaceDraft): Areas | undefined {
  const [{ admin }] = first.places
  for (const name of ['name2', 'name1'] as const) {
    const key = areaKey(admin[name])
    if (key === '' || own[name] === '' || key === areaKey(own[name])) continue
    if (others.every(({ places }) => areaKey(places[0].admin[name]) === key)) return admin
  }
  return undefined
}

/**
 * Corrects rows that are about a namesake or another city, as the codes around them tell:
 *
 *   SE 43102  Mölndal    Västra Götaland  57.66,12.01
 *   SE 43121  Stockholm  Stockholm        59.33,18.05   400 km from all others: nameless, in Västra Götaland
 *   SE 43130  Mölndal    Västra Götaland  57.66,12.01
 */
import { ESTIMATED } from '../../datasets/row.ts'
import { areaKey } from '../../src/postal/text/area.ts'
import { cityKey } from '../../src/postal/text/city.ts'
import { isPlaced, kmBetween } from '../distance.ts'
import { ascending } from '../model.ts'
import { type ListedCode, withFirstPlace } from '../rows/code.ts'
import type { Areas, Place, PlacePool } from '../rows/places.ts'
import { UNPLACED } from '../rows/position.ts'
import { AGREEING_MIN, CITY_POPULATION_MIN, FAR_KM, NEIGHBOUR_SPREAD_KM, NEIGHBOURS } from '../thresholds.ts'
import type { Country } from './country.ts'

/**
 * Moves a code to the area of its neighbours if all of them are of one other area, and its estimate is far from them. Its
 * place there has the same name, or none.
 */
export function correctStrays(
  all: readonly ListedCode[],
  { pool, gazetteer, extents }: Country,
): readonly ListedCode[] {
  const codes = ascending(all)
  const strays = new Map<ListedCode, Areas>()
  for (const [i, code] of codes.entries()) {
    const { position, places } = code
    if (position.statedAccuracy !== ESTIMATED || places.length > 1) continue
    const beside = [...codes.slice(Math.max(0, i - NEIGHBOURS), i), ...codes.slice(i + 1, i + 1 + NEIGHBOURS)]
    const placed = beside.map(({ position }) => position).filter(isPlaced)
    const isFar = placed.length >= AGREEING_MIN && placed.every(other => kmBetween(position, other) > FAR_KM)
    const isTogether = placed.every(other => kmBetween(placed[0], other) <= 2 * NEIGHBOUR_SPREAD_KM)
    if (beside.length < 2 * NEIGHBOURS || !isFar || !isTogether) continue
    const area = sharedArea(beside, places[0], pool)
    if (area !== undefined) strays.set(code, area)
  }
  return all.map(code => {
    const area = strays.get(code)
    if (area === undefined) return code
    const { name } = code.places[0]
    const named = gazetteer.named(cityKey(name))
    const isThere = named.some(({ lat, lon }) => extents.holds(area, lat, lon))
    // A village has namesakes. The name of a city means the city.
    const isWrong = !isThere && named.some(({ population }) => population >= CITY_POPULATION_MIN)
    return { ...withFirstPlace(code, pool.place(isWrong ? '' : name, area)), position: UNPLACED }
  })
}

/** Returns the areas that all codes share, if `place` has another one; undefined if there are none. */
function sharedArea(codes: readonly ListedCode[], { admin: own }: Place, pool: PlacePool): Areas | undefined {
  const { name1, code1, name2, code2 } = codes[0].places[0].admin
  const isShared = (name: 'name1' | 'name2') => {
    const keys = new Set(codes.map(({ places }) => areaKey(places[0].admin[name])))
    return keys.size === 1 && !keys.has('')
  }
  const isOther = (name: 'name1' | 'name2', shared: string) =>
    own[name] !== '' && areaKey(own[name]) !== areaKey(shared)
  const [isShared1, isShared2] = [isShared('name1'), isShared('name2')]
  if (!(isShared2 && isOther('name2', name2)) && !(isShared1 && isOther('name1', name1))) return undefined
  const level2 = isShared2 ? { name2, code2 } : { name2: '', code2: '' }
  return pool.admin({ name1, code1, ...level2, name3: '', code3: '' })
}

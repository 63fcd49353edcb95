import type { City } from '../../datasets/reference/cities-500.ts'
import { NOWHERE } from '../../datasets/row.ts'
import { cityKey } from '../../src/postal/text/city.ts'
import type { AreaExtents } from '../areas/area-extents.ts'
import type { Country } from '../areas/country.ts'
import { isPlaced, type Point } from '../distance.ts'
import type { Gazetteer, Hint } from '../gazetteer/gazetteer.ts'
import { type ListedCode, positionOf } from '../rows/code.ts'
import type { Areas, Place } from '../rows/places.ts'
import { spellings } from './spellings.ts'

/** Joins every place with the gazetteer; `city` is null where no entry fits. */
export function joinPlaces(
  codes: readonly ListedCode[],
  { cc, gazetteer, extents }: Country,
): readonly ListedCode[] {
  const spots = new Map<Place, Point>()
  for (const code of codes)
    for (const [i, place] of code.places.entries()) {
      // Codes of one place lie close together.
      const known = spots.get(place)
      if (known !== undefined && isPlaced(known)) continue
      const { lat, lon } = positionOf(code, i)
      spots.set(place, extents.holds(place.admin, lat, lon) ? { lat, lon } : NOWHERE)
    }
  for (const [place, spot] of spots) {
    const hint = hintOf(place.admin, spot, extents)
    const city = findByNames(cc, place, gazetteer, hint)
    // Without a position, the level-2 area decides between places of one name.
    const isUnplaced = !isPlaced(spot) && extents.knowsLevel2(place.admin)
    const isElsewhere = city !== null && isUnplaced && !extents.mayHave(place.admin, city)
    if (!isElsewhere) place.learn([], city)
  }
  return codes
}

/** Returns the evidence about a place in the areas of `admin`, at a known or unknown position. */
export function hintOf(admin: Areas, { lat, lon }: Point, extents: AreaExtents): Hint {
  return { lat, lon, areas: extents.areasOf(admin), codes: [admin.code3, admin.code2] }
}

/** Returns the place of the gazetteer that a name means, or another name or spelling of it; null for none. */
export function findByNames(
  country: string,
  { name, key, aliases }: Place,
  gazetteer: Gazetteer,
  hint: Hint,
): City | null {
  if (key === '') return null
  const own = gazetteer.find(key, hint)
  if (own !== null) return own
  for (const candidate of [...aliases, ...spellings(country, name)]) {
    const city = gazetteer.find(cityKey(candidate), hint)
    if (city !== null) return city
  }
  return null
}

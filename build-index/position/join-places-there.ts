import type { City } from '../../datasets/reference/cities-500.ts'
import type { Country } from '../areas/country.ts'
import { isPlaced } from '../distance.ts'
import { isAtPlace } from '../gazetteer/gazetteer.ts'
import { findByNames, hintOf } from '../places/join-places.ts'
import type { Code } from '../rows/code.ts'
import type { Place } from '../rows/places.ts'
import { isRough } from '../rows/position.ts'
import { AT_PLACE_KM } from '../thresholds.ts'

/**
 * Joins a first place with the town of its name if all codes of the place lie at that town. Runs after positions are
 * decided, because rows err: one has Sark at Alderney.
 */
export function joinPlacesThere(
  codes: readonly Code[],
  { cc, gazetteer, extents }: Country,
): readonly Code[] {
  const found = new Map<Place, City | null>()
  for (const { position, places } of codes) {
    const [place] = places
    if (place.city || found.get(place) === null) continue
    const isSure = isPlaced(position) && !isRough(position)
    const city = isSure ? findByNames(cc, place, gazetteer, hintOf(place.admin, position, extents)) : null
    const isThere = isAtPlace(city, position, AT_PLACE_KM) && (found.get(place) ?? city) === city
    found.set(place, isThere ? city : null)
  }
  for (const [place, city] of found) place.learn([], city)
  return codes
}

import type { City } from '../../datasets/reference/cities-500.ts'
import { isAtPlace } from '../gazetteer/gazetteer.ts'
import type { CountryDraft } from '../places/code-draft.ts'
import { findByNames, hintOf } from '../places/join-places.ts'
import type { PlaceDraft } from '../rows/places.ts'
import { isRough } from '../rows/position.ts'
import { AT_PLACE_KM } from '../thresholds.ts'

/**
 * Joins a first place with the town of its name if all codes of the place lie at that town. Call after the positions are decided: a
 * row had Sark at Alderney.
 */
export function joinPlacesThere({ country, codes, gazetteer, extents }: CountryDraft): void {
  const found = new Map<PlaceDraft, City | null>()
  for (const code of codes) {
    const [place] = code.places
    if (place.city || found.get(place) === null) continue
    const isPlaced = !Number.isNaN(code.lat) && !isRough(code.position)
    const city = isPlaced ? findByNames(country, place, gazetteer, hintOf(place.admin, code, extents)) : null
    const isThere = isAtPlace(city, code, AT_PLACE_KM) && (found.get(place) ?? city) === city
    found.set(place, isThere ? city : null)
  }
  for (const [place, city] of found) place.city ??= city
}

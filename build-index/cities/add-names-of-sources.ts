import { memoised } from '../../datasets/maps.ts'
import type { City } from '../../datasets/reference/cities-500.ts'
import { cityKey } from '../../src/postal/text/city.ts'
import type { Country } from '../areas/country.ts'
import { kmBetween } from '../distance.ts'
import { radiusKm } from '../gazetteer/gazetteer.ts'
import { isOwnTown } from '../places/city-rules.ts'
import type { GradedCode } from '../rows/code.ts'
import { firstPartOf } from '../rows/code-rules.ts'
import { AGREED_KM, AREA_FACTOR, AT_PLACE_KM, POPULATION_MIN } from '../thresholds.ts'
import type { Gains } from './gains.ts'

/**
 * Adds the towns that weaker sources name for a code, in or beside their circles, and those that they name for its
 * first part, if near: LS14 3AA has Leeds by LS14.
 */
export function addNamesOfSources(
  codes: readonly GradedCode[],
  { cc, towns, gazetteer, extents }: Country,
  gains: Gains,
): void {
  const firstPart = firstPartOf(cc)
  const keyOf = memoised(cityKey)
  for (const code of codes) {
    const { lat, lon } = code.position
    const hint = { lat, lon, areas: extents.areasOf(code.places[0].admin), codes: [] }
    const add = (name: string, isNear: (city: City, km: number) => boolean) => {
      const key = keyOf(name)
      const city = gains.placesOf(code).some(place => place.key === key) ? null : gazetteer.find(key, hint)
      if (city !== null && city.population >= POPULATION_MIN && isNear(city, kmBetween(hint, city)))
        gains.add(code, [city])
    }
    const hasTown = (city: City) =>
      gains.placesOf(code).some(place => place.city && isOwnTown(place.city, city))
    for (const name of towns.get(code.key) ?? [])
      add(
        name,
        (city, km) =>
          km <= AREA_FACTOR * radiusKm(city, AT_PLACE_KM) &&
          (gains.placesOf(code).length > 1 || !hasTown(city)),
      )
    for (const name of towns.get(firstPart(code.key)) ?? []) add(name, (_, km) => km <= AGREED_KM)
  }
}

import { addTo, memoised } from '../../datasets/maps.ts'
import type { City } from '../../datasets/reference/cities-500.ts'
import { ESTIMATED } from '../../datasets/row.ts'
import { areaKey } from '../../src/postal/text/area.ts'
import { cityKey, cityWords } from '../../src/postal/text/city.ts'
import type { AreaExtents } from '../areas/area-extents.ts'
import type { Country } from '../areas/country.ts'
import { isPlaced, kmBetween } from '../distance.ts'
import { keysOfBeginnings, radiusKm } from '../gazetteer/gazetteer.ts'
import { isOwnTown } from '../places/city-rules.ts'
import type { GradedCode } from '../rows/code.ts'
import { firstPartOf } from '../rows/code-rules.ts'
import type { Areas, Place } from '../rows/places.ts'
import { NAMED_BY_POST } from '../rows/us-states.ts'
import {
  AGREED_KM,
  AREA_FACTOR,
  AREA_POPULATION_MIN,
  AT_PLACE_KM,
  ESTIMATED_AREA_KM,
  LARGE_CODE_KM,
  NEAREST_KM,
  NEAREST_POPULATION_MIN,
  POPULATION_MIN,
  SAME_PLACE_KM,
} from '../thresholds.ts'
import type { Gains } from './gains.ts'

/** Maximum words of a city's name at the start of a part's: `Rahim Yar Khan Gpo`. */
const CITY_WORDS_MAX = 4

/**
 * Adds cities to codes with a place or an area that has their name.
 * @param missing cities that no place stands for
 */
export function addByNames(
  codes: readonly GradedCode[],
  { cc, extents }: Country,
  cities: readonly City[],
  missing: ReadonlySet<City>,
  gains: Gains,
): void {
  const byName = citiesByName(NAMED_BY_POST.has(cc) ? missing : cities)
  const keysOf = memoised((area: string) => [cityKey(area), areaKey(area)])
  const namedBy = memoised((name: string): readonly City[] => {
    const keys = keysOfBeginnings(cityWords(name).slice(0, CITY_WORDS_MAX))
    return [...new Set(keys)].flatMap(key => byName.get(key) ?? [])
  })
  const namedByAreas = memoised((admin: Areas): readonly City[] => {
    // A province has other cities than the one of its name, a district has not.
    const below = new Set([admin.name2, admin.name3].flatMap(keysOf))
    const isMeant = (city: City, key: string) =>
      missing.has(city)
        ? city.population >= NEAREST_POPULATION_MIN
        : city.population >= AREA_POPULATION_MIN && below.has(key)
    return [...keysOf(admin.name1), ...below].flatMap(key =>
      (byName.get(key) ?? []).filter(city => isMeant(city, key) && extents.mayReach(admin, city)),
    )
  })
  for (const code of codes)
    for (const place of gains.placesOf(code)) {
      for (const city of namedBy(place.name)) {
        const isPart = missing.has(city)
          ? isPartOfMissing(code, place, city, extents)
          : isPartOf(code, place, city)
        if (isPart) gains.add(code, [city], place.admin)
      }
      for (const city of namedByAreas(place.admin)) {
        const isIn = missing.has(city) ? isInAreaOfMissing(code, city) : isInDistrictOf(code, place, city)
        if (isIn) gains.add(code, [city], place.admin)
      }
    }
}

/** Returns `cities` by the keys of their own names. */
export function citiesByName(cities: Iterable<City>): Map<string, City[]> {
  const byName = new Map<string, City[]>()
  for (const city of cities) for (const key of new Set(city.keys.slice(0, 2))) addTo(byName, key, city)
  return byName
}

/** Returns true for `Lahore Gpo` near Lahore, or where only an estimate says that it is not near. */
function isPartOfMissing(
  { position }: GradedCode,
  { admin }: Place,
  city: City,
  extents: AreaExtents,
): boolean {
  const isUnsure = position.statedAccuracy === ESTIMATED || !isPlaced(position)
  return kmBetween(position, city) <= SAME_PLACE_KM || (isUnsure && extents.mayReach(admin, city))
}

/** Returns true for `Košice-Juh` in or beside the circle of Košice. */
function isPartOf({ position }: GradedCode, place: Place, city: City): boolean {
  return kmBetween(position, city) <= radiusKm(city, NEAREST_KM) && !isOwn(place, city)
}

/** Returns true for a village in the province of İstanbul that lies near Istanbul. An estimate may be farther off. */
function isInAreaOfMissing({ position }: GradedCode, city: City): boolean {
  const km = position.statedAccuracy === ESTIMATED ? ESTIMATED_AREA_KM : LARGE_CODE_KM
  return !isPlaced(position) || kmBetween(position, city) <= km
}

/**
 * Returns true for the middle of a district with the city's name, in or around its circle. The middle does not tell on
 * which side of the circle the code lies.
 */
function isInDistrictOf({ position }: GradedCode, place: Place, city: City): boolean {
  const isNear = kmBetween(position, city) <= AREA_FACTOR * radiusKm(city, AT_PLACE_KM)
  return position.accuracy === 'area' && isNear && !isOwn(place, city)
}

/** Returns true for a place that is a town beside `city`. */
function isOwn({ city: town }: Place, city: City): boolean {
  return town !== null && isOwnTown(town, city)
}

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

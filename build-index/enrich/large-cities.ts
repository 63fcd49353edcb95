/**
 * Large cities that no row names, because the source has only their parts: `İstanbul` is the province of its rows, the
 * post offices of Lahore are `Lahore Gpo` and `Lahore Township`, of Tokyo there are the wards. The city becomes a further place
 * of its parts' codes, so that city search finds it; the codes are still answered with the part.
 */
import type { City } from '../../datasets/reference/cities-500.ts'
import { cityKey, cityWords } from '../../src/text/city.ts'
import { distanceKm } from '../distance.ts'
import type { AdminModel } from '../model.ts'
import type { CodeDraft, PlaceDraft, PlacePool } from '../rows/drafts.ts'
import type { AreaExtents } from './area-extents.ts'
import { type Gazetteer, SAME_PLACE_KM } from './gazetteer.ts'
import { areaKeys } from './primary-place.ts'

/** A smaller city that no row names is more likely to have no codes of its own. */
const POPULATION_MIN = 100_000
/** GeoNames' kinds of populated places that are none of their own or no more: sections, former and ruined ones. */
const NO_CITIES: ReadonlySet<string> = new Set(['PPLX', 'PPLH', 'PPLQ', 'PPLW', 'PPLCH'])
/** Words of a place's name that may be a city's: `Rahim Yar Khan Gpo`. */
const CITY_WORDS_MAX = 4
/** A province that is called like its city reaches further than the city does, and some of it still belongs to the city. */
const AREA_KM = 50
/** Positions of this accuracy are estimates, often the middle of a province: of Lahore's offices some lie 1,000 km away. */
const ACCURACY_ESTIMATED = 1
const ESTIMATED_AREA_KM = 100
/** People on a square kilometre: what makes a city of 1 million a circle of 8 km. */
const DENSITY = 5000
const RADIUS_MIN_KM = 3

/**
 * Adds to the codes of each missing city its place; returns how many cities gained codes. The parts of a city are, of
 * the codes in its level-1 area,
 *
 *   1. those with a place whose name begins with the city's, within 30 km or at an estimated position, or one of whose
 *      areas has its name, within 50 km, or 100 km when the position is an estimate;
 *   2. when there are none, those that lie within the circle that its people would fill.
 *
 * Costs a few hash look-ups a place, and a pass over all codes for each city of the second kind.
 */
export function addLargeCities(
  codes: readonly CodeDraft[],
  pool: PlacePool,
  gazetteer: Gazetteer,
  extents: AreaExtents,
): number {
  const missing = missingCities(codes, gazetteer)
  if (missing.length === 0) return 0
  const finder = new PartFinder(missing, extents)
  const gained = new Set<City>()
  for (const code of codes)
    for (const part of code.places)
      for (const city of finder.citiesOf(code, part)) {
        addCity(code, city, part.admin, pool)
        gained.add(city)
      }
  for (const city of missing) {
    if (gained.has(city)) continue
    for (const code of codes)
      if (finder.isInside(code, city)) {
        addCity(code, city, code.places[0].admin, pool)
        gained.add(city)
      }
  }
  return gained.size
}

/** Large cities that are nobody's place, and for whose name no place stands near. */
function missingCities(codes: readonly CodeDraft[], gazetteer: Gazetteer): City[] {
  const large = gazetteer.cities.filter(
    ({ population, kind }) => population >= POPULATION_MIN && !NO_CITIES.has(kind),
  )
  const missing = new Set(large)
  if (missing.size === 0) return []
  const byKey = byNames(large)
  for (const code of codes)
    for (const { city, key } of code.places) {
      if (city) missing.delete(city)
      for (const namesake of byKey.get(key) ?? [])
        if (kmBetween(code, namesake) <= SAME_PLACE_KM) missing.delete(namesake)
    }
  return [...missing]
}

/** Cities by the keys of their names. */
function byNames(cities: Iterable<City>): Map<string, City[]> {
  const byKey = new Map<string, City[]>()
  for (const city of cities)
    for (const key of new Set([cityKey(city.name), cityKey(city.asciiName)])) {
      const known = byKey.get(key)
      if (known === undefined) byKey.set(key, [city])
      else known.push(city)
    }
  return byKey
}

class PartFinder {
  readonly #byName: ReadonlyMap<string, City[]>
  readonly #extents: AreaExtents
  readonly #byAdmin = new Map<AdminModel, readonly City[]>()
  readonly #byPlace = new Map<PlaceDraft, readonly City[]>()

  constructor(cities: readonly City[], extents: AreaExtents) {
    this.#byName = byNames(cities)
    this.#extents = extents
  }

  /** Cities that `part` names as what it, or one of its areas, is a part of. */
  *citiesOf(code: CodeDraft, part: PlaceDraft): Iterable<City> {
    const isEstimate = code.accuracy === ACCURACY_ESTIMATED
    for (const city of this.#named(part)) if (isEstimate || isNear(code, city, SAME_PLACE_KM)) yield city
    const areaKm = isEstimate ? ESTIMATED_AREA_KM : AREA_KM
    for (const city of this.#ofAreas(part.admin)) if (isNear(code, city, areaKm)) yield city
  }

  /** Whether `code` surely lies in the circle that the people of `city` fill. */
  isInside(code: CodeDraft, city: City): boolean {
    const radius = Math.max(RADIUS_MIN_KM, Math.sqrt(city.population / DENSITY / Math.PI))
    if (code.accuracy === ACCURACY_ESTIMATED || Math.abs(code.lat - city.lat) > radius / 100) return false
    return kmBetween(code, city) <= radius && this.#extents.mayHave(code.places[0].admin, city)
  }

  #named(part: PlaceDraft): readonly City[] {
    let cities = this.#byPlace.get(part)
    if (cities === undefined) {
      const words = cityWords(part.name)
      const keys = words.slice(0, CITY_WORDS_MAX).map((_, i) => cityKey(words.slice(0, i + 1).join(' ')))
      cities = this.#allOf(new Set(keys), part.admin)
      this.#byPlace.set(part, cities)
    }
    return cities
  }

  #ofAreas(admin: AdminModel): readonly City[] {
    let cities = this.#byAdmin.get(admin)
    if (cities === undefined) {
      cities = this.#allOf(areaKeys(admin), admin)
      this.#byAdmin.set(admin, cities)
    }
    return cities
  }

  #allOf(keys: ReadonlySet<string>, admin: AdminModel): City[] {
    return [...keys].flatMap(key =>
      (this.#byName.get(key) ?? []).filter(city => this.#extents.mayHave(admin, city)),
    )
  }
}

/** Whether a code lies within `km` of the city, or its position is not known. */
function isNear(code: CodeDraft, city: City, km: number): boolean {
  return !(kmBetween(code, city) > km)
}

function kmBetween({ lat, lon }: CodeDraft, city: City): number {
  return distanceKm(lat, lon, city.lat, city.lon)
}

function addCity(code: CodeDraft, city: City, admin: AdminModel, pool: PlacePool): void {
  const place = pool.place(city.name, admin, [])
  place.city ??= city
  code.add(place, code.lat, code.lon, code.accuracy)
}

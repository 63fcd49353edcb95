/**
 * Codes of cities whose rows give too few. The city becomes a further place of the codes in its extent, so
 * that city search finds it. The codes still answer with the part.
 */
import { addTo, incrementIn, memoised } from '../../datasets/maps.ts'
import { type City, SECTION } from '../../datasets/reference/cities-500.ts'
import { ESTIMATED } from '../../datasets/row.ts'
import { areaKey } from '../../src/postal/text/area.ts'
import { cityKey, cityWords } from '../../src/postal/text/city.ts'
import type { AreaExtents } from '../areas/area-extents.ts'
import type { Country } from '../areas/country.ts'
import { isPlaced, kmBetween, type Point } from '../distance.ts'
import { CellGrid } from '../gazetteer/cell-grid.ts'
import { type Gazetteer, keysOfBeginnings, radiusKm } from '../gazetteer/gazetteer.ts'
import { isOwnTown, NO_CITIES } from '../places/city-rules.ts'
import { type GradedCode, type Spot, spotsOf, withPlaces } from '../rows/code.ts'
import { firstPartOf } from '../rows/code-rules.ts'
import type { Areas, Place, PlacePool } from '../rows/places.ts'
import { NAMED_BY_POST } from '../rows/us-states.ts'
import {
  AGREED_KM,
  AREA_FACTOR,
  AREA_POPULATION_MIN,
  AT_PLACE_KM,
  CITY_POPULATION_MIN,
  ESTIMATED_AREA_KM,
  LARGE_CODE_KM,
  NEAREST_KM,
  NEAREST_POPULATION_MIN,
  POPULATION_MIN,
  SAME_PLACE_KM,
  SECTION_POPULATION_MIN,
  TOWN_RADIUS_MIN_KM,
} from '../thresholds.ts'

/** Maximum words of a city's name at the start of a part's: `Rahim Yar Khan Gpo`. */
const CITY_WORDS_MAX = 4

/**
 * Adds cities as places. A city gets these codes in its level-1 area:
 *
 * 1. If no place near it has its name: codes within 30 km, or at an estimated position, with a place whose
 *    name begins with the city's. A large one also gets codes with an area of its name, within 60 km, or 100
 *    km if estimated.
 * 2. A city of a million people: estimated positions in or around its circle, in a district with its name.
 * 3. All codes in the circle that its people would fill, except those with a town of their own.
 * 4. If no place near has its name and no code was found: the nearest code within its district.
 * 5. In other countries than `NAMED_BY_POST`: the codes that a weaker source gives it, in or around its
 *    circle, and the codes whose first part it names, within 20 km.
 * 6. If places have its name: codes near it with a part of it, such as `Košice-Juh`.
 *
 * Sections without codes get those in a smaller circle. Costs hash look-ups a place and a grid search a city.
 */
export function addLargeCities(codes: readonly GradedCode[], country: Country): readonly GradedCode[] {
  const { cc, gazetteer } = country
  const gains = new Gains(country.pool)
  const cities = gazetteer.cities
    .filter(({ population, kind }) => population >= POPULATION_MIN && !NO_CITIES.has(kind))
    .sort((a, b) => b.population - a.population)
  const missing = missingCities(codes, cities, gains)
  // The only code of a country belongs to all its towns.
  if (codes.length === 1) gains.add(codes[0], gazetteer.cities)
  addByParts(codes, country, cities, missing, gains)
  const circles = new Circles(codes, country, gains)
  for (const city of cities) {
    if (city.population < CITY_POPULATION_MIN) break
    if (!missing.has(city) && NAMED_BY_POST.has(cc)) continue
    for (const code of circles.codesOf(city, missing.has(city))) gains.add(code, [city])
    if (!missing.has(city) || gains.has(city) || city.population < NEAREST_POPULATION_MIN) continue
    const nearest = circles.nearest(city)
    if (nearest !== null) gains.add(nearest, [city])
  }
  if (!NAMED_BY_POST.has(cc)) addSecondNames(codes, country, gains)
  // People mean the section by its name, not a larger place.
  const known = gazetteer.cities.filter(
    ({ kind, keys: [key], population }) =>
      kind === SECTION &&
      population >= SECTION_POPULATION_MIN &&
      gazetteer.named(key).every(other => other.population <= population),
  )
  const sections = missingCities(codes, known, gains)
  for (const section of sections) for (const code of circles.ofSection(section)) gains.add(code, [section])
  return codes.map(code => withPlaces(code, gains.placesOf(code)))
}

/** Cities that codes gain as further places, one after another. */
class Gains {
  readonly #pool: PlacePool
  /** Places with gained ones, by code. */
  readonly #places = new Map<GradedCode, readonly Place[]>()
  readonly #cities = new Set<City>()

  constructor(pool: PlacePool) {
    this.#pool = pool
  }

  placesOf(code: GradedCode): readonly Place[] {
    return this.#places.get(code) ?? code.places
  }

  /** Returns true if a code has gained `city`. */
  has(city: City): boolean {
    return this.#cities.has(city)
  }

  /** Adds cities that the code does not have, in the areas of `admin`. */
  add(code: GradedCode, cities: readonly City[], admin = code.places[0].admin): void {
    const places = this.placesOf(code)
    // A place joined with the city has all its names already.
    const added = cities
      .filter(city => !places.some(place => place.city === city))
      .map(city => placeOf(city, admin, this.#pool))
    for (const city of cities) this.#cities.add(city)
    if (added.length === 1) this.#places.set(code, this.#pool.joined(places, added[0]))
    // The list of thousands is made once.
    else if (added.length > 1) this.#places.set(code, [...new Set([...places, ...added])])
  }
}

function addSecondNames(
  codes: readonly GradedCode[],
  { cc, towns, gazetteer, extents }: Country,
  gains: Gains,
): void {
  const firstPart = firstPartOf(cc)
  const keyOf = memoised(cityKey)
  for (const code of codes) {
    const { admin } = code.places[0]
    const add = (name: string, isNear: (city: City, km: number) => boolean) => {
      const { lat, lon } = code.position
      const hint = { lat, lon, areas: extents.areasOf(admin), codes: [] }
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

/** Returns cities that no place stands for, by the gazetteer or by a name nearby. */
function missingCities(codes: readonly GradedCode[], cities: readonly City[], gains: Gains): Set<City> {
  const missing = new Set(cities)
  const byKey = byNames(cities)
  for (const code of codes)
    for (const { city, key } of gains.placesOf(code)) {
      if (city) missing.delete(city)
      for (const namesake of byKey.get(key) ?? [])
        if (kmBetween(code.position, namesake) <= SAME_PLACE_KM) missing.delete(namesake)
    }
  return missing
}

function byNames(cities: Iterable<City>): Map<string, City[]> {
  const byKey = new Map<string, City[]>()
  for (const city of cities) for (const key of new Set(city.keys.slice(0, 2))) addTo(byKey, key, city)
  return byKey
}

/** Adds cities to codes with a part of them, or in an area of their name. */
function addByParts(
  codes: readonly GradedCode[],
  { cc, extents }: Country,
  cities: readonly City[],
  missing: ReadonlySet<City>,
  gains: Gains,
): void {
  const byName = byNames(NAMED_BY_POST.has(cc) ? missing : cities)
  const keysOf = (area: string) => [cityKey(area), areaKey(area)]
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
  for (const code of codes) {
    const { position } = code
    const isEstimate = position.statedAccuracy === ESTIMATED
    for (const { name, admin, city: town } of gains.placesOf(code)) {
      const isOwn = (city: City) => town && isOwnTown(town, city)
      for (const city of namedBy(name)) {
        const km = kmBetween(position, city)
        const isUnsure = isEstimate || !isPlaced(position)
        const isNear = missing.has(city)
          ? km <= SAME_PLACE_KM || (isUnsure && extents.mayReach(admin, city))
          : km <= radiusKm(city, NEAREST_KM) && !isOwn(city)
        if (isNear) gains.add(code, [city], admin)
      }
      for (const city of namedByAreas(admin)) {
        const km = kmBetween(position, city)
        // The middle of a district does not tell on which side of the circle the code lies.
        const isNear = missing.has(city)
          ? !isPlaced(position) || km <= (isEstimate ? ESTIMATED_AREA_KM : LARGE_CODE_KM)
          : position.accuracy === 'area' && km <= AREA_FACTOR * radiusKm(city, AT_PLACE_KM) && !isOwn(city)
        if (isNear) gains.add(code, [city], admin)
      }
    }
  }
}

class Circles {
  readonly #extents: AreaExtents
  readonly #gazetteer: Gazetteer
  readonly #gains: Gains
  readonly #sure: CellGrid<Spot>
  readonly #all: CellGrid<Spot>

  constructor(codes: readonly GradedCode[], { gazetteer, extents }: Country, gains: Gains) {
    this.#extents = extents
    this.#gazetteer = gazetteer
    this.#gains = gains
    const placed = spotsOf(codes)
    // An estimate shared by codes is the middle of an area.
    const crowds = new Map<number, Map<number, number>>()
    for (const { lat, lon } of placed) incrementIn(crowds, lat, lon)
    const isSure = ({ lat, lon, code }: Spot) =>
      code.position.statedAccuracy !== ESTIMATED || crowds.get(lat)?.get(lon) === 1
    this.#all = new CellGrid(placed)
    this.#sure = new CellGrid(placed.filter(isSure))
  }

  /**
   * Yields codes in the circle of `city`: the nearest, and those without a town of their own. If no code
   * names `city`, a larger city around it is not the code's own town: Manhattan gets codes of New York.
   */
  *codesOf(city: City, isMissing: boolean): Iterable<GradedCode> {
    const radius = radiusKm(city, AT_PLACE_KM)
    const nearest = this.#sure.nearest(city.lat, city.lon, AT_PLACE_KM)
    for (const spot of this.#sure.within(city.lat, city.lon, radius)) {
      const isOwn = spot === nearest || !hasOwnTown(spot, this.#gains.placesOf(spot.code), city, isMissing)
      if (isOwn && this.#mayHave(spot.code, city)) yield spot.code
    }
  }

  /** Yields codes in the circle of a section, or else the nearest. */
  *ofSection(section: City): Iterable<GradedCode> {
    let found = false
    for (const { code } of this.#sure.within(section.lat, section.lon, radiusKm(section, TOWN_RADIUS_MIN_KM)))
      if (this.#mayHave(code, section)) {
        found = true
        yield code
      }
    const nearest = found ? null : this.#sure.nearest(section.lat, section.lon, AT_PLACE_KM)
    if (nearest !== null && this.#mayHave(nearest.code, section)) yield nearest.code
  }

  /** Returns the nearest code, sure or not; null if too far away or in another district. */
  nearest(city: City): GradedCode | null {
    const spot = this.#all.nearest(city.lat, city.lon, AGREED_KM)
    if (spot === null || !this.#mayHave(spot.code, city)) return null
    const there = this.#gazetteer.nearest(spot.lat, spot.lon, AGREED_KM)
    const isNext = kmBetween(spot, city) <= NEAREST_KM
    return isNext || there?.admin2 === city.admin2 ? spot.code : null
  }

  #mayHave(code: GradedCode, city: City): boolean {
    return this.#extents.mayReach(code.places[0].admin, city)
  }
}

function placeOf(city: City, admin: Areas, pool: PlacePool): Place {
  return pool.place(city.name, admin.name3 === '' ? admin : pool.withoutLevel3(admin), [], city)
}

/** Returns true if a town of another municipality is nearer, measured by its size. */
function hasOwnTown(at: Point, places: readonly Place[], city: City, isMissing: boolean): boolean {
  const share = kmBetween(at, city) / radiusKm(city, AT_PLACE_KM)
  return places.some(
    ({ city: other }) =>
      other &&
      other !== city &&
      isOwnTown(other, city) &&
      !(isMissing && kmBetween(city, other) <= radiusKm(other, TOWN_RADIUS_MIN_KM)) &&
      kmBetween(at, other) / radiusKm(other, TOWN_RADIUS_MIN_KM) < share,
  )
}

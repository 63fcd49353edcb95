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
import type { CountryDraft } from '../areas/country.ts'
import { isPlaced, kmBetween } from '../distance.ts'
import { CellGrid } from '../gazetteer/cell-grid.ts'
import { type Gazetteer, keysOfBeginnings, radiusKm } from '../gazetteer/gazetteer.ts'
import { isOwnTown, NO_CITIES } from '../places/city-rules.ts'
import type { Code } from '../rows/code.ts'
import { firstPartOf } from '../rows/code-rules.ts'
import type { Areas, PlaceDraft, PlacePool } from '../rows/places.ts'
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
export function addLargeCities(draft: CountryDraft): void {
  const { cc, codes, pool, gazetteer } = draft
  const cities = gazetteer.cities
    .filter(({ population, kind }) => population >= POPULATION_MIN && !NO_CITIES.has(kind))
    .sort((a, b) => b.population - a.population)
  const missing = missingCities(codes, cities)
  // The only code of a country belongs to all its towns.
  if (codes.length === 1) {
    const { places } = codes[0]
    const known = new Set(places.map(({ city }) => city))
    // Not one by one: there may be thousands.
    const others = gazetteer.cities.filter(city => !known.has(city))
    codes[0].places = [...new Set([...places, ...others.map(city => placeOf(city, places[0].admin, pool))])]
  }
  const gained = new Set<City>()
  const add = (code: Code, city: City, admin: Areas) => {
    addCity(code, city, admin, pool)
    gained.add(city)
  }
  addByParts(draft, cities, missing, add)
  const circles = new Circles(draft)
  for (const city of cities) {
    if (city.population < CITY_POPULATION_MIN) break
    if (!missing.has(city) && NAMED_BY_POST.has(cc)) continue
    for (const code of circles.codesOf(city, missing.has(city))) add(code, city, code.places[0].admin)
    if (!missing.has(city) || gained.has(city) || city.population < NEAREST_POPULATION_MIN) continue
    const nearest = circles.nearest(city)
    if (nearest !== null) add(nearest, city, nearest.places[0].admin)
  }
  if (!NAMED_BY_POST.has(cc)) addSecondNames(draft)
  // People mean the section by its name, not a larger place.
  const known = gazetteer.cities.filter(
    ({ kind, keys: [key], population }) =>
      kind === SECTION &&
      population >= SECTION_POPULATION_MIN &&
      gazetteer.named(key).every(other => other.population <= population),
  )
  const sections = missingCities(codes, known)
  for (const section of sections)
    for (const code of circles.ofSection(section)) add(code, section, code.places[0].admin)
}

function addSecondNames({ cc, codes, pool, towns, gazetteer, extents }: CountryDraft): void {
  const firstPart = firstPartOf(cc)
  const keyOf = memoised(cityKey)
  for (const code of codes) {
    const { admin } = code.places[0]
    const add = (name: string, isNear: (city: City, km: number) => boolean) => {
      const hint = { lat: code.lat, lon: code.lon, areas: extents.areasOf(admin), codes: [] }
      const key = keyOf(name)
      const city = code.places.some(place => place.key === key) ? null : gazetteer.find(key, hint)
      if (city !== null && city.population >= POPULATION_MIN && isNear(city, kmBetween(code, city)))
        addCity(code, city, admin, pool)
    }
    const hasTown = (city: City) => code.places.some(place => place.city && isOwnTown(place.city, city))
    for (const name of towns.get(code.key) ?? [])
      add(
        name,
        (city, km) =>
          km <= AREA_FACTOR * radiusKm(city, AT_PLACE_KM) && (code.places.length > 1 || !hasTown(city)),
      )
    for (const name of towns.get(firstPart(code.key)) ?? []) add(name, (_, km) => km <= AGREED_KM)
  }
}

/** Returns cities that no place stands for, by the gazetteer or by a name nearby. */
function missingCities(codes: readonly Code[], cities: readonly City[]): Set<City> {
  const missing = new Set(cities)
  const byKey = byNames(cities)
  for (const code of codes)
    for (const { city, key } of code.places) {
      if (city) missing.delete(city)
      for (const namesake of byKey.get(key) ?? [])
        if (kmBetween(code, namesake) <= SAME_PLACE_KM) missing.delete(namesake)
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
  { cc, codes, extents }: CountryDraft,
  cities: readonly City[],
  missing: ReadonlySet<City>,
  add: (code: Code, city: City, admin: Areas) => void,
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
    const isEstimate = code.position.statedAccuracy === ESTIMATED
    for (const { name, admin, city: town } of code.places) {
      const isOwn = (city: City) => town && isOwnTown(town, city)
      for (const city of namedBy(name)) {
        const km = kmBetween(code, city)
        const isUnsure = isEstimate || !isPlaced(code)
        const isNear = missing.has(city)
          ? km <= SAME_PLACE_KM || (isUnsure && extents.mayReach(admin, city))
          : km <= radiusKm(city, NEAREST_KM) && !isOwn(city)
        if (isNear) add(code, city, admin)
      }
      for (const city of namedByAreas(admin)) {
        const km = kmBetween(code, city)
        // The middle of a district does not tell on which side of the circle the code lies.
        const isNear = missing.has(city)
          ? !isPlaced(code) || km <= (isEstimate ? ESTIMATED_AREA_KM : LARGE_CODE_KM)
          : code.accuracy === 'area' && km <= AREA_FACTOR * radiusKm(city, AT_PLACE_KM) && !isOwn(city)
        if (isNear) add(code, city, admin)
      }
    }
  }
}

class Circles {
  readonly #extents: AreaExtents
  readonly #gazetteer: Gazetteer
  readonly #sure: CellGrid<Code>
  readonly #all: CellGrid<Code>

  constructor({ codes, gazetteer, extents }: CountryDraft) {
    this.#extents = extents
    this.#gazetteer = gazetteer
    const placed = codes.filter(isPlaced)
    // An estimate shared by codes is the middle of an area.
    const crowds = new Map<number, Map<number, number>>()
    for (const { lat, lon } of placed) incrementIn(crowds, lat, lon)
    const isSure = ({ lat, lon, position }: Code) =>
      position.statedAccuracy !== ESTIMATED || crowds.get(lat)?.get(lon) === 1
    this.#all = new CellGrid(placed)
    this.#sure = new CellGrid(placed.filter(isSure))
  }

  /**
   * Yields codes in the circle of `city`: the nearest, and those without a town of their own. If no code
   * names `city`, a larger city around it is not the code's own town: Manhattan gets codes of New York.
   */
  *codesOf(city: City, isMissing: boolean): Iterable<Code> {
    const radius = radiusKm(city, AT_PLACE_KM)
    const nearest = this.#sure.nearest(city.lat, city.lon, AT_PLACE_KM)
    for (const code of this.#sure.within(city.lat, city.lon, radius))
      if ((code === nearest || !hasOwnTown(code, city, isMissing)) && this.#mayHave(code, city)) yield code
  }

  /** Yields codes in the circle of a section, or else the nearest. */
  *ofSection(section: City): Iterable<Code> {
    let found = false
    for (const code of this.#sure.within(section.lat, section.lon, radiusKm(section, TOWN_RADIUS_MIN_KM)))
      if (this.#mayHave(code, section)) {
        found = true
        yield code
      }
    const nearest = found ? null : this.#sure.nearest(section.lat, section.lon, AT_PLACE_KM)
    if (nearest !== null && this.#mayHave(nearest, section)) yield nearest
  }

  /** Returns the nearest code, sure or not; null if too far away or in another district. */
  nearest(city: City): Code | null {
    const code = this.#all.nearest(city.lat, city.lon, AGREED_KM)
    if (code === null || !this.#mayHave(code, city)) return null
    const there = this.#gazetteer.nearest(code.lat, code.lon, AGREED_KM)
    const isNext = kmBetween(code, city) <= NEAREST_KM
    return isNext || there?.admin2 === city.admin2 ? code : null
  }

  #mayHave(code: Code, city: City): boolean {
    return this.#extents.mayReach(code.places[0].admin, city)
  }
}

function addCity(code: Code, city: City, admin: Areas, pool: PlacePool): void {
  // A place joined with the city has all its names already.
  if (!code.places.some(place => place.city === city)) code.join(placeOf(city, admin, pool), pool)
}

function placeOf(city: City, admin: Areas, pool: PlacePool): PlaceDraft {
  const place = pool.place(city.name, admin.name3 === '' ? admin : pool.withoutLevel3(admin), [])
  place.city ??= city
  return place
}

/** Returns true if a town of another municipality is nearer, measured by its size. */
function hasOwnTown(code: Code, city: City, isMissing: boolean): boolean {
  const share = kmBetween(code, city) / radiusKm(city, AT_PLACE_KM)
  return code.places.some(
    ({ city: other }) =>
      other &&
      other !== city &&
      isOwnTown(other, city) &&
      !(isMissing && kmBetween(city, other) <= radiusKm(other, TOWN_RADIUS_MIN_KM)) &&
      kmBetween(code, other) / radiusKm(other, TOWN_RADIUS_MIN_KM) < share,
  )
}

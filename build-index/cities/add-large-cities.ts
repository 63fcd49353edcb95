/**
 * Codes of cities whose rows give too few. The city becomes a further place of the codes in its extent, so that city
 * search finds it. The codes still answer with the part. A city is missing if no place near is joined with it or has
 * its name. A city gets these codes in its level-1 area:
 *
 *   if missing  PK 54000    Lahore Gpo           Lahore        a name begins with the city's       addByNames
 *   if missing  TR 34500    Merkezköy, İstanbul  Istanbul      an area has its name                addByNames
 *   otherwise   SK          Košice-Juh           Košice        a name begins with the city's       addByNames
 *   always      PK 74400    Saddar Bazar Post    Karachi       in the circle that its people fill  addInCircles
 *   if none     CO 660001   Pereira              Dosquebradas  the nearest                         addInCircles
 *   always      GB LS143AA  Thorner              Leeds         a weaker source names it            addNamesOfSources
 *   if missing  US 90028    Los Angeles          Hollywood     a section: in its smaller circle    addSections
 */
import { type City, SECTION } from '../../datasets/reference/cities-500.ts'
import type { Country } from '../areas/country.ts'
import { kmBetween } from '../distance.ts'
import type { Gazetteer } from '../gazetteer/gazetteer.ts'
import { NO_CITIES } from '../places/city-rules.ts'
import { type GradedCode, withPlaces } from '../rows/code.ts'
import { NAMED_BY_POST } from '../rows/us-states.ts'
import {
  CITY_POPULATION_MIN,
  NEAREST_POPULATION_MIN,
  POPULATION_MIN,
  SAME_PLACE_KM,
  SECTION_POPULATION_MIN,
} from '../thresholds.ts'
import { addByNames, addNamesOfSources, citiesByName } from './add-by-names.ts'
import { Circles } from './circles.ts'
import { Gains } from './gains.ts'

/**
 * Adds cities as places; where the post names the city of every code, only missing ones. Costs hash look-ups a place and
 * a grid search a city.
 */
export function addLargeCities(codes: readonly GradedCode[], country: Country): readonly GradedCode[] {
  const { cc, pool, gazetteer } = country
  const gains = new Gains(pool)
  const cities = gazetteer.cities
    .filter(({ population, kind }) => population >= POPULATION_MIN && !NO_CITIES.has(kind))
    .sort((a, b) => b.population - a.population)
  const missing = missingCities(codes, cities, gains)
  const isNamedByPost = NAMED_BY_POST.has(cc)
  // The only code of a country belongs to all its towns.
  if (codes.length === 1) gains.add(codes[0], gazetteer.cities)
  addByNames(codes, country, cities, missing, gains)
  const circles = new Circles(codes, country, gains)
  addInCircles(isNamedByPost ? cities.filter(city => missing.has(city)) : cities, missing, circles, gains)
  if (!isNamedByPost) addNamesOfSources(codes, country, gains)
  addSections(codes, gazetteer, circles, gains)
  return codes.map(code => withPlaces(code, gains.placesOf(code)))
}

/** Returns cities that no place stands for, by the gazetteer or by a name nearby. */
function missingCities(codes: readonly GradedCode[], cities: readonly City[], gains: Gains): Set<City> {
  const missing = new Set(cities)
  const byName = citiesByName(cities)
  for (const code of codes)
    for (const { city, key } of gains.placesOf(code)) {
      if (city) missing.delete(city)
      for (const namesake of byName.get(key) ?? [])
        if (kmBetween(code.position, namesake) <= SAME_PLACE_KM) missing.delete(namesake)
    }
  return missing
}

/** Adds the codes in the circles of `cities`, the largest first, or the nearest code to a missing one without codes. */
function addInCircles(
  cities: readonly City[],
  missing: ReadonlySet<City>,
  circles: Circles,
  gains: Gains,
): void {
  for (const city of cities) {
    if (city.population < CITY_POPULATION_MIN) break
    const isMissing = missing.has(city)
    for (const code of circles.ofCity(city, isMissing)) gains.add(code, [city])
    const isWithout = isMissing && !gains.has(city) && city.population >= NEAREST_POPULATION_MIN
    const nearest = isWithout ? circles.nearest(city) : null
    if (nearest !== null) gains.add(nearest, [city])
  }
}

/** Adds missing sections whose name means no larger place. */
function addSections(
  codes: readonly GradedCode[],
  gazetteer: Gazetteer,
  circles: Circles,
  gains: Gains,
): void {
  const sections = gazetteer.cities.filter(
    ({ kind, keys: [key], population }) =>
      kind === SECTION &&
      population >= SECTION_POPULATION_MIN &&
      gazetteer.named(key).every(other => other.population <= population),
  )
  for (const section of missingCities(codes, sections, gains))
    for (const code of circles.ofSection(section)) gains.add(code, [section])
}

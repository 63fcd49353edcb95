import { iso31662 } from 'iso-3166'
import { kmBetweenDegrees } from '../../build-index/distance.ts'
import { getOrMake } from '../../datasets/maps.ts'
import { type City, citiesOf } from '../../datasets/reference/cities-500.ts'
import { countryCodes } from '../../datasets/reference/country-codes.ts'
import { searchCity } from '../../src/postal/index/cities/city-search.ts'
import { counting } from './check.ts'
import { type CheckedCode, type CheckedCountry, groupBy } from './codes.ts'

const LARGE = 100_000
/** Feature codes of sections, former and destroyed places, and historical capitals. */
const NO_CITIES: ReadonlySet<string> = new Set(['PPLX', 'PPLH', 'PPLQ', 'PPLW', 'PPLCH'])
/** A closer code belongs to the city. */
const MAIN_KM = 2
/** Without a closer code, the answer is another place. */
const NAMESAKE_KM = 30

export const largeCities = ({ cities }: Pick<CheckedCountry, 'cities'>, population = LARGE): City[] =>
  cities.filter(city => city.population >= population && !NO_CITIES.has(city.kind))

/** Returns the written forms of an exact match for `name`, or null. */
export function exactMatch(
  { index, country }: CheckedCountry,
  name: string,
  state?: string,
): Set<string> | null {
  const answer = searchCity(index, country, { city: name, state, ST: undefined })
  return answer === undefined || answer.matched !== undefined ? null : new Set(answer.codes.map(bare))
}

const bare = (code: string) => code.replace(/[^A-Z0-9]/g, '')
export const isAnswer = (answer: ReadonlySet<string>, key: string) =>
  answer.has(key) || [...answer].some(code => code.endsWith(key) && code.length <= key.length + 2)

const kmTo = (city: City, { lat, lon }: CheckedCode) => kmBetweenDegrees(city.lat, city.lon, lat, lon)

/** Checks cities of 100,000 people in countries that have codes near them. */
export const cityNotFound = counting(
  'city over 100,000 people not found, or only its namesake',
  (country, count) => {
    for (const city of largeCities(country)) {
      const near = country.placed.filter(code => kmTo(city, code) <= NAMESAKE_KM)
      if (near.length === 0) continue
      const answer = exactMatch(country, city.name) ?? exactMatch(country, city.asciiName)
      const isFound = answer !== null && near.some(({ key }) => isAnswer(answer, key))
      count.add(!isFound, () => `${city.name} (${answer === null ? 'not found' : 'a namesake'})`)
    }
  },
)

/** Finds cities whose answer lacks the nearest code. */
export const mainCodeMissing = counting(
  'city over 100,000 people without its main code',
  (country, count) => {
    for (const city of largeCities(country)) {
      const answer = exactMatch(country, city.name) ?? exactMatch(country, city.asciiName)
      // The middle of an area says nothing about the positions of its codes.
      const near = country.placed.filter(code => code.grade !== 'area' && kmTo(city, code) <= MAIN_KM)
      if (answer === null || near.length === 0) continue
      const main = near.reduce((a, b) => (kmTo(city, b) < kmTo(city, a) ? b : a))
      count.add(!isAnswer(answer, main.key), () => `${city.name} lacks ${main.key}`)
    }
  },
)

/** Searches for a place in each level-1 area, with the area's ISO 3166-2 name as the filter. */
export const stateRefused = counting('name of a level-1 area refused', (country, count) => {
  const areas = groupBy(country.codes, ({ code1 }) => code1)
  for (const { code, name, parent } of iso31662) {
    const short = code.slice(3)
    const [inside] = areas.get(short)?.filter(({ city }) => city !== '') ?? []
    if (parent !== country.cc || inside === undefined) continue
    // The package cuts names at line ends: `Kabardino-`.
    for (const state of new Set(name.endsWith('-') ? [short] : [name, short]))
      count.add(exactMatch(country, inside.city, state) === null, () => `${state} (${inside.area1})`)
  }
})

/** Population of a city that every country is searched for. */
const KNOWN = 1_000_000
let known: City[] | undefined

/** Finds close matches for cities of another country with a million people. */
export const closeMatchElsewhere = counting(
  'city of another country answered by a close match',
  ({ index, country, cc, cities }, count) => {
    known ??= countryCodes().flatMap(cc => largeCities({ cities: citiesOf(cc) }, KNOWN))
    const own = new Set(cities)
    for (const city of known) {
      if (city.name.length < 4 || own.has(city) || citiesHave(cities, city.name)) continue
      const answer = searchCity(index, country, { city: city.name, state: undefined, ST: undefined })
      count.add(answer?.matched !== undefined, () => `${city.name} gives ${answer?.matched?.city} in ${cc}`)
    }
  },
)

const namesOf = new Map<readonly City[], Set<string>>()

function citiesHave(cities: readonly City[], name: string): boolean {
  const allNames = () => new Set(cities.flatMap(city => [city.name, city.asciiName, ...city.otherNames]))
  return getOrMake(namesOf, cities, allNames).has(name)
}

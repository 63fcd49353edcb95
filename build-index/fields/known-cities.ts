/** Names that city search must not correct to a similar name: they mean another place. */
import { largerCitiesOf } from '../../datasets/reference/cities-500.ts'
import { countryCodes } from '../../datasets/reference/country-codes.ts'
import { typedNames } from '../../datasets/reference/typed-names.ts'
import { KNOWN_POPULATION_MIN, knownWord } from '../../src/postal/format/city-hash.ts'
import { cityKey } from '../../src/postal/text/city.ts'
import type { Country } from '../areas/country.ts'
import { type GradedCode, placesOf } from '../rows/code.ts'
import { chooseNames } from './add-aliases.ts'

/** Maximum number of the gazetteer's names, by population. */
const NAMES_BY_POPULATION: readonly [population: number, names: number][] = [
  [1_000_000, 20],
  [300_000, 4],
  [KNOWN_POPULATION_MIN, 2],
]
/** Short names are ambiguous. */
const KEY_LENGTH_MIN = 4

/** Returns the world's large cities as words of `src/postal/format/city-hash.ts`. Takes about a second. */
export function knownCities(): Iterable<number> {
  const words = new Set<number>()
  const know = (name: string, population: number) => {
    const key = cityKey(name)
    if (key.length >= KEY_LENGTH_MIN) words.add(knownWord(key, population))
  }
  for (const country of countryCodes()) {
    const typed = new Map(
      typedNames(country)
        .flatMap(names => names.slice(0, 2).map(name => [cityKey(name), names] as const))
        .reverse(),
    )
    for (const city of largerCitiesOf(country, KNOWN_POPULATION_MIN)) {
      const most = NAMES_BY_POPULATION.find(([population]) => city.population >= population)?.[1]
      const names = [...chooseNames(city, undefined).slice(0, most), city.name, city.asciiName]
      for (const name of [...names, ...(typed.get(city.keys[0]) ?? [])]) know(name, city.population)
    }
  }
  return words
}

/**
 * Returns, as words, the towns of a country that no code names.
 * @param codes of the country and of the members of its postal union
 */
export function townsWithoutCodes(codes: readonly GradedCode[], { cc, gazetteer }: Country): number[] {
  const keys = new Set(Array.from(placesOf(codes), ({ key }) => key))
  return gazetteer.cities.flatMap(({ keys: [own, ascii], population }) =>
    [...new Set([own, ascii])]
      .filter(key => key.length >= KEY_LENGTH_MIN && !keys.has(key))
      .map(key => knownWord(key, population, cc)),
  )
}

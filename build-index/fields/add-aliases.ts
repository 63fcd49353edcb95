/** Other names of places. Storing all names of the gazetteer would take 12 MB, so larger places get more. */
import { memoised } from '../../datasets/maps.ts'
import { type City, namesOf, SECTION } from '../../datasets/reference/cities-500.ts'
import { ownScripts } from '../../datasets/reference/scripts.ts'
import { typedNames } from '../../datasets/reference/typed-names.ts'
import { cityKey } from '../../src/postal/text/city.ts'
import type { Country } from '../areas/country.ts'
import { kmBetween } from '../distance.ts'
import { dominant, type Gazetteer, largest } from '../gazetteer/gazetteer.ts'
import { spellings, withoutKind } from '../places/spellings.ts'
import { type GradedCode, placesOf, replacePlaces } from '../rows/code.ts'
import { Place } from '../rows/places.ts'
import { DOMINANCE, SAME_PLACE_KM } from '../thresholds.ts'

/** Maximum number of the gazetteer's names, by population. */
const NAMES_BY_POPULATION: readonly [population: number, names: number][] = [
  [300_000, 60],
  [100_000, 16],
  [20_000, 6],
  [0, 2],
]
/** Share of Latin names before names in foreign scripts. */
const LATIN_SHARE = 0.7
/** Up to this number of names, all Latin names come before foreign scripts. */
const LATIN_FIRST_MAX = 16

const SECTION_NAMES_MAX = 4

const LATIN = /^\p{Script=Latin}/u

export function addAliases(
  codes: readonly GradedCode[],
  { cc, gazetteer, wider }: Country,
): readonly GradedCode[] {
  const typed = typedByCity(cc, gazetteer)
  const own = ownScripts(cc)
  const keyOf = memoised(cityKey)
  // GeoNames calls thirty villages Saint-Étienne too. Everybody means the city.
  const isOfLarger = (city: City, name: string) =>
    gazetteer
      .named(keyOf(name))
      .some(
        other =>
          other.keys[0] === keyOf(name) &&
          other.population > city.population * DOMINANCE &&
          kmBetween(other, city) > SAME_PLACE_KM,
      )
  const chosen = memoised((city: City) => [
    ...chooseNames(city, own).filter(name => !isOfLarger(city, name)),
    ...(typed.get(city) ?? []),
  ])
  const byKey = new Map<string, City>()
  for (const { city, key } of placesOf(codes))
    if (city && city.keys[0] === key && city.population > (byKey.get(key)?.population ?? -1))
      byKey.set(key, city)
  return replacePlaces(codes, place => {
    // `Munich` has the codes of `München` whose place the gazetteer does not tell, and Roma has a code of the Vatican.
    const city = place.city ?? byKey.get(place.key) ?? dominant(wider?.named(place.key) ?? [])
    const candidates = [
      ...place.aliases,
      ...spellings(cc, place.name).filter(name => !isDistrict(place, name)),
      ...withoutKind(cc, place.name),
      ...(city ? chosen(city) : []),
    ]
    if (candidates.length === 0) return place
    const known = new Set(['', place.key])
    const aliases = candidates.filter(name => isNew(known, keyOf(name)))
    return new Place(place.name, place.admin, aliases, place.city)
  })
}

/** Returns true for an area in brackets: `Mustafabad (Yamuna Nagar)` is not the town of Yamuna Nagar. */
function isDistrict({ name, admin }: Place, area: string): boolean {
  return (
    name.endsWith(`(${area})`) && [admin.name1, admin.name2, admin.name3].map(cityKey).includes(cityKey(area))
  )
}

/** Returns nicknames by city. They mean the largest place of a name. */
function typedByCity(country: string, gazetteer: Gazetteer): Map<City, string[]> {
  const typed = new Map<City, string[]>()
  for (const [name, ...others] of typedNames(country)) {
    const named = (each = '') => largest(gazetteer.named(cityKey(each)))
    const city = named(name) ?? named(others[0])
    if (city !== null) typed.set(city, [...(typed.get(city) ?? []), name, ...others])
  }
  return typed
}

/** Returns the names that `city` gets for its population. `own` are the scripts of its country. */
export function chooseNames(city: City, own: RegExp | undefined): string[] {
  const byPopulation = NAMES_BY_POPULATION.find(([population]) => city.population >= population)?.[1] ?? 0
  const most = city.kind === SECTION ? Math.min(byPopulation, SECTION_NAMES_MAX) : byPopulation
  const keys = new Set([''])
  const [first, ...others] = namesOf(city).filter(
    (name, i) => !NOBODY_TYPES.test(name) && isNew(keys, city.keys[i]),
  )
  if (first === undefined) return []
  const owns = others.filter(name => own?.test(name))
  const latin = others.filter(name => LATIN.test(name)).sort((a, b) => rank(b) - rank(a))
  const foreign = others.filter(name => !LATIN.test(name) && !own?.test(name))
  const firstLatin = most <= LATIN_FIRST_MAX ? latin.length : Math.floor(most * LATIN_SHARE)
  return [first, ...owns, ...latin.slice(0, firstLatin), ...foreign, ...latin.slice(firstLatin)].slice(
    0,
    most,
  )
}

function isNew(keys: Set<string>, key: string): boolean {
  if (keys.has(key)) return false
  keys.add(key)
  return true
}

/** Names that nobody types: airport codes, phonetic renderings in lower case, remarks in brackets. */
const NOBODY_TYPES = /^[A-Z]{2,4}$|^[a-z]|[()[\]]| osh$/
const LATIN_1 = /^[ -~\u00c0-\u00ff]+$/

/** Ranks Latin names: letters of Western keyboards first, then short names. */
function rank(name: string): number {
  return (LATIN_1.test(name) ? 1 : 0) - Math.min(0.9, name.length / 20)
}

import { kmBetweenDegrees } from '../../build-index/distance.ts'
import { firstPartOf } from '../../build-index/rows/code-rules.ts'
import { normaliser } from '../../build-index/rows/normal-form.ts'
import { addToSet } from '../../datasets/maps.ts'
import type { City } from '../../datasets/reference/cities-500.ts'
import type { Source } from '../../datasets/source.ts'
import { CodeQuery } from '../../src/postal/index/codes/code-query.ts'
import { cityKey } from '../../src/postal/text/city.ts'
import { type Check, counting } from './check.ts'
import { exactMatch, isAnswer, largeCities } from './cities.ts'

/** A code with two places is no larger. */
const TOWN_KM = 20
const TOWN_POPULATION = 15_000

/** Finds towns of a source that are no name of their code, or of the codes with their first part. */
export function townRefused(source: Source): Check {
  return counting(`town of ${source.id} that does not find its code`, (country, count) => {
    const { cc, codes, cities } = country
    const [normalise, partOf] = [normaliser(cc), firstPartOf(cc)]
    const towns = new Map<string, City>()
    for (const city of cities)
      if (city.population >= TOWN_POPULATION)
        for (const name of [city.name, city.asciiName]) towns.set(cityKey(name), city)
    const byKey = new Map(
      codes.flatMap(code => [[partOf(code.key), code] as const, [code.key, code] as const]),
    )
    const answers = new Map<string, ReadonlySet<string> | null>()
    for (const { code, place } of cc in source.countries ? source.rows(cc) : []) {
      const found = byKey.get(normalise(code)?.key ?? '')
      const town = towns.get(cityKey(place))
      if (found === undefined || town === undefined) continue
      if (!(kmBetweenDegrees(town.lat, town.lon, found.lat, found.lon) <= TOWN_KM)) continue
      if (!answers.has(place)) answers.set(place, exactMatch(country, place))
      const answer = answers.get(place)
      count.add(!answer || !isAnswer(answer, found.key), () => `${code} ${place}`)
    }
  })
}

/** Names that are more than a name. */
const REMARK = / \/ |P\.? ?O\.? ?Box|#|^\p{Ll}(?![^ ]*['’])|(Цех|Гцмпп|Мсц|Попс)(?!\p{L})/u
const BRACKETS = /[([]/
const OFFICIAL = new Set(['AT', 'CH', 'DE', 'LI', 'LU', 'NL', 'PT'])

export const nameWithRemark = counting(
  'city with a remark, an office or two names',
  ({ cc, codes }, count) => {
    for (const { key, city } of codes)
      count.add(REMARK.test(city) || (BRACKETS.test(city) && !OFFICIAL.has(cc)), () => `${key} ${city}`)
  },
)

/** Kinds after and before names. */
const KIND =
  /(?<=..)[시군]$|^City of (?=...)|^(Kota|Muang|Mueang) (?=...)|(?<=...)((?<=^\S+) .+ Autonomous)? (County|Shi|Xian)$/

export const kindNeeded = counting('city not found without the word for its kind', (country, count) => {
  for (const [city, { key }] of new Map(country.codes.map(code => [code.city, code]))) {
    const bare = city.replace(KIND, '')
    if (bare === city) continue
    const answer = exactMatch(country, bare)
    count.add(answer === null || !isAnswer(answer, key), () => `${bare} for ${city}`)
  }
})

/** A code this near to a city is no namesake's. */
const CITY_KM = 30

/** Compares the codes of each two names of a city. Leaves out names that another place has too, and codes of namesakes. */
export const namesDiffer = counting(
  'name of a city over 100,000 people that lacks codes of another',
  (country, count) => {
    const bearers = new Map<string, Set<City>>()
    for (const city of country.cities)
      for (const name of [city.name, city.asciiName, ...city.otherNames])
        addToSet(bearers, cityKey(name), city)
    const byKey = new Map(country.codes.map(code => [code.key, code]))
    const positionOf = (bare: string) => byKey.get(bare) ?? byKey.get(bare.slice(2))
    for (const city of largeCities(country)) {
      const isNear = (bare: string) => {
        const code = positionOf(bare)
        return code !== undefined && kmBetweenDegrees(code.lat, code.lon, city.lat, city.lon) <= CITY_KM
      }
      const isOnly = (name: string) => [...(bearers.get(cityKey(name)) ?? [])].every(other => other === city)
      const names = [city.name, ...city.otherNames].filter(isOnly)
      const answers = names.map(name => new Set([...(exactMatch(country, name) ?? [])].filter(isNear)))
      const all = new Set(answers.flatMap(answer => [...answer]))
      answers.forEach((answer, i) => {
        if (answer.size > 0)
          count.add(
            answer.size < all.size,
            () => `${names[i]}: ${answer.size} of ${all.size} of ${city.name}`,
          )
      })
    }
  },
)

const ENDS = ['1CV', '0O6', 'SS', '1234', 'OOOO']

export const endNotWritten = counting(
  'full code accepted that breaks the pattern of the post',
  ({ index, country, cc, codes }, count) => {
    const pattern = index.posts.of(cc)?.keyPattern
    const form = new RegExp(`^${pattern}$`)
    const query = new CodeQuery()
    for (const { key } of codes)
      for (const end of country.meta.tails.length === 0 ? [] : ENDS)
        count.add(query.find(index.trie, country, key + end) >= 0 && !form.test(key + end), () => key + end)
  },
)

export const partListed = counting('code that is the first part of another code', ({ cc, codes }, count) => {
  const partOf = firstPartOf(cc)
  const parts = new Set(codes.map(({ key }) => partOf(key)).filter((part, i) => part !== codes[i].key))
  for (const { key } of codes) count.add(parts.has(key), () => key)
})

/** Does a misspelt name find the city that was meant? */
import { searchCity } from '../../src/index/cities/city-search.ts'
import { viewCode } from '../../src/index/codes/code-view.ts'
import type { Country } from '../../src/index/country.ts'
import { countryByText, type PostalIndex } from '../../src/index/postal-index.ts'
import { cityKey } from '../../src/text/city.ts'
import { LARGE_CITIES, WITHOUT_CODES } from '../input/large-cities.ts'
import { meansOneCity, namesOf, type Typo, typosOf } from '../input/typos.ts'
import { worldIndex } from '../input/worlds.ts'
import { type Answer, measure, type Options, type Question } from '../question.ts'
import { percentile, spreadOf } from '../statistics.ts'

const COUNTRIES = [
  'US',
  'CA',
  'AU',
  'NZ',
  'DE',
  'FR',
  'IT',
  'ES',
  'NL',
  'BE',
  'AT',
  'CH',
  'SE',
  'NO',
  'FI',
  'DK',
  'PL',
  'BR',
  'MX',
  'TR',
]
const TYPOS = 5000

export const cityQuality: Question = {
  name: 'city-quality',
  text: 'whether misspelt city names find the city that was meant, and large cities their other names',
  rivals: false,
  run: runCityQuality,
}

interface Tally {
  unambiguous: number
  right: number
  exactAnsweredByAnother: number
  micros: number[]
}

async function runCityQuality({ quick, log }: Options): Promise<Answer> {
  const index = worldIndex()
  const countries = COUNTRIES.map(cc => countryByText(index, cc)).filter(
    country => country !== null && country !== undefined,
  )
  const tally: Tally = { unambiguous: 0, right: 0, exactAnsweredByAnother: 0, micros: [] }
  const count = Math.ceil((quick ? 500 : TYPOS) / countries.length)
  for (const [at, country] of countries.entries()) {
    log(country.cc)
    const names = namesOf(index, country)
    for (const typo of typosOf(index, country, count, 1 + at))
      judge(index, country, typo, meansOneCity(names, typo), tally)
  }
  const without = WITHOUT_CODES.filter(city => !hasCode(index, city.country, city.codes))
  const large = LARGE_CITIES.filter(
    ([cc, english]) => !without.some(city => city.country === cc && city.english === english),
  )
  const lost = large.flatMap(([cc, ...names]) =>
    names.filter(name => !isFound(index, cc, name)).map(name => `${name} (${cc})`),
  )
  const [median, p99] = [percentile(tally.micros, 0.5), percentile(tally.micros, 0.99)]
  return {
    measures: [
      measure('misspelt name', 'postrie, median', 'µs', spreadOf([median])),
      measure('misspelt name', 'postrie, 99th percentile', 'µs', spreadOf([p99])),
    ],
    ratios: [
      {
        text: `of ${tally.unambiguous} misspellings that mean one city, answered as that city`,
        value: tally.right / tally.unambiguous,
        wanted: '>= 0.95',
      },
      { text: 'exact names answered by another', value: tally.exactAnsweredByAnother, wanted: '<= 0' },
      { text: '99th percentile of a misspelt name in milliseconds', value: p99 / 1000, wanted: '<= 1' },
      {
        text: `of the ${large.length * 2} English and own names of large cities with codes in the data, found`,
        value: 1 - lost.length / (large.length * 2),
        wanted: '>= 1',
      },
    ],
    charts: [],
    notes: [
      `Countries: ${countries.map(({ cc }) => cc).join(' ')}.`,
      `Names of large cities not found: ${lost.join(', ') || 'none'}.`,
      ...without.map(
        ({ country, english, reason }) =>
          `Of ${LARGE_CITIES.length} large cities, ${english} (${country}) is not asked for: ${reason}.`,
      ),
    ],
  }
}

function judge(index: PostalIndex, country: Country, typo: Typo, isOne: boolean, tally: Tally): void {
  const { name, key, typed, stateCode } = typo
  const exact = searchCity(index, country, { city: name, state: undefined, stateCode })
  if (exact === undefined || exact.matched !== undefined) tally.exactAnsweredByAnother++
  const started = performance.now()
  const answer = searchCity(index, country, { city: typed, state: undefined, stateCode })
  tally.micros.push((performance.now() - started) * 1000)
  if (!isOne) return
  tally.unambiguous++
  // A misspelling may find the city by another of its names; the name that is shown is then the city's own.
  if (answer?.matched !== undefined && cityKey(answer.matched.city) === key) tally.right++
}

function isFound(index: PostalIndex, cc: string, city: string): boolean {
  const country = countryByText(index, cc)
  if (country === null || country === undefined) return false
  const answer = searchCity(index, country, { city, state: undefined, stateCode: undefined })
  return answer !== undefined && answer.matched === undefined
}

function hasCode(index: PostalIndex, cc: string, shape: RegExp): boolean {
  const country = countryByText(index, cc)
  if (country === null || country === undefined) return false
  const { codeStart, codeCount } = country.meta
  for (let code = codeStart; code < codeStart + codeCount; code++)
    if (shape.test(viewCode(index, country, code).key)) return true
  return false
}

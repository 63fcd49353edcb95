/** `test/data/typed-cities.tsv`: cities as people type them, and what share of them an index answers. */
import { readFileSync } from 'node:fs'
import { distanceKm } from '../../build-index/distance.ts'
import { type City, citiesOf, releaseCities } from '../../datasets/reference/cities-500.ts'
import { searchCity } from '../../src/index/cities/city-search.ts'
import { viewCode } from '../../src/index/codes/code-view.ts'
import type { Country } from '../../src/index/country.ts'
import { countriesOf, type PostalIndex } from '../../src/index/postal-index.ts'

export interface TypedCity {
  cc: string
  city: string
  state: string
  /** The code, or the beginning of one, that must be among the answer; `''` where nothing may be found. */
  code: string
  kind: string
}

export interface Tally {
  of: number
  found: number
  /** Queries of `of` whose code the index does not have, which no search can answer. */
  withoutData: number
  failures: string[]
}

export function typedCities(): TypedCity[] {
  return readFileSync('test/data/typed-cities.tsv', 'utf8')
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(line => {
      const [cc, city, state, code, kind] = line.split('\t')
      return { cc, city, state, code: bare(code), kind }
    })
}

/** How many queries of each kind `index` answers. */
export function tallyTyped(index: PostalIndex, queries: readonly TypedCity[]): Map<string, Tally> {
  const countries = new Map(countriesOf(index).map(country => [country.cc, country]))
  const keys = new Map<string, string[]>()
  const tallies = new Map<string, Tally>()
  for (const query of queries) {
    const country = countries.get(query.cc)
    let known = keys.get(query.cc)
    if (known === undefined) {
      known = country === undefined ? [] : keysOf(index, country)
      keys.set(query.cc, known)
    }
    const tally = tallies.get(query.kind) ?? { of: 0, found: 0, withoutData: 0, failures: [] }
    tallies.set(query.kind, tally)
    tally.of++
    const hasData = query.code === '' ? country !== undefined : known.some(key => key.startsWith(query.code))
    const problem = country === undefined ? 'no country' : problemOf(index, country, query)
    if (!hasData) tally.withoutData++
    else if (problem === '') tally.found++
    else tally.failures.push(`${query.cc}\t${query.city}\t${query.state}\t${query.code}\t${problem}`)
  }
  return tallies
}

function problemOf(index: PostalIndex, country: Country, { city, state, code }: TypedCity): string {
  const answer = searchCity(index, country, { city, state: state || undefined, stateCode: undefined })
  const named =
    answer?.matched === undefined ? '' : `${answer.matched.city} (${answer.matched.state || 'no state'}): `
  if (answer === undefined) return code === '' ? '' : 'not found'
  const { length } = answer.codes
  const codes = `${named}${answer.codes.slice(0, 5).join(' ')}${length > 5 ? ` and ${length - 5} more` : ''}`
  if (code === '') return codes
  return answer.codes.some(found => hasCode(bare(found), code)) ? '' : codes
}

/** Written forms may begin with the letters of their country: `LV1050`. */
function hasCode(found: string, code: string): boolean {
  return found.startsWith(code) || found.replace(/^[A-Z]{1,3}(?=\d)/, '').startsWith(code)
}

function bare(code: string): string {
  return code.replace(/[^A-Z0-9]/g, '')
}

function keysOf(index: PostalIndex, country: Country): string[] {
  const { codeStart, codeCount } = country.meta
  return Array.from({ length: codeCount }, (_, i) => viewCode(index, country, codeStart + i).key)
}

/** Sections, former and ruined places, and historical capitals: none of them is a city that people ask for. */
const NO_CITIES: ReadonlySet<string> = new Set(['PPLX', 'PPLH', 'PPLQ', 'PPLW', 'PPLCH'])
const POPULATION_MIN = 50_000
/** A country has data on a city if one of its codes lies this near; an answer without such a code is a namesake's. */
const NEAR_KM = 30

/** How many of the gazetteer's cities of 50,000 people are found by their exact name, in countries with codes near them. */
export function tallyNamed(index: PostalIndex): Tally {
  const tally: Tally = { of: 0, found: 0, withoutData: 0, failures: [] }
  for (const country of countriesOf(index)) {
    const { codeStart, codeCount } = country.meta
    const codes = Array.from({ length: codeCount }, (_, i) => viewCode(index, country, codeStart + i))
    const cities = citiesOf(country.cc).filter(
      ({ population, kind }) => population >= POPULATION_MIN && !NO_CITIES.has(kind),
    )
    for (const city of cities) {
      const near = new Set(codes.filter(code => isNear(city, code)).map(({ key }) => key))
      tally.of++
      if (near.size === 0) tally.withoutData++
      else {
        const answer = searchCity(index, country, {
          city: city.name,
          state: undefined,
          stateCode: undefined,
        })
        const isExact = answer !== undefined && answer.matched === undefined
        const keys = answer?.codes.map(bare) ?? []
        if (isExact && keys.some(key => near.has(key) || near.has(key.replace(/^[A-Z]{1,3}(?=\d)/, ''))))
          tally.found++
        else
          tally.failures.push(
            `${country.cc}\t${city.name}\t${city.population}\t${isExact ? keys.slice(0, 5) : (answer?.matched?.city ?? 'not found')}`,
          )
      }
    }
  }
  releaseCities()
  return tally
}

function isNear(city: City, { lat, lon }: { lat: number; lon: number }): boolean {
  return Math.abs(lat - city.lat) < 0.3 && distanceKm(city.lat, city.lon, lat, lon) <= NEAR_KM
}

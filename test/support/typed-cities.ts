/** `test/data/typed-cities.tsv`: cities as people type them, and what share of them an index answers. */
import { readFileSync } from 'node:fs'
import { viewAdmin, viewCode } from '../../build-index/check/code-view.ts'
import { distanceKm } from '../../build-index/distance.ts'
import { type City, citiesOf, releaseCities } from '../../datasets/reference/cities-500.ts'
import type { Accuracy } from '../../src/format/code-record.ts'
import { searchCity } from '../../src/index/cities/city-search.ts'
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
  const answer = searchCity(index, country, { city, state: state || undefined, ST: undefined })
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
/** An index has data on a city if one of its codes lies this near. */
const DATA_KM = 20
/** An answer with a code this near is not that of a namesake, nor one with a code in the same level-1 area. */
const NEAR_KM = 30

/** A code this near to the middle of a city, and none nearer, is its main one; where only its area lies so near, nobody knows. */
const MAIN_KM = 2

/**
 * How many of the gazetteer's cities of 50,000 people are found by their exact name, where the index has codes near them; and how many of
 * those that have a main code are found with it.
 */
export function tallyNamed(index: PostalIndex): { named: Tally; main: Tally } {
  const tally: Tally = { of: 0, found: 0, withoutData: 0, failures: [] }
  const main: Tally = { of: 0, found: 0, withoutData: 0, failures: [] }
  for (const country of countriesOf(index)) {
    const codes = codesOf(index, country)
    const byKey = new Map(codes.map(code => [code.key, code]))
    const cities = citiesOf(country.cc).filter(
      ({ population, kind }) => population >= POPULATION_MIN && !NO_CITIES.has(kind),
    )
    for (const city of cities) {
      const near = codes.filter(code => kmTo(city, code) <= NEAR_KM)
      tally.of++
      if (!near.some(code => kmTo(city, code) <= DATA_KM)) {
        tally.withoutData++
        continue
      }
      const areas = new Set(near.map(({ area }) => area).filter(area => area !== ''))
      const answer = searchCity(index, country, { city: city.name, state: undefined, ST: undefined })
      const isExact = answer !== undefined && answer.matched === undefined
      const found = isExact ? answer.codes.map(form => codeOf(byKey, bare(form))) : []
      if (found.some(code => code !== undefined && (near.includes(code) || areas.has(code.area))))
        tally.found++
      else {
        const problem = isExact ? answer.codes.slice(0, 5).join(' ') : (answer?.matched?.city ?? 'not found')
        tally.failures.push(`${country.cc}\t${city.name}\t\t${city.population}\t${problem}`)
      }
      const middle = near.filter(code => code.grade !== 'area' && kmTo(city, code) <= MAIN_KM)
      if (middle.length === 0) continue
      const nearestKm = Math.min(...middle.map(code => kmTo(city, code)))
      const mains = middle.filter(code => kmTo(city, code) === nearestKm)
      main.of++
      if (mains.some(code => found.includes(code))) main.found++
      else main.failures.push(`${country.cc}\t${city.name}\t\t${city.population}\t${mains[0].key}`)
    }
  }
  releaseCities()
  return { named: tally, main }
}

interface NamedCode {
  key: string
  lat: number
  lon: number
  /** Of level 1: its code, or its name where it has none. */
  area: string
  grade: Accuracy
}

function codesOf(index: PostalIndex, country: Country): NamedCode[] {
  const { codeStart, codeCount } = country.meta
  const areas = new Map<number, string>()
  return Array.from({ length: codeCount }, (_, i) => {
    const { key, lat, lon, grade, admin } = viewCode(index, country, codeStart + i)
    let area = areas.get(admin)
    if (area === undefined) {
      const { name1, code1 } = viewAdmin(index, admin)
      area = code1 || name1
      areas.set(admin, area)
    }
    return { key, lat, lon, grade, area }
  })
}

/** By its written form, which may begin with the letters of the country. */
function codeOf(byKey: ReadonlyMap<string, NamedCode>, form: string): NamedCode | undefined {
  return byKey.get(form) ?? byKey.get(form.replace(/^[A-Z]{1,3}(?=\d)/, ''))
}

/** Infinite where the latitudes alone are too far from each other, or the code has no position. */
function kmTo(city: City, { lat, lon }: NamedCode): number {
  return Math.abs(lat - city.lat) < 0.3 ? distanceKm(city.lat, city.lon, lat, lon) : Number.POSITIVE_INFINITY
}

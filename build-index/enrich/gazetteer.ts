/** The places of one country in the gazetteer, by name, by number and by position. */
import { type City, citiesOf } from '../../datasets/reference/cities-500.ts'
import { cityKey } from '../../src/text/city.ts'
import { distanceKm } from '../distance.ts'
import { CellGrid } from './cell-grid.ts'

/** A place of the same name further away than this is another one. */
export const SAME_PLACE_KM = 30
/** The elevation of a code is that of the nearest place, if it is at most this far; hills change it within a few km. */
export const ELEVATION_KM = 5

export interface Hint {
  lat: number
  lon: number
  /** GeoNames' own number of the level-1 area, if known. */
  admin1: string
  /** Codes of the administrative areas that the row names. */
  codes: readonly string[]
}

export class Gazetteer {
  readonly cities: readonly City[]
  /** Its only time zone, or `''` when the country has several. */
  readonly timezone: string
  readonly #byName = new Map<string, City[]>()
  readonly #byNumber = new Map<string, City[]>()
  readonly #grid: CellGrid<City>

  constructor(country: string) {
    this.cities = citiesOf(country)
    for (const city of this.cities) {
      for (const key of new Set([city.name, city.asciiName, ...city.otherNames].map(cityKey)))
        push(this.#byName, key, city)
      const number = city.admin4 || city.admin3
      if (number !== '') push(this.#byNumber, number, city)
    }
    this.#grid = new CellGrid(this.cities)
    const zones = new Set(this.cities.map(city => city.timezone))
    this.timezone = zones.size === 1 ? [...zones][0] : ''
  }

  /** Places of a name, in any language, by its `cityKey`. */
  named(key: string): readonly City[] {
    return this.#byName.get(key) ?? []
  }

  /** The place that `key` means: of its municipality's number, else near, else in its area, else the largest. */
  find(key: string, hint: Hint): City | null {
    const named = this.named(key)
    if (named.length === 0) return null
    const numbered = named.filter(city => hint.codes.includes(city.admin4 || city.admin3))
    if (numbered.length > 0) return largest(numbered)
    if (!Number.isNaN(hint.lat))
      return largest(
        named.filter(city => distanceKm(city.lat, city.lon, hint.lat, hint.lon) <= SAME_PLACE_KM),
      )
    const inArea = hint.admin1 === '' ? named : named.filter(city => city.admin1 === hint.admin1)
    return largest(inArea)
  }

  /** The largest place of the municipality that one of `codes` numbers; null when none does. */
  numbered(codes: readonly string[]): City | null {
    for (const code of codes)
      if (code !== '') {
        const cities = this.#byNumber.get(code)
        if (cities !== undefined) return largest(cities)
      }
    return null
  }

  /** The nearest place within `maxKm`, or null. Costs a few hundred nanoseconds. */
  nearest(lat: number, lon: number, maxKm: number): City | null {
    return this.#grid.nearest(lat, lon, maxKm)
  }
}

function push(map: Map<string, City[]>, key: string, city: City): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [city])
  else list.push(city)
}

function largest(cities: readonly City[]): City | null {
  let best: City | null = null
  for (const city of cities) if (best === null || city.population > best.population) best = city
  return best
}

/** Places of a country in the gazetteer, by name, number and position. */
import { addTo } from '../../datasets/maps.ts'
import { type City, citiesOf } from '../../datasets/reference/cities-500.ts'
import { currentZone } from '../../datasets/reference/time-zone.ts'
import { cityKey } from '../../src/text/city.ts'
import { distanceKm } from '../distance.ts'
import { CellGrid } from './cell-grid.ts'

/** Beyond this distance a place of the same name is another one. */
export const SAME_PLACE_KM = 30
/** Radius of a country that one place may stand for. */
const SMALL_COUNTRY_KM = 30
/** Maximum distance to the place whose elevation a code takes. */
const ELEVATION_KM = 5
/**
 * Radius within which places show that the land is flat.
 * With places left out, such an estimate is within 33 m for nine of ten in 15 countries; the nearest place
 * within 5 km is off by 63 m.
 */
const PLAIN_KM = 20
const PLAIN_METRES = 60
const PLAIN_PLACES_MIN = 3
const PLAIN_PLACES_MAX = 4

/** A place this many times as large as its namesakes is the one that everybody means. */
const DOMINANCE = 5

export interface Hint {
  /** Reliable position; NaN when there is none. */
  lat: number
  lon: number
  /** Numbers of level-1 areas that the place may lie in; undefined when unknown. */
  areas: ReadonlySet<string> | undefined
  /** Codes of the areas that the row names. */
  codes: readonly string[]
}

export class Gazetteer {
  readonly cities: readonly City[]
  readonly zones: ReadonlySet<string>
  readonly #byName = new Map<string, City[]>()
  readonly #byNumber = new Map<string, City[]>()
  readonly #grid: CellGrid<City>

  constructor(country: string) {
    this.cities = citiesOf(country)
    for (const city of this.cities) {
      for (const key of new Set([city.name, city.asciiName, ...city.otherNames].map(cityKey)))
        addTo(this.#byName, key, city)
      const number = city.admin4 || city.admin3
      if (number !== '') addTo(this.#byNumber, number, city)
    }
    this.#grid = new CellGrid(this.cities)
    this.zones = new Set(this.cities.map(city => currentZone(city.timezone)))
  }

  /** Returns the places of a name in any language, by `cityKey`. */
  named(key: string): readonly City[] {
    return this.#byName.get(key) ?? []
  }

  /**
   * Returns the place that `key` means: of its municipality's number, else near, else the largest in its
   * area,
   * else one far larger than its namesakes. Returns null otherwise: a namesake elsewhere is worse than
   * nothing.
   */
  find(key: string, hint: Hint): City | null {
    const named = this.named(key)
    if (named.length === 0) return null
    const { areas } = hint
    const inArea = areas === undefined ? named : named.filter(city => areas.has(city.admin1))
    const numbered = inArea.filter(city => {
      const number = city.admin4 || city.admin3
      return number !== '' && hint.codes.includes(number)
    })
    if (numbered.length > 0) return largest(numbered)
    if (!Number.isNaN(hint.lat))
      return largest(
        named.filter(city => distanceKm(city.lat, city.lon, hint.lat, hint.lon) <= SAME_PLACE_KM),
      )
    return areas === undefined ? dominant(named) : largest(inArea)
  }

  /** Returns the largest place of the first municipality that `codes` number, or null. */
  numbered(codes: readonly string[]): City | null {
    for (const code of codes)
      if (code !== '') {
        const cities = this.#byNumber.get(code)
        if (cities !== undefined) return largest(cities)
      }
    return null
  }

  /** Largest place of a country that it can stand for, such as Norfolk Island; null for most. */
  get main(): City | null {
    const main = largest(this.cities)
    const isNear = (city: City) =>
      main !== null && distanceKm(city.lat, city.lon, main.lat, main.lon) <= SMALL_COUNTRY_KM
    return this.cities.every(isNear) ? main : null
  }

  /**
   * Returns the elevation in metres: of the nearest place, or between the places around where the land is
   * flat, else NaN.
   */
  elevationAt(lat: number, lon: number): number {
    const near = this.nearest(lat, lon, ELEVATION_KM)
    if (near !== null && !Number.isNaN(near.elevation)) return near.elevation
    const around = [...this.#grid.within(lat, lon, PLAIN_KM)]
      .filter(({ elevation }) => !Number.isNaN(elevation))
      .map(({ elevation, ...at }) => ({ elevation, km: distanceKm(lat, lon, at.lat, at.lon) }))
      .sort((a, b) => a.km - b.km)
      .slice(0, PLAIN_PLACES_MAX)
    const heights = around.map(({ elevation }) => elevation)
    if (heights.length < PLAIN_PLACES_MIN || Math.max(...heights) - Math.min(...heights) > PLAIN_METRES)
      return Number.NaN
    const weights = around.map(({ km }) => 1 / Math.max(km, 1))
    const sum = weights.reduce((all, weight) => all + weight, 0)
    return Math.round(weights.reduce((all, weight, i) => all + weight * heights[i], 0) / sum)
  }

  /** Returns the nearest place within `maxKm`, or null. Costs a few hundred nanoseconds. */
  nearest(lat: number, lon: number, maxKm: number): City | null {
    return this.#grid.nearest(lat, lon, maxKm)
  }
}

/** Returns the largest of `cities` if it is far larger than all others elsewhere. */
function dominant(cities: readonly City[]): City | null {
  const best = largest(cities)
  if (best === null) return null
  const rivals = cities.filter(city => distanceKm(city.lat, city.lon, best.lat, best.lon) > SAME_PLACE_KM)
  return rivals.every(({ population }) => population * DOMINANCE < best.population) ? best : null
}

function largest(cities: readonly City[]): City | null {
  let best: City | null = null
  for (const city of cities) if (best === null || city.population > best.population) best = city
  return best
}

/** Places of a country in the gazetteer, by name, number and position. */
import { addTo } from '../../datasets/maps.ts'
import { type City, citiesOf } from '../../datasets/reference/cities-500.ts'
import { currentZone } from '../../datasets/reference/time-zone.ts'
import { keyOfWords } from '../../src/postal/text/city.ts'
import { isPlaced, isWithin, kmBetween, type Point } from '../distance.ts'
import {
  AGREED_KM,
  AGREEING_MIN,
  AT_PLACE_KM,
  DENSITY,
  DOMINANCE,
  NEIGHBOURS,
  NEXT_PLACE_KM,
  PLAIN_METRES,
  SAME_PLACE_KM,
} from '../thresholds.ts'
import { CellGrid } from './cell-grid.ts'

/** The gazetteer's numbers of level-1 areas, or of level-2 areas after a tab. */
export type AreaNumbers = ReadonlySet<string>

/** Evidence about a place; its position is reliable or NaN. */
export interface Hint extends Point {
  /** Level-1 areas that the place may lie in; undefined when unknown. */
  areas: AreaNumbers | undefined
  codes: readonly string[]
}

export class Gazetteer {
  readonly cities: readonly City[]
  readonly zones: ReadonlySet<string>
  /** Place that stands for a whole small territory, such as Norfolk Island; null elsewhere. */
  readonly main: City | null
  readonly #byName = new Map<string, City[]>()
  readonly #byNumber = new Map<string, City[]>()
  readonly #grid: CellGrid<City>

  constructor(country: string) {
    this.cities = citiesOf(country)
    for (const city of this.cities) {
      for (const key of new Set(city.keys)) addTo(this.#byName, key, city)
      addTo(this.#byNumber, municipalityNumber(city), city)
    }
    this.#grid = new CellGrid(this.cities)
    const main = largest(this.cities)
    this.main = this.cities.every(city => kmBetween(city, main ?? city) <= SAME_PLACE_KM) ? main : null
    this.zones = new Set(this.cities.map(city => currentZone(city.timezone)))
  }

  /** Returns the places of a name in any language, by `cityKey`. */
  named(key: string): readonly City[] {
    return this.#byName.get(key) ?? []
  }

  /**
   * Returns the place that `key` means: by its municipality's number, else nearby, else in its area, else far larger
   * than its namesakes. Null is better than a namesake.
   */
  find(key: string, hint: Hint): City | null {
    const named = this.named(key)
    if (named.length === 0) return null
    const { areas } = hint
    const inArea = areas === undefined ? named : named.filter(city => isIn(areas, city))
    const codes = hint.codes.filter(code => code !== '')
    const numbered = inArea.filter(city => codes.includes(municipalityNumber(city)))
    if (numbered.length > 0) return largest(numbered)
    if (isPlaced(hint)) {
      const near = named.filter(city => isWithin(city, hint, SAME_PLACE_KM))
      // Darwin was once called Palmerston, like the town beside it.
      const there = near.filter(city => isWithin(city, hint, AT_PLACE_KM) && city.keys[0] === key)
      return largest(there) ?? largest(near)
    }
    return areas === undefined ? dominant(named) : largest(inArea)
  }

  /** Returns the largest place of the first municipality that `codes` number, or null. */
  numbered(codes: readonly string[]): City | null {
    const known = codes.find(code => code !== '' && this.#byNumber.has(code))
    return known === undefined ? null : largest(this.#byNumber.get(known) ?? [])
  }

  /** Returns the elevation of the nearest place, or between places around where the land is flat, else NaN. */
  elevationAt(lat: number, lon: number): number {
    const near = this.nearest(lat, lon, NEXT_PLACE_KM)
    if (near !== null && near.elevation >= 0) return near.elevation
    const around = [...this.#grid.within(lat, lon, AGREED_KM)]
      .filter(city => city !== near && !Number.isNaN(city.elevation))
      .map(city => ({ elevation: city.elevation, km: kmBetween({ lat, lon }, city) }))
      .sort((a, b) => a.km - b.km)
      .slice(0, NEIGHBOURS)
    const heights = around.map(({ elevation }) => elevation)
    // Deep below all around, which are above the sea, it is a mine: Orgreave.
    const isAbove = (height: number) => height >= 0 && height > PLAIN_METRES + (near?.elevation ?? 0)
    const isDeep = heights.length === NEIGHBOURS && heights.every(isAbove)
    if (near !== null && near.elevation < 0 && !isDeep) return near.elevation
    if (heights.length < AGREEING_MIN || Math.max(...heights) - Math.min(...heights) > PLAIN_METRES)
      return Number.NaN
    const weights = around.map(({ km }) => 1 / Math.max(km, 1))
    const sum = weights.reduce((all, weight) => all + weight, 0)
    return Math.round(weights.reduce((all, weight, i) => all + weight * heights[i], 0) / sum)
  }

  /** Costs a few hundred nanoseconds. */
  nearest(lat: number, lon: number, maxKm: number): City | null {
    return this.#grid.nearest(lat, lon, maxKm)
  }
}

/** Returns the largest of `cities` if it is far larger than all others elsewhere. */
export function dominant(cities: readonly City[]): City | null {
  const best = largest(cities)
  if (best === null) return null
  const rivals = cities.filter(city => kmBetween(city, best) > SAME_PLACE_KM)
  return rivals.every(({ population }) => population * DOMINANCE < best.population) ? best : null
}

/** Returns true if `areas` has the level-1 or level-2 area of `city`. */
export function isIn(areas: AreaNumbers, city: City): boolean {
  return areas.has(city.admin1) || areas.has(city.level2)
}

function municipalityNumber({ admin3, admin4 }: City): string {
  return admin4 || admin3
}

/** Returns the keys of the first word of a name, the first two, and so on. */
export function keysOfBeginnings(words: readonly string[]): string[] {
  return words.map((_, i) => keyOfWords(words.slice(0, i + 1)))
}

/** Returns the radius of the circle that the people of a city fill, at least `minKm`. */
export function radiusKm({ population }: City, minKm: number): number {
  return Math.max(minKm, Math.sqrt(population / DENSITY / Math.PI))
}

export function largest(cities: readonly City[]): City | null {
  let best: City | null = null
  for (const city of cities) if (best === null || city.population > best.population) best = city
  return best
}

/** Returns true if `at` lies at a place of the gazetteer. */
export function isAtPlace(city: City | null | undefined, at: Point, km: number): boolean {
  return city != null && isWithin(at, city, km)
}

/** Extents of a country's areas. They tell a position from a namesake's. */
import { addTo, getOrMake, memoised } from '../../datasets/maps.ts'
import type { City } from '../../datasets/reference/cities-500.ts'
import { kmBetween } from '../distance.ts'
import { CellGrid } from '../gazetteer/cell-grid.ts'
import { type AreaNumbers, type Gazetteer, isIn } from '../gazetteer/gazetteer.ts'
import type { AnyCode } from '../rows/code.ts'
import type { Areas } from '../rows/places.ts'
import { AGREED_KM, NEAREST_KM, REMOTE_FACTOR, REMOTE_KM } from '../thresholds.ts'
import { type LearntAreas, learnAreas } from './learn-areas.ts'

export class AreaExtents {
  readonly #gazetteer: Gazetteer
  readonly #learnt: LearntAreas
  /**
   * Level-2 areas, and areas known only by number and name. They refuse a namesake, but are too uncertain to judge a
   * point.
   */
  readonly #anyLevel2: ReadonlyMap<string, AreaNumbers>
  readonly #cities = new Map<string, City[]>()
  /** Results of `holds` by label and by position, rounded to a hundred metres. */
  readonly #held = new Map<string, Map<number, boolean>>()

  /** Learns the meaning of labels from the codes. Costs about 2 us a code. */
  constructor(country: string, codes: readonly AnyCode[], gazetteer: Gazetteer) {
    this.#gazetteer = gazetteer
    this.#learnt = learnAreas(country, codes, gazetteer)
    this.#anyLevel2 = new Map([...this.#learnt.numbered, ...this.#learnt.level2])
    for (const city of gazetteer.cities)
      for (const area of [city.admin1, city.level2]) addTo(this.#cities, area, city)
  }

  /** Returns the gazetteer's level-1 areas for `admin`; undefined when unknown. */
  areasOf(admin: Areas): AreaNumbers | undefined {
    return this.#learnt.level1.get(admin.level1)
  }

  /** Returns true if `city` may lie in the smallest known area of `admin`. Larger ones may be from before a reform. */
  mayHave(admin: Areas, city: City): boolean {
    return this.#mayHave(this.#anyLevel2, admin, city)
  }

  /** Returns `mayHave` for a city with codes of the area in its circle: rows of Kota Tegal have the area around it. */
  mayReach(admin: Areas, city: City): boolean {
    return this.#mayHave(this.#learnt.level2, admin, city)
  }

  #mayHave(known: ReadonlyMap<string, AreaNumbers>, admin: Areas, city: City): boolean {
    const level2 = city.level2 === '' ? undefined : known.get(admin.level2)
    const areas = this.areasOf(admin)
    return level2?.has(city.level2) ?? (areas === undefined || isIn(areas, city))
  }

  knowsLevel2(admin: Areas): boolean {
    return this.#anyLevel2.has(admin.level2)
  }

  /** Returns true if the place nearest to a position is surely in the level-2 area of `admin`. */
  isInLevel2(admin: Areas, lat: number, lon: number): boolean {
    const level2 = this.#learnt.level2.get(admin.level2)
    const nearest = level2 === undefined ? null : this.#gazetteer.nearest(lat, lon, NEAREST_KM)
    return nearest !== null && level2?.has(nearest.level2) === true
  }

  /** Returns the gazetteer's places in the level-1 area of `admin`, or in the country where that is unknown. */
  placesOfArea(admin: Areas): readonly City[] {
    const areas = this.areasOf(admin)
    return areas === undefined ? this.#gazetteer.cities : this.#citiesIn(areas)
  }

  /** Returns the gazetteer's places in the level-2 area of `admin`; none when the area is unknown. */
  placesOfLevel2(admin: Areas): readonly City[] {
    const level2 = this.#learnt.level2.get(admin.level2)
    return level2 === undefined ? this.placesOfNumber(admin) : this.#citiesIn(level2)
  }

  /** Returns the gazetteer's places in the level-2 area that has the number of `admin`. */
  readonly placesOfNumber = memoised((admin: Areas): readonly City[] => {
    const areas = admin.code2 === '' ? [] : [...(this.areasOf(admin) ?? [])]
    return areas.flatMap(area => this.#cities.get(`${area}\t${admin.code2}`) ?? [])
  })

  /** Returns true if a position may lie in the smallest known area of `admin`, else in the country. */
  holds(admin: Areas, lat: number, lon: number): boolean {
    if (Number.isNaN(lat)) return false
    if (this.#gazetteer.cities.length === 0) return true
    const label = this.#learnt.level2.has(admin.level2) ? admin.level2 : admin.level1
    const held = getOrMake(this.#held, label, () => new Map<number, boolean>())
    const spot = Math.round(lat * 1000) * 1e6 + Math.round(lon * 1000)
    let isHeld = held.get(spot)
    if (isHeld === undefined) {
      isHeld = this.#find(admin, label, lat, lon)
      held.set(spot, isHeld)
    }
    return isHeld
  }

  /** Returns the nearest place in the level-1 area of `admin`, or in the country where that is unknown. */
  nearest(admin: Areas, lat: number, lon: number, maxKm: number): City | null {
    const areas = this.areasOf(admin)
    return areas === undefined
      ? this.#gazetteer.nearest(lat, lon, maxKm)
      : this.nearestIn(areas, lat, lon, maxKm)
  }

  /** Returns the nearest place in areas of the gazetteer, or null. */
  nearestIn(areas: AreaNumbers, lat: number, lon: number, maxKm: number): City | null {
    return this.#gridOf(areas).nearest(lat, lon, maxKm)
  }

  readonly #gridOf = memoised((areas: AreaNumbers) => new CellGrid(this.#citiesIn(areas)))

  #find(admin: Areas, label: string, lat: number, lon: number): boolean {
    const gazetteer = this.#gazetteer
    const nearest = gazetteer.nearest(lat, lon, NEAREST_KM)
    const areas = this.#learnt.level2.get(label) ?? this.#learnt.level1.get(label)
    if (areas === undefined) return nearest !== null || gazetteer.nearest(lat, lon, REMOTE_KM) !== null
    if (nearest !== null && this.mayHave(admin, nearest)) return true
    if (this.nearestIn(areas, lat, lon, AGREED_KM) !== null) return true
    if (nearest !== null) return false
    // Far from everything, the area whose place is about the nearest may hold the position.
    const any = gazetteer.nearest(lat, lon, REMOTE_KM)
    if (any === null) return false
    const anyKm = kmBetween({ lat, lon }, any)
    return this.nearestIn(areas, lat, lon, Math.min(REMOTE_KM, REMOTE_FACTOR * anyKm)) !== null
  }

  readonly #citiesIn = memoised((areas: AreaNumbers): readonly City[] =>
    [...areas].flatMap(area => this.#cities.get(area) ?? []),
  )
}

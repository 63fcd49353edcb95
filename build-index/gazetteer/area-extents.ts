/** Extents of a country's areas. They tell a position from a namesake's. */
import { addTo, addToSet, getOrMake } from '../../datasets/maps.ts'
import type { City } from '../../datasets/reference/cities-500.ts'
import { kmBetween, type Point } from '../distance.ts'
import { type Areas, adminsOf, type Code } from '../rows/places.ts'
import type { RowCode } from '../rows/row-code.ts'
import { AROUND_KM, NEAREST_KM, REACH_SHARE, REMOTE_FACTOR, REMOTE_KM, WITNESSES_MIN } from '../thresholds.ts'
import { CellGrid } from './cell-grid.ts'
import { type AreaNumbers, cityReachKm, type Gazetteer, isIn, partNumber } from './gazetteer.ts'
import { learnAreas } from './learn-areas.ts'

export class AreaExtents {
  readonly #gazetteer: Gazetteer
  /** Level-1 areas of the gazetteer, by label. */
  readonly #areas: ReadonlyMap<string, AreaNumbers>
  /** Level-2 areas of the gazetteer, by label. */
  readonly #parts: ReadonlyMap<string, AreaNumbers>
  /** As `#parts`, with those that tell of a place, but not of every position. */
  readonly #allParts: ReadonlyMap<string, AreaNumbers>
  readonly #grids = new Map<AreaNumbers, CellGrid<City>>()
  readonly #cities = new Map<string, City[]>()
  /** Results of `#citiesIn`. */
  readonly #citiesOf = new Map<AreaNumbers, readonly City[]>()
  readonly #numbered = new Map<Areas, AreaNumbers>()
  /** Results of `holds` by label and by position, rounded to a hundred metres. */
  readonly #held = new Map<string, Map<number, boolean>>()

  /** Labels of level 2 by those of level 1, and of level 3 by those of level 2. */
  readonly #below = new Map<string, Set<string>>()

  /** Learns the meaning of labels from the codes. Costs about 2 us a code. */
  constructor(country: string, codes: readonly RowCode[], gazetteer: Gazetteer) {
    this.#gazetteer = gazetteer
    const { areas, parts, numbered } = learnAreas(country, codes, gazetteer)
    this.#areas = areas
    this.#parts = parts
    this.#allParts = new Map([...numbered, ...parts])
    for (const admin of adminsOf(codes)) {
      if (admin.part !== '') addToSet(this.#below, admin.label, admin.part)
      if (smallLabel(admin) !== '') addToSet(this.#below, admin.part, smallLabel(admin))
    }
    for (const city of gazetteer.cities)
      for (const area of [city.admin1, partNumber(city)]) addTo(this.#cities, area, city)
  }

  /** Returns the gazetteer's level-1 areas for `admin`; undefined when unknown. */
  areasOf(admin: Areas): AreaNumbers | undefined {
    return this.#areas.get(admin.label)
  }

  /** Returns true if `city` may lie in the smallest known area of `admin`. Larger ones may be from before a reform. */
  mayHave(admin: Areas, city: City): boolean {
    return this.#mayHave(this.#allParts, admin, city)
  }

  /** As `mayHave`, for a city with codes of the area in its circle: rows of Kota Tegal have the area around it. */
  mayReach(admin: Areas, city: City): boolean {
    return this.#mayHave(this.#parts, admin, city)
  }

  #mayHave(parts: ReadonlyMap<string, AreaNumbers>, admin: Areas, city: City): boolean {
    const number = partNumber(city)
    const part = number === '' ? undefined : parts.get(admin.part)
    const areas = this.areasOf(admin)
    return part?.has(number) ?? (areas === undefined || isIn(areas, city))
  }

  knowsPart(admin: Areas): boolean {
    return this.#allParts.has(admin.part)
  }

  /** Returns true if the place nearest to a position is surely in the level-2 area of `admin`. */
  isInPart(admin: Areas, lat: number, lon: number): boolean {
    const part = this.#parts.get(admin.part)
    const nearest = part === undefined ? null : this.#gazetteer.nearest(lat, lon, NEAREST_KM)
    return nearest !== null && part?.has(partNumber(nearest)) === true
  }

  /** Returns the gazetteer's places in the level-2 area of `admin`; none when the area is unknown. */
  placesOfPart(admin: Areas): readonly City[] {
    return this.#citiesIn(this.#parts.get(admin.part) ?? this.#numbers(admin))
  }

  #numbers(admin: Areas): AreaNumbers {
    return getOrMake(this.#numbered, admin, () => {
      const areas = admin.code2 === '' ? [] : [...(this.areasOf(admin) ?? [])]
      return new Set(areas.map(area => `${area}\t${admin.code2}`))
    })
  }

  /** Returns the distance in km within which 90 percent of the level-1 area's places lie. */
  reachKm(admin: Areas, middle: Point): number {
    const areas = this.areasOf(admin)
    const places = areas === undefined ? this.#gazetteer.cities : this.#citiesIn(areas)
    // A seat alone shows no extent, except that of a city.
    const isKnown = places.length >= Math.min(WITNESSES_MIN, this.#gazetteer.cities.length)
    return (isKnown ? reachOf(places, middle) : cityReachKm(admin.name1, places)) ?? Number.POSITIVE_INFINITY
  }

  /** Returns the distance in km within which 90 percent of the level-2 area's places lie; 0 when unknown. */
  partReachKm(admin: Areas, middle: Point): number {
    return reachOf(this.placesOfPart(admin), middle) ?? 0
  }

  /** Returns the reach of a level-2 area that is a city, however far its codes are scattered; undefined for others. */
  cityPartReachKm(admin: Areas): number | undefined {
    return cityReachKm(admin.name2, this.#citiesIn(this.#numbers(admin)))
  }

  /**
   * Returns the extent of the area that `point` stands for: the distance in km within which 90 percent of its places lie.
   * It is the smallest area that nearly all of `crowd`, the codes at the point, share.
   */
  crowdReachKm(crowd: readonly Code[], point: Point): number {
    const reaches: [labelOf: (admin: Areas) => string, reachOf: (admin: Areas) => number][] = [
      [smallLabel, admin => this.smallReachKm(admin, point)],
      [({ part }) => part, admin => this.partReachKm(admin, point)],
      [({ label }) => label, admin => this.reachKm(admin, point)],
    ]
    for (const [labelOf, reachOf] of reaches) {
      const admins = new Map<string, { admin: Areas; codes: number }>()
      for (const {
        places: [{ admin }],
      } of crowd)
        getOrMake(admins, labelOf(admin), () => ({ admin, codes: 0 })).codes++
      const shared = Array.from(admins).find(
        ([label, { codes }]) => label !== '' && codes >= crowd.length * REACH_SHARE,
      )
      const km = shared === undefined ? 0 : reachOf(shared[1].admin)
      if (km > 0) return km
    }
    return Number.POSITIVE_INFINITY
  }

  /** Returns the reach of a level-3 area, as one of equal parts of its level-2 area; 0 when unknown. */
  smallReachKm(admin: Areas, point: Point): number {
    const parts = this.#below.get(admin.part)?.size ?? 0
    const isInside = parts > 0 && smallLabel(admin) !== '' && this.holds(admin, point.lat, point.lon)
    return isInside ? this.partReachKm(admin, point) / Math.sqrt(parts) : 0
  }

  /** Returns the reach of a level-2 area, as one of equal parts of its level-1 area. */
  shareReachKm(admin: Areas, point: Point): number {
    return this.reachKm(admin, point) / Math.sqrt(this.#below.get(admin.label)?.size ?? 1)
  }

  /** Returns true if a position may lie in the smallest known area of `admin`, else in the country. */
  holds(admin: Areas, lat: number, lon: number): boolean {
    if (Number.isNaN(lat)) return false
    if (this.#gazetteer.cities.length === 0) return true
    const label = this.#knownLabel(admin)
    const held = getOrMake(this.#held, label, () => new Map<number, boolean>())
    const spot = Math.round(lat * 1000) * 1e6 + Math.round(lon * 1000)
    return getOrMake(held, spot, () => this.#find(admin, label, lat, lon))
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
    return getOrMake(this.#grids, areas, () => new CellGrid(this.#citiesIn(areas))).nearest(lat, lon, maxKm)
  }

  #knownLabel(admin: Areas): string {
    const part = admin.part
    return this.#parts.has(part) ? part : admin.label
  }

  #find(admin: Areas, label: string, lat: number, lon: number): boolean {
    const gazetteer = this.#gazetteer
    const nearest = gazetteer.nearest(lat, lon, NEAREST_KM)
    const areas = this.#parts.get(label) ?? this.#areas.get(label)
    if (areas === undefined) return nearest !== null || gazetteer.nearest(lat, lon, REMOTE_KM) !== null
    if (nearest !== null && this.mayHave(admin, nearest)) return true
    if (this.nearestIn(areas, lat, lon, AROUND_KM) !== null) return true
    if (nearest !== null) return false
    // Far from everything, the area whose place is about the nearest may hold the position.
    const any = gazetteer.nearest(lat, lon, REMOTE_KM)
    if (any === null) return false
    const anyKm = kmBetween({ lat, lon }, any)
    return this.nearestIn(areas, lat, lon, Math.min(REMOTE_KM, REMOTE_FACTOR * anyKm)) !== null
  }

  #citiesIn(areas: AreaNumbers): readonly City[] {
    return getOrMake(this.#citiesOf, areas, () => [...areas].flatMap(area => this.#cities.get(area) ?? []))
  }
}

/** Returns the label of the level-3 area, `''` for none. */
function smallLabel({ part, name3, code3 }: Areas): string {
  return part === '' || name3 === '' ? '' : `${part}\t${name3 || code3}`
}

function reachOf(places: readonly City[], middle: Point): number | undefined {
  const km = Float64Array.from(places, city => kmBetween(city, middle)).sort()
  return km[Math.ceil(km.length * REACH_SHARE) - 1]
}

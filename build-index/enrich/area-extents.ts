/** Where the areas of a country lie, so that a position can be told from a namesake's. */
import { addTo, getOrMake } from '../../datasets/maps.ts'
import type { City } from '../../datasets/reference/cities-500.ts'
import { distanceKm } from '../distance.ts'
import type { AdminModel } from '../model.ts'
import type { CodeDraft } from '../rows/drafts.ts'
import { areaLabel, type Numbers, numbersOf, partLabel } from './area-labels.ts'
import { CellGrid, type Point } from './cell-grid.ts'
import type { Gazetteer } from './gazetteer.ts'
import { learnAreas, NEAREST_KM } from './learn-areas.ts'

/** A place of the own area this near is enough: a border runs between villages, not through them. */
const OWN_KM = 20
/** Where nobody lives near, the own area's places may be this far. */
const REMOTE_KM = 300
/** There the nearest place of the own area may be this many times as far as the nearest of all. */
const REMOTE_FACTOR = 2.5

/** The share of the places of an area that an estimate for it has to reach. */
const REACH_SHARE = 0.9

export class AreaExtents {
  readonly #gazetteer: Gazetteer
  /** By label: the gazetteer's level-1 areas that it stands for. */
  readonly #areas: ReadonlyMap<string, Numbers>
  /** By label of a level-2 area: the gazetteer's level-2 areas. */
  readonly #parts: ReadonlyMap<string, Numbers>
  /** The same by their names or numbers alone. A county may have few places, so this is no reason to doubt a position. */
  readonly #numbered: ReadonlyMap<string, Numbers>
  readonly #grids = new Map<string, CellGrid<City>>()
  /** By numbers of a level-1 or a level-2 area. */
  readonly #cities = new Map<string, City[]>()
  /** By label: what was found for positions, each rounded to a hundred metres. */
  readonly #held = new Map<string, Map<number, boolean>>()

  /** Learns from the codes which of the gazetteer's areas each label means. Costs about 2 us a position. */
  constructor(country: string, codes: readonly CodeDraft[], gazetteer: Gazetteer) {
    this.#gazetteer = gazetteer
    const { areas, parts, numbered } = learnAreas(country, codes, gazetteer)
    this.#areas = areas
    this.#parts = parts
    this.#numbered = numbered
    for (const city of gazetteer.cities)
      for (const area of [city.admin1, numbersOf(city)]) addTo(this.#cities, area, city)
  }

  /** The gazetteer's level-1 areas that `admin` stands for; undefined when that is not known. */
  areasOf(admin: AdminModel): Numbers | undefined {
    return this.#areas.get(areaLabel(admin))
  }

  /**
   * True if the gazetteer's `city` may lie in the level-2 area of `admin` where that is known, or else in its level-1 area. The smaller
   * area decides, because sources that name both keep the larger one from before a reform.
   */
  mayHave(admin: AdminModel, city: City): boolean {
    const number = numbersOf(city)
    const part = number === '' ? undefined : this.#parts.get(partLabel(admin))
    return part?.has(number) ?? this.areasOf(admin)?.has(city.admin1) ?? true
  }

  /** True if it is known where the level-2 area of `admin` lies. */
  knowsPart(admin: AdminModel): boolean {
    return this.#parts.has(partLabel(admin))
  }

  /** True if the place nearest to a position is surely in the level-2 area of `admin`, by the names in it, by its own or by its number. */
  isInPart(admin: AdminModel, lat: number, lon: number): boolean {
    const label = partLabel(admin)
    const part = this.#parts.get(label) ?? this.#numbered.get(label)
    const nearest = part === undefined ? null : this.#gazetteer.nearest(lat, lon, NEAREST_KM)
    return nearest !== null && part?.has(numbersOf(nearest)) === true
  }

  /** The gazetteer's places in the level-2 area of `admin`, by their names or its number; none where it is not known which they are. */
  placesOfPart(admin: AdminModel): readonly City[] {
    const numbered = Array.from(this.areasOf(admin) ?? [], area => `${area}\t${admin.code2}`)
    const parts = this.#parts.get(partLabel(admin)) ?? (admin.code2 === '' ? [] : numbered)
    return this.#citiesIn(parts)
  }

  /** Distance from `middle` that nine of ten places in the level-1 area of `admin` are within, in km; infinite where it is not known. */
  reachKm(admin: AdminModel, middle: Point): number {
    const areas = this.areasOf(admin)
    const places = areas === undefined ? this.#gazetteer.cities : this.#citiesIn(areas)
    return reachOf(places, middle) ?? Number.POSITIVE_INFINITY
  }

  /** The same of the level-2 area; 0 where it is not known. */
  partReachKm(admin: AdminModel, middle: Point): number {
    return reachOf(this.placesOfPart(admin), middle) ?? 0
  }

  /** True if a position may be in the smallest area of `admin` that is known, or in the country where none is. */
  holds(admin: AdminModel, lat: number, lon: number): boolean {
    if (Number.isNaN(lat)) return false
    if (this.#gazetteer.cities.length === 0) return true
    const label = this.#knownLabel(admin)
    const held = getOrMake(this.#held, label, () => new Map<number, boolean>())
    const spot = Math.round(lat * 1000) * 1e6 + Math.round(lon * 1000)
    return getOrMake(held, spot, () => this.#find(admin, label, lat, lon))
  }

  /** The gazetteer's place nearest to a position, of those in the level-1 area of `admin` where that is known; null when none is in reach. */
  nearest(admin: AdminModel, lat: number, lon: number, maxKm: number): City | null {
    const areas = this.areasOf(admin)
    return areas === undefined
      ? this.#gazetteer.nearest(lat, lon, maxKm)
      : this.#grid(areaLabel(admin), areas).nearest(lat, lon, maxKm)
  }

  /** The label of the smallest area that is known; that of level 1 when none is. */
  #knownLabel(admin: AdminModel): string {
    const part = partLabel(admin)
    return this.#parts.has(part) ? part : areaLabel(admin)
  }

  #find(admin: AdminModel, label: string, lat: number, lon: number): boolean {
    const gazetteer = this.#gazetteer
    const nearest = gazetteer.nearest(lat, lon, NEAREST_KM)
    const areas = this.#parts.get(label) ?? this.#areas.get(label)
    if (areas === undefined) return nearest !== null || gazetteer.nearest(lat, lon, REMOTE_KM) !== null
    if (nearest !== null && this.mayHave(admin, nearest)) return true
    const own = this.#grid(label, areas)
    if (own.nearest(lat, lon, OWN_KM) !== null) return true
    if (nearest !== null) return false
    // Far from everything the area of the nearest place is the likeliest, unless the own one is about as near.
    const any = gazetteer.nearest(lat, lon, REMOTE_KM)
    if (any === null) return false
    const anyKm = distanceKm(lat, lon, any.lat, any.lon)
    return own.nearest(lat, lon, Math.min(REMOTE_KM, REMOTE_FACTOR * anyKm)) !== null
  }

  #grid(label: string, areas: Numbers): CellGrid<City> {
    return getOrMake(this.#grids, label, () => new CellGrid(this.#citiesIn(areas)))
  }

  #citiesIn(areas: Iterable<string>): City[] {
    return [...areas].flatMap(area => this.#cities.get(area) ?? [])
  }
}

function reachOf(places: readonly City[], { lat, lon }: Point): number | undefined {
  const km = Float64Array.from(places, city => distanceKm(city.lat, city.lon, lat, lon)).sort()
  return km[Math.ceil(km.length * REACH_SHARE) - 1]
}

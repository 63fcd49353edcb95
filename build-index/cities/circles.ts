import { incrementIn } from '../../datasets/maps.ts'
import type { City } from '../../datasets/reference/cities-500.ts'
import { ESTIMATED } from '../../datasets/row.ts'
import type { AreaExtents } from '../areas/area-extents.ts'
import type { Country } from '../areas/country.ts'
import { kmBetween } from '../distance.ts'
import { CellGrid } from '../gazetteer/cell-grid.ts'
import { type Gazetteer, radiusKm } from '../gazetteer/gazetteer.ts'
import { isOwnTown } from '../places/city-rules.ts'
import { type GradedCode, type Spot, spotsOf } from '../rows/code.ts'
import { AGREED_KM, AT_PLACE_KM, NEAREST_KM, TOWN_RADIUS_MIN_KM } from '../thresholds.ts'
import type { Gains } from './gains.ts'

/** Finds codes in the circle that the people of a city would fill, in the areas of the city. */
export class Circles {
  readonly #extents: AreaExtents
  readonly #gazetteer: Gazetteer
  readonly #gains: Gains
  /** Codes with a position of their own. */
  readonly #sure: CellGrid<Spot>
  readonly #all: CellGrid<Spot>

  constructor(codes: readonly GradedCode[], { gazetteer, extents }: Country, gains: Gains) {
    this.#extents = extents
    this.#gazetteer = gazetteer
    this.#gains = gains
    const placed = spotsOf(codes)
    // An estimate shared by codes is the middle of an area.
    const crowds = new Map<number, Map<number, number>>()
    for (const { lat, lon } of placed) incrementIn(crowds, lat, lon)
    const isSure = ({ lat, lon, code }: Spot) =>
      code.position.statedAccuracy !== ESTIMATED || crowds.get(lat)?.get(lon) === 1
    this.#all = new CellGrid(placed)
    this.#sure = new CellGrid(placed.filter(isSure))
  }

  /**
   * Yields codes in the circle of `city`: the nearest, and those without a town of their own. If `city` is missing, a
   * larger city around it is not the code's own town: Manhattan gets codes of New York.
   */
  *ofCity(city: City, isMissing: boolean): Iterable<GradedCode> {
    const radius = radiusKm(city, AT_PLACE_KM)
    const nearest = this.#sure.nearest(city.lat, city.lon, AT_PLACE_KM)
    for (const spot of this.#sure.within(city.lat, city.lon, radius)) {
      const isOwn = spot === nearest || !this.#hasOwnTown(spot, city, isMissing)
      if (isOwn && this.#mayHave(spot.code, city)) yield spot.code
    }
  }

  /** Yields codes in the smaller circle of a section, or else the nearest. */
  *ofSection(section: City): Iterable<GradedCode> {
    let found = false
    for (const { code } of this.#sure.within(section.lat, section.lon, radiusKm(section, TOWN_RADIUS_MIN_KM)))
      if (this.#mayHave(code, section)) {
        found = true
        yield code
      }
    const nearest = found ? null : this.#sure.nearest(section.lat, section.lon, AT_PLACE_KM)
    if (nearest !== null && this.#mayHave(nearest.code, section)) yield nearest.code
  }

  /** Returns the nearest code, sure or not; null if too far away or in another district. */
  nearest(city: City): GradedCode | null {
    const spot = this.#all.nearest(city.lat, city.lon, AGREED_KM)
    if (spot === null || !this.#mayHave(spot.code, city)) return null
    const there = this.#gazetteer.nearest(spot.lat, spot.lon, AGREED_KM)
    const isNext = kmBetween(spot, city) <= NEAREST_KM
    return isNext || there?.admin2 === city.admin2 ? spot.code : null
  }

  #mayHave(code: GradedCode, city: City): boolean {
    return this.#extents.mayReach(code.places[0].admin, city)
  }

  /** Returns true if a town of another municipality is nearer, measured by its size. */
  #hasOwnTown(spot: Spot, city: City, isMissing: boolean): boolean {
    const share = kmBetween(spot, city) / radiusKm(city, AT_PLACE_KM)
    return this.#gains
      .placesOf(spot.code)
      .some(
        ({ city: other }) =>
          other &&
          other !== city &&
          isOwnTown(other, city) &&
          !(isMissing && kmBetween(city, other) <= radiusKm(other, TOWN_RADIUS_MIN_KM)) &&
          kmBetween(spot, other) / radiusKm(other, TOWN_RADIUS_MIN_KM) < share,
      )
  }
}

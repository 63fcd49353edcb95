/**
 * Reach of areas: the distance in km from a point within which nine of ten places of an area lie. It is the possible error
 * of an estimate.
 */
import { addToSet, getOrMake } from '../../datasets/maps.ts'
import type { City } from '../../datasets/reference/cities-500.ts'
import type { AreaExtents } from '../areas/area-extents.ts'
import type { Country } from '../areas/country.ts'
import { kmBetween, type Point } from '../distance.ts'
import { radiusKm } from '../gazetteer/gazetteer.ts'
import { adminsOf, type Code } from '../rows/code.ts'
import type { Areas } from '../rows/places.ts'
import { AGREEING_MIN, AREA_FACTOR, AT_PLACE_KM, NEARLY_ALL_SHARE, REACH_SHARE } from '../thresholds.ts'

export class AreaReach {
  readonly #extents: AreaExtents
  /** Number of places of the country. */
  readonly #placeCount: number
  /** Labels of level-2 areas by level 1, and of level-3 areas by level 2. */
  readonly #below = new Map<string, Set<string>>()

  constructor(codes: readonly Code[], { extents, gazetteer }: Country) {
    this.#extents = extents
    this.#placeCount = gazetteer.cities.length
    for (const admin of adminsOf(codes)) {
      if (admin.level2 !== '') addToSet(this.#below, admin.level1, admin.level2)
      if (admin.level3 !== '') addToSet(this.#below, admin.level2, admin.level3)
    }
  }

  /** Returns the reach of a level-1 area; undefined when unknown. */
  ofLevel1(admin: Areas, middle: Point): number | undefined {
    const places = this.#extents.placesOfArea(admin)
    // A seat alone shows the extent of a city, but of no other area.
    const isEnough = places.length >= Math.min(AGREEING_MIN, this.#placeCount)
    return isEnough ? reachOf(places, middle) : cityReachKm(admin.name1, places)
  }

  /** Returns the reach of a level-2 area; undefined when unknown. Places at `middle` show no extent. */
  ofLevel2(admin: Areas, middle: Point): number | undefined {
    return reachOf(this.#extents.placesOfLevel2(admin), middle) || undefined
  }

  /** Returns the reach of a level-2 area that is a city, however far its codes are scattered; undefined for others. */
  ofCity(admin: Areas): number | undefined {
    return cityReachKm(admin.name2, this.#extents.placesOfNumber(admin))
  }

  /** Returns the reach of a level-3 area, as one of equal parts of its level-2 area; undefined when unknown. */
  ofLevel3(admin: Areas, point: Point): number | undefined {
    const areas = this.#below.get(admin.level2)?.size ?? 0
    const isInside = areas > 0 && admin.level3 !== '' && this.#extents.holds(admin, point.lat, point.lon)
    return isInside ? partOf(this.ofLevel2(admin, point), areas) : undefined
  }

  /** Returns the reach of a level-2 area, as one of equal parts of its level-1 area; undefined when unknown. */
  ofShare(admin: Areas, point: Point): number | undefined {
    return partOf(this.ofLevel1(admin, point), this.#below.get(admin.level1)?.size ?? 1)
  }

  /**
   * Returns the reach of the area that `point` stands for: the smallest area that nearly all codes at the point share.
   * Undefined when unknown.
   * @param crowd codes at the point
   */
  ofCrowd(crowd: readonly Code[], point: Point): number | undefined {
    const levels: [labelOf: (admin: Areas) => string, kmOf: (admin: Areas) => number | undefined][] = [
      [({ level3 }) => level3, admin => this.ofLevel3(admin, point)],
      [({ level2 }) => level2, admin => this.ofLevel2(admin, point)],
      [({ level1 }) => level1, admin => this.ofLevel1(admin, point)],
    ]
    for (const [labelOf, kmOf] of levels) {
      const admins = new Map<string, { admin: Areas; codes: number }>()
      for (const { places } of crowd) {
        const [{ admin }] = places
        getOrMake(admins, labelOf(admin), () => ({ admin, codes: 0 })).codes++
      }
      const shared = Array.from(admins).find(
        ([label, { codes }]) => label !== '' && codes >= crowd.length * NEARLY_ALL_SHARE,
      )
      const km = shared && kmOf(shared[1].admin)
      // All places at the point show no extent.
      if (km !== undefined && km > 0) return km
    }
    return undefined
  }
}

/** Returns the reach of one of `parts` equal parts of an area. */
function partOf(wholeKm: number | undefined, parts: number): number | undefined {
  return wholeKm && wholeKm / Math.sqrt(parts)
}

function reachOf(places: readonly City[], middle: Point): number | undefined {
  const km = new Float64Array(places.length)
  for (let i = 0; i < km.length; i++) km[i] = kmBetween(places[i], middle)
  return km.sort()[Math.ceil(km.length * REACH_SHARE) - 1]
}

/** Areas that are cities: `Hsinchu City`, `Kota Bandung`. */
const CITY_AREA = /^Kota | City$/

/** Returns the reach of an area from its only place, if it is a city by its name; undefined for others. */
function cityReachKm(name: string, places: readonly City[]): number | undefined {
  const isCity = places.length === 1 && CITY_AREA.test(name)
  return isCity ? AREA_FACTOR * radiusKm(places[0], AT_PLACE_KM) : undefined
}

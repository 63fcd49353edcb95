/** The postal codes around a point: the answer of `/api/nearest`. */
import { DEGREE_SCALE, latitude, longitude } from '../format/code-record.ts'
import { nameOfCode } from '../index/codes/code-name.ts'
import { formOfCode } from '../index/codes/written.ts'
import type { Country } from '../index/country.ts'
import { countrySlot } from '../index/country-table.ts'
import { IndexFileError } from '../index/index-file-error.ts'
import { haversine, MILLIONTH, metresOf } from '../index/nearest/distance.ts'
import { NearestSearch } from '../index/nearest/nearest.ts'
import type { PostalIndex } from '../index/postal-index.ts'
import { NEAREST_DEFAULT, NEAREST_IN_PROCESS_MAX, RADIUS_KM_MAX } from '../limits.ts'
import { limitOf, rangeOf } from './number-options.ts'
import type { NearCode, NearestOptions } from './records.ts'
import type { IndexTexts } from './texts.ts'

const METRES_PER_KM = 1000

/** A point in millionths of a degree. */
export interface Point {
  north: number
  east: number
}

/** Kilometres between two points, to the metre. */
export function kilometresBetween(from: Point, to: Point): number {
  const latitude = from.north * MILLIONTH
  const h = haversine(Math.cos(latitude), Math.sin(latitude), to.north - from.north, to.east - from.east)
  return Math.round(metresOf(h)) / METRES_PER_KM
}

/** @throws RangeError when it is not a point in degrees */
export function pointOf(degrees: { latitude: number; longitude: number }): Point {
  return {
    north: Math.round(rangeOf('latitude', degrees.latitude, -90, 90) * DEGREE_SCALE),
    east: Math.round(rangeOf('longitude', degrees.longitude, -180, 180) * DEGREE_SCALE),
  }
}

export class NearestFinder {
  readonly #index: PostalIndex
  readonly #texts: IndexTexts
  readonly #search: NearestSearch

  /** @throws IndexFileError when the index was built before it could answer this */
  constructor(index: PostalIndex, texts: IndexTexts) {
    this.#index = index
    this.#texts = texts
    this.#search = new NearestSearch(index, NEAREST_IN_PROCESS_MAX)
    if (!this.#search.isPossible)
      throw new IndexFileError('the index', 'it was built before nearest codes could be found')
  }

  /** @param cc two capitals; undefined: any country @throws RangeError for a radius or limit out of range, DamagedIndexError */
  find({ north, east }: Point, cc: string | undefined, { radius, limit }: NearestOptions): NearCode[] {
    const search = this.#search
    search.search({
      north,
      east,
      radius:
        radius === undefined
          ? Number.POSITIVE_INFINITY
          : rangeOf('radius', radius, 0, RADIUS_KM_MAX) * METRES_PER_KM,
      limit: limitOf(limit, NEAREST_IN_PROCESS_MAX, NEAREST_DEFAULT),
      cc,
    })
    return Array.from({ length: search.count }, (_, result) => this.#near(result))
  }

  #near(result: number): NearCode {
    const index = this.#index
    const code = this.#search.codes[result]
    const cc = this.#search.countryOf(this.#search.trees[result])
    const country = index.countries.at(countrySlot(cc.charCodeAt(0), cc.charCodeAt(1))) as Country
    return {
      postalCode: formOfCode(index, country, code),
      country: cc,
      placeName: this.#texts.once(nameOfCode(index, country, code)),
      latitude: latitude(index.codes, code) / DEGREE_SCALE,
      longitude: longitude(index.codes, code) / DEGREE_SCALE,
      distance: Math.round(this.#search.metres(result)) / METRES_PER_KM,
    }
  }
}

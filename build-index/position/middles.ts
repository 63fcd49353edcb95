/** Middles of codes that belong together: neighbours by code, and codes of one area. */
import { addTo, getOrMake } from '../../datasets/maps.ts'
import type { AreaExtents } from '../areas/area-extents.ts'
import { kmBetween, kmBetweenDegrees, type Point } from '../distance.ts'
import type { Code } from '../rows/code.ts'
import { isFixed, type Position, pointOf } from '../rows/position.ts'
import {
  AGREEING_MIN,
  ALIKE_CODES_MIN,
  CROWD_MIN,
  FAR_KM,
  FAR_SPREADS,
  LARGE_CODE_KM,
  NEIGHBOUR_SPREAD_KM,
  NEIGHBOURS,
  REACH_SHARE,
  SAME_PLACE_KM,
  SMALL_AREA_CODES,
  STEPS_MAX,
  SURE_KM,
} from '../thresholds.ts'

/** Medians of latitudes and longitudes. */
export class Middle implements Point {
  readonly lat: number
  readonly lon: number
  /** Half of the codes lie within this distance. */
  readonly spreadKm: number
  readonly codes: number
  /** Degrees. */
  readonly #lats: Float64Array
  readonly #lons: Float64Array
  #reach: number | undefined

  /** @param codes at least one */
  constructor(codes: readonly Point[]) {
    const { length } = codes
    this.codes = length
    // Loops take a third of the time of `Float64Array.from`.
    this.#lats = new Float64Array(length)
    this.#lons = new Float64Array(length)
    for (let i = 0; i < length; i++) {
      this.#lats[i] = codes[i].lat
      this.#lons[i] = codes[i].lon
    }
    this.lat = this.#lats.toSorted()[length >> 1]
    this.lon = this.#lons.toSorted()[length >> 1]
    const km = new Float64Array(length)
    for (let i = 0; i < length; i++) km[i] = kmBetween(codes[i], this)
    this.spreadKm = km.sort()[length >> 1]
  }

  /** Returns 1 for a point among the codes, -1 for one far away, and values between. */
  agreement(point: Point): number {
    const km = kmBetween(point, this)
    const farKm = Math.max(FAR_KM, FAR_SPREADS * this.spreadKm)
    return Math.max(-1, Math.min(1, 1 - (2 * (km - SAME_PLACE_KM)) / (farKm - SAME_PLACE_KM)))
  }

  /** Returns the distance in km from a point to the ninth of ten points; infinite for fewer than three. */
  reachKm(from: Point = this): number {
    if (from !== this) return this.#reachFrom(from)
    this.#reach ??= this.#reachFrom(this)
    return this.#reach
  }

  #reachFrom(from: Point): number {
    const km = new Map<number, number>()
    for (let i = 0; i < this.codes; i++) {
      const [lat, lon] = [this.#lats[i], this.#lons[i]]
      km.set(pointOf(lat, lon), kmBetweenDegrees(lat, lon, from.lat, from.lon))
    }
    if (km.size < AGREEING_MIN) return Number.POSITIVE_INFINITY
    return Float64Array.from(km.values()).sort()[Math.round((km.size - 1) * REACH_SHARE)]
  }
}

/**
 * Returns null for codes at one point: they are one witness, and the point is often the middle of a district.
 */
export function scattered(middle: Middle | null): Middle | null {
  return middle !== null && middle.spreadKm > 0 ? middle : null
}

interface Area {
  middle: Middle | null
  codes: number
}

/** Evidence of other codes about the position of a code. */
export interface Around {
  neighbours: Middle | null
  /** True for a code in a long run at one point. `neighbours` do not contradict a city with one place. */
  isInRun: boolean
  area: Middle | null
  /** Codes that begin alike; null when these are too few or too scattered. */
  beginning: Middle | null
}

export class Middles {
  readonly #codes: readonly Code[]
  readonly #positions: readonly Position[]
  /** 1 for a code whose position tells of others: it is no fixed one, and lies in its area, among the area's codes. */
  readonly #isWitness: Uint8Array
  readonly #areas = new Map<string, Area>()
  /** First and last code of each run at one point: a run is one witness. */
  readonly #runs: Int32Array
  /** By the beginning of their keys. */
  readonly #beginnings = new Map<string, Middle>()

  /**
   * @param codes in the order of keys
   * @param positions of `codes`
   */
  constructor(codes: readonly Code[], positions: readonly Position[], extents: AreaExtents) {
    this.#codes = codes
    this.#positions = positions
    this.#isWitness = Uint8Array.from(positions, (position, i) => {
      const { lat, lon, reachKm } = position
      const [{ admin }] = codes[i].places
      return !isFixed(position) && reachKm <= SURE_KM && extents.holds(admin, lat, lon) ? 1 : 0
    })
    this.#runs = runsOf(positions)
    const witnesses = new Map<string, Map<number, Point>>()
    codes.forEach((code, i) => {
      const label = code.places[0].admin.level2
      if (label === '') return
      getOrMake(this.#areas, label, () => ({ middle: null, codes: 0 })).codes++
      if (this.#isWitness[i] === 0) return
      const at = positions[i]
      getOrMake(witnesses, label, () => new Map<number, Point>()).set(pointOf(at.lat, at.lon), at)
    })
    for (const [label, area] of this.#areas) {
      const group = witnesses.get(label)
      if (group !== undefined) area.middle = new Middle([...group.values()])
    }
    codes.forEach((code, i) => {
      if (this.#isWitness[i] === 0) return
      const area = this.area(code)
      if (area !== null && area.agreement(positions[i]) < 0) this.#isWitness[i] = 0
    })
    const alike = new Map<string, Point[]>()
    codes.forEach(({ key }, i) => {
      if (this.#isWitness[i] === 1) addTo(alike, beginningOf(key), positions[i])
    })
    for (const [beginning, group] of alike)
      if (group.length >= ALIKE_CODES_MIN) this.#beginnings.set(beginning, new Middle(group))
  }

  around(i: number): Around {
    const code = this.#codes[i]
    const beginning = this.#beginnings.get(beginningOf(code.key)) ?? null
    return {
      neighbours: this.neighbours(i),
      isInRun: this.#runs[2 * i + 1] - this.#runs[2 * i] >= STEPS_MAX,
      area: this.area(code),
      beginning: beginning !== null && beginning.spreadKm <= FAR_KM ? beginning : null,
    }
  }

  /** Returns the middle of the level-2 area of `code`, however weak; null without witnesses. */
  anyOfArea({ places }: Code): Middle | null {
    return this.#areas.get(places[0].admin.level2)?.middle ?? null
  }

  /** Returns the middle of the level-2 area of `code`; null when its codes are too few or too scattered. */
  area(code: Code): Middle | null {
    const middle = this.anyOfArea(code)
    return middle !== null && middle.codes >= CROWD_MIN && middle.spreadKm <= LARGE_CODE_KM ? middle : null
  }

  /** Returns true if the level-2 area is a little known municipality, for which its main place may stand. */
  isSmallArea(code: Code): boolean {
    const { codes = 0 } = this.#areas.get(code.places[0].admin.level2) ?? {}
    return this.area(code) === null && codes <= SMALL_AREA_CODES
  }

  /** Returns true for a witness if most witnesses next to it are near it. True for most codes, and cheap. */
  isAmongNeighbours(i: number): boolean {
    if (this.#isWitness[i] === 0) return false
    let near = 0
    for (const step of [-1, 1])
      for (let at = this.#next(i, step), n = 0; n < 2; n++, at = this.#next(at, step)) {
        if (at < 0 || at >= this.#codes.length) break
        if (this.#isWitness[at] === 1 && kmBetween(this.#positions[i], this.#positions[at]) <= SAME_PLACE_KM)
          near++
      }
    return near >= AGREEING_MIN
  }

  /** Returns the middle of the neighbours in its level-1 area that are witnesses; null when too few or too scattered. */
  neighbours(i: number): Middle | null {
    const { key, places } = this.#codes[i]
    const label = places[0].admin.level1
    const shared = vicinityOf(key)
    const near: Point[] = []
    for (const step of [-1, 1]) {
      let found = 0
      let at = this.#next(i, step)
      for (let n = 0; n < STEPS_MAX && found < NEIGHBOURS; n++, at = this.#next(at, step)) {
        const other = this.#codes[at]
        if (other === undefined || !other.key.startsWith(shared)) break
        if (this.#isWitness[at] === 0) continue
        if (label !== '' && other.places[0].admin.level1 !== label) continue
        near.push(this.#positions[at])
        found++
      }
    }
    if (near.length < AGREEING_MIN) return null
    const middle = new Middle(near)
    return middle.spreadKm > NEIGHBOUR_SPREAD_KM ? null : middle
  }

  /** Returns the index of the next code outside the run. */
  #next(i: number, step: number): number {
    return step < 0 ? this.#runs[2 * i] - 1 : this.#runs[2 * i + 1] + 1
  }
}

/** Returns the beginning of a key that tells where the code lies: half of it, but two or three characters. */
function beginningOf(key: string): string {
  return key.slice(0, Math.min(3, Math.max(2, Math.floor(key.length / 2))))
}

/** Returns the beginning that neighbours share at least: less than half of the key, but one to three characters. */
function vicinityOf(key: string): string {
  return key.slice(0, Math.min(3, Math.max(1, Math.floor((key.length - 1) / 2))))
}

function runsOf(points: readonly Point[]): Int32Array {
  const runs = new Int32Array(points.length * 2)
  for (let start = 0, end = 0; start < points.length; start = end) {
    const { lat, lon } = points[start]
    end = start + 1
    while (end < points.length && points[end].lat === lat && points[end].lon === lon) end++
    for (let i = start; i < end; i++) {
      runs[2 * i] = start
      runs[2 * i + 1] = end - 1
    }
  }
  return runs
}

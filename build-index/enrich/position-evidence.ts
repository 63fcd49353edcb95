/** What the other codes of a country say about where one of them lies. */
import { distanceKm } from '../distance.ts'
import type { AdminModel } from '../model.ts'
import type { CodeDraft } from '../rows/drafts.ts'
import type { AreaExtents } from './area-extents.ts'
import { areaLabel, partLabel } from './area-labels.ts'
import type { Point } from './cell-grid.ts'
import { pointOf } from './grade-positions.ts'

/** The middle of several codes: the medians of their latitudes and longitudes, at the time when it was made. */
export class Middle {
  readonly lat: number
  readonly lon: number
  /** Half of them lie at most this far from the middle, in km. */
  readonly spreadKm: number
  /** Latitude and longitude of each code in turn. */
  readonly #degrees: Float64Array

  /** @param codes at least one */
  constructor(codes: readonly CodeDraft[]) {
    this.#degrees = degreesOf(codes)
    const numbers = new Float64Array(codes.length)
    for (let i = 0; i < numbers.length; i++) numbers[i] = codes[i].lat
    this.lat = median(numbers)
    for (let i = 0; i < numbers.length; i++) numbers[i] = codes[i].lon
    this.lon = median(numbers)
    for (let i = 0; i < numbers.length; i++)
      numbers[i] = distanceKm(codes[i].lat, codes[i].lon, this.lat, this.lon)
    this.spreadKm = median(numbers)
  }

  /**
   * A code like them lies at most this far from the middle, nine times out of ten; infinite where they lie at too few points to say so.
   * Few are asked for it, and it costs more than the middle.
   */
  get reachKm(): number {
    return reachOf(this.#degrees, this.lat, this.lon)
  }
}

/** Codes before and after one, in the order of keys, that are its neighbours. */
const NEIGHBOURS = 4
/** Fewer of them say nothing, and so do such that lie far apart. */
const NEIGHBOURS_MIN = 4
const NEIGHBOUR_SPREAD_KM = 25
/** Neighbours begin alike: keys of this length and more in two characters, shorter ones in one; and the longest in three. */
const LONG_KEY = 5
const LONGEST_KEY = 7
/** Of the two codes before and the two after, so many must be near. */
const NEXT_MIN = 3
const AREA_CODES_MIN = 5
const AREA_SPREAD_KM = 60
/** A level-2 area with more codes is a province or a county, and may have the name of a town that is not in its middle. */
const SMALL_AREA_CODES = 15

/** Codes before and after one that may be on an island with it, and how many other names they must have. */
const ISLAND_STEPS = 3
const ISLAND_NAMES_MIN = 2
/** Points nearer than this are one. */
const SAME_POINT_KM = 0.5

/** Fewer points than these do not show how far apart codes lie. */
const POINTS_MIN = 3
/** The share of the points of others that an estimate has to reach. */
const REACH_SHARE = 0.9

/** Codes of one beginning, at least so many, are those of a region when they lie no further apart than this. */
const REGION_CODES_MIN = 8
const REGION_SPREAD_KM = 80
/** Codes of a region may be this far from its middle. */
const REGION_KM = 200

/** A position this near to a middle, or within so many of its spreads, agrees with it. */
const AGREE_KM = 30
const AGREE_SPREADS = 3
/** Beyond these two it contradicts it. */
const FAR_KM = 75
const FAR_SPREADS = 4

/** Whether a position belongs to the codes of `middle`: 1 yes, -1 no, 0 nothing can be said. */
export function verdict(middle: Middle | null, lat: number, lon: number): -1 | 0 | 1 {
  if (middle === null) return 0
  const km = distanceKm(lat, lon, middle.lat, middle.lon)
  if (km <= Math.max(AGREE_KM, AGREE_SPREADS * middle.spreadKm)) return 1
  return km > Math.max(FAR_KM, FAR_SPREADS * middle.spreadKm) ? -1 : 0
}

/** What speaks about the position of a code: the codes next to it, and those of its level-2 area. */
export interface Witnesses {
  neighbours: Middle | null
  area: Middle | null
  /** The middle of the codes that begin like it, where these lie in one region. */
  region: Middle | null
  /** Whether the main place of the code's municipality may stand for its area. */
  isSmallArea: boolean
  /** Whether codes next to it gather around its position. */
  isOnIsland: boolean
}

/** Whether no witness speaks against a position. */
export function isNotContradicted(
  { lat, lon }: { lat: number; lon: number },
  { neighbours, area, region }: Witnesses,
): boolean {
  return verdict(neighbours, lat, lon) >= 0 && verdict(area, lat, lon) >= 0 && !isOutOf(region, lat, lon)
}

/** Whether a position is far from those of all codes that begin alike. */
export function isOutOf(region: Middle | null, lat: number, lon: number): boolean {
  return region !== null && distanceKm(lat, lon, region.lat, region.lon) > REGION_KM
}

/** How many witnesses agree with a position. */
export function support({ lat, lon }: { lat: number; lon: number }, { neighbours, area }: Witnesses): number {
  return Math.max(0, verdict(neighbours, lat, lon)) + Math.max(0, verdict(area, lat, lon))
}

export class PositionEvidence {
  readonly codes: readonly CodeDraft[]
  /** By index into `codes`: whether its position lies in its own area, and belongs to its level-2 area. */
  readonly #isSure: Uint8Array
  /** By level-2 area: its codes whose position lies in their own area. */
  readonly #groups: ReadonlyMap<string, readonly CodeDraft[]>
  readonly #byLevel2 = new Map<string, Middle | null>()
  readonly #byBeginning = new Map<string, Middle | null>()
  /** Codes of each level-2 area, with and without a position. */
  readonly #codesOf = new Map<string, number>()

  /** @param codes in the order of keys */
  constructor(codes: readonly CodeDraft[], extents: AreaExtents) {
    this.codes = codes
    this.#isSure = Uint8Array.from(this.codes, ({ lat, lon, places }) =>
      !Number.isNaN(lat) && extents.holds(places[0].admin, lat, lon) ? 1 : 0,
    )
    const groups = new Map<string, CodeDraft[]>()
    this.codes.forEach((code, i) => {
      const level2 = partLabel(code.places[0].admin)
      if (level2 === '') return
      this.#codesOf.set(level2, (this.#codesOf.get(level2) ?? 0) + 1)
      if (this.#isSure[i] === 0) return
      const group = groups.get(level2)
      if (group === undefined) groups.set(level2, [code])
      else group.push(code)
    })
    this.#groups = groups
    for (const [level2, group] of groups)
      this.#byLevel2.set(level2, closeMiddle(group, AREA_CODES_MIN, AREA_SPREAD_KM))
    this.codes.forEach((code, i) => {
      const isFar = this.#isSure[i] === 1 && verdict(this.ofArea(code), code.lat, code.lon) < 0
      if (isFar && !this.isOnIsland(i)) this.#isSure[i] = 0
    })
    const regions = new Map<string, CodeDraft[]>()
    this.codes.forEach((code, i) => {
      if (this.#isSure[i] === 0) return
      const beginning = regionOf(code.key)
      const region = regions.get(beginning)
      if (region === undefined) regions.set(beginning, [code])
      else region.push(code)
    })
    for (const [beginning, region] of regions)
      this.#byBeginning.set(beginning, closeMiddle(region, REGION_CODES_MIN, REGION_SPREAD_KM))
  }

  /** The middle of the codes that begin like `code`; null where they do not lie in one region. */
  ofRegion({ key }: CodeDraft): Middle | null {
    return this.#byBeginning.get(regionOf(key)) ?? null
  }

  /** Whether the position of `codes[i]` lies in its own level-1 area, and not far from the others of its level-2 area. */
  isSure(i: number): boolean {
    return this.#isSure[i] === 1
  }

  /** Whether most of the sure codes right next to `codes[i]` are near its sure position: true for most codes, and cheap. */
  isAmongNeighbours(i: number): boolean {
    if (this.#isSure[i] === 0) return false
    const { lat, lon } = this.codes[i]
    let near = 0
    for (let at = Math.max(0, i - 2); at <= i + 2 && at < this.codes.length; at++) {
      const other = this.codes[at]
      if (at !== i && this.#isSure[at] === 1 && distanceKm(lat, lon, other.lat, other.lon) <= AGREE_KM) near++
    }
    return near >= NEXT_MIN
  }

  /**
   * Whether codes next to `codes[i]` have other names and lie near it at points of their own: such as are far from the middle of their
   * area are those of an island or an exclave, since namesakes do not gather.
   */
  isOnIsland(i: number): boolean {
    const { lat, lon, places } = this.codes[i]
    const names = new Set([places[0].key])
    for (let at = Math.max(0, i - ISLAND_STEPS); at <= i + ISLAND_STEPS && at < this.codes.length; at++) {
      const other = this.codes[at]
      const km = distanceKm(lat, lon, other.lat, other.lon)
      if (km > SAME_POINT_KM && km <= AGREE_KM) names.add(other.places[0].key)
    }
    return names.size > ISLAND_NAMES_MIN
  }

  /** Whether the level-2 area of `code` is a municipality of which too little is known: its main place may stand for it. */
  isSmallArea({ places }: CodeDraft): boolean {
    const level2 = partLabel(places[0].admin)
    return !this.#byLevel2.get(level2) && (this.#codesOf.get(level2) ?? 0) <= SMALL_AREA_CODES
  }

  /** How far from a point the codes of the level-2 area of `code` reach, in km; infinite where too little is known of them. */
  reachFrom({ places }: CodeDraft, { lat, lon }: Point): number {
    return reachOf(degreesOf(this.#groups.get(partLabel(places[0].admin)) ?? []), lat, lon)
  }

  /** The middle of the level-2 area of `code`; null when too few or too distant codes make it up. */
  ofArea({ places }: CodeDraft): Middle | null {
    return this.#byLevel2.get(partLabel(places[0].admin)) ?? null
  }

  /**
   * The middle of the sure codes next to `codes[i]` in the same level-1 area, or in any where its own is not known; null when they
   * are too few or too distant.
   */
  ofNeighbours(i: number): Middle | null {
    const { key, places } = this.codes[i]
    const label = areaLabel(places[0].admin)
    const beginning = key.slice(0, key.length < LONG_KEY ? 1 : key.length < LONGEST_KEY ? 2 : 3)
    const near: CodeDraft[] = []
    for (const step of [-1, 1])
      for (
        let at = i + step, found = 0;
        found < NEIGHBOURS && at >= 0 && at < this.codes.length;
        at += step
      ) {
        // Beyond a few codes without a sure position the others are not neighbours.
        if (Math.abs(at - i) > NEIGHBOURS * 4 || !this.codes[at].key.startsWith(beginning)) break
        if (this.#isSure[at] === 0) continue
        if (label !== '' && areaLabel(this.codes[at].places[0].admin) !== label) continue
        near.push(this.codes[at])
        found++
      }
    return closeMiddle(near, NEIGHBOURS_MIN, NEIGHBOUR_SPREAD_KM)
  }
}

/** The middle of the codes of each combination of areas, and how far from it half of them lie. */
export function middlesByArea(codes: readonly CodeDraft[]): Map<AdminModel, Middle> {
  const groups = new Map<AdminModel, CodeDraft[]>()
  for (const code of codes) {
    if (Number.isNaN(code.lat)) continue
    const { admin } = code.places[0]
    const group = groups.get(admin)
    if (group === undefined) groups.set(admin, [code])
    else group.push(code)
  }
  return new Map([...groups].map(([admin, group]) => [admin, new Middle(group)]))
}

/** The characters by which posts number their regions. */
function regionOf(key: string): string {
  return key.slice(0, key.length <= LONG_KEY ? 2 : 3)
}

/** The middle of `codes`; null of fewer than `least`, or when half of them are further than `spreadMax` km from it. */
function closeMiddle(codes: readonly CodeDraft[], least: number, spreadMax: number): Middle | null {
  if (codes.length < least) return null
  const middle = new Middle(codes)
  return middle.spreadKm > spreadMax ? null : middle
}

/**
 * How far from a point a code lies that is like those at `degrees`, nine times out of ten, in km; infinite where these have too few points
 * to say so. Codes that have the point of one town in common are one witness, who says nothing of the codes around the town.
 */
function reachOf(degrees: Float64Array, lat: number, lon: number): number {
  const points = new Map<number, number>()
  for (let at = 0; at < degrees.length; at += 2) points.set(pointOf(degrees[at], degrees[at + 1]), at)
  if (points.size < POINTS_MIN) return Number.POSITIVE_INFINITY
  const km = Float64Array.from(points.values(), at =>
    distanceKm(degrees[at], degrees[at + 1], lat, lon),
  ).sort()
  return km[Math.round((km.length - 1) * REACH_SHARE)]
}

function degreesOf(codes: readonly CodeDraft[]): Float64Array {
  const degrees = new Float64Array(codes.length * 2)
  for (let i = 0; i < codes.length; i++) {
    degrees[2 * i] = codes[i].lat
    degrees[2 * i + 1] = codes[i].lon
  }
  return degrees
}

function median(numbers: Float64Array): number {
  return numbers.sort()[numbers.length >> 1]
}

/** The codes nearest to a point: a search of the k-d trees in NEAR, the country around the point first. */
import { CODE_KINDS, isPlaced, type Kind, kindAt, latitude, longitude } from '../format/code-entry.ts'
import {
  AXIS_BITS,
  COORDINATE_SLACK,
  LEAF_SITES,
  leafCount,
  middleLeaf,
  PART_BOX,
  PART_SITES,
  PART_START,
  PART_WORDS,
  partWords,
  siteCodes,
  siteNumber,
  spherePoint,
} from '../format/nearest-layout.ts'
import { Best } from './best.ts'
import { type Country, hasCode } from './country.ts'
import { countrySlotOf } from './country-table.ts'
import { damaged } from './index-file-error.ts'
import type { PostalIndex } from './postal-index.ts'

/** Mean radius of the earth, IUGG. */
const EARTH_METRES = 6_371_008.8
const ANY_KIND = -1
const HALF_MILLIONTH = Math.PI / 360 / 1_000_000

export interface NearQuery {
  /** Millionths of a degree. */
  north: number
  east: number
  /** Metres; infinity for any distance. */
  radius: number
  limit: number
  /** Two capitals; undefined: any country. */
  cc: string | undefined
  /** Kind of the results. `street` includes unknown kinds. Absent: any. */
  kind?: Kind | undefined
  /** A code at the point: the first result, if it has the kind. */
  own?: CodeOf | undefined
}

export interface CodeOf {
  code: number
  country: Country
}

export interface Near extends CodeOf {
  metres: number
}

/** Returns the nearest codes first, ties in the order of the index. Costs microseconds for ten codes. */
export function findNearest(index: PostalIndex, query: NearQuery): Near[] {
  const search = new Search(index, query)
  search.run(query.cc)
  const found = search.results()
  const { own, limit } = query
  if (own === undefined || !search.isWanted(own.code)) return found
  return [{ ...own, metres: 0 }, ...found.filter(({ code }) => code !== own.code)].slice(0, limit)
}

export function metresBetween(north: number, east: number, otherNorth: number, otherEast: number): number {
  const angle = north * 2 * HALF_MILLIONTH
  return metresOf(haversine(Math.cos(angle), Math.sin(angle), otherNorth - north, otherEast - east))
}

class Search {
  readonly #index: PostalIndex
  readonly #floats: Float32Array
  readonly #north: number
  readonly #east: number
  readonly #cosine: number
  readonly #sine: number
  readonly #point: readonly number[]
  /** Distances along each axis from the point to the part of the tree that is being searched. */
  readonly #away = [0, 0, 0]
  readonly #best: Best
  /** A bit for each of `CODE_KINDS` that may be found. */
  readonly #kinds: number
  readonly #countries: Country[] = []
  /** The tree that is being searched: its country, its sites, and the words of its splits and sites. */
  #country: Country | undefined
  #sites = 0
  #splitsAt = 0
  #sitesAt = 0

  constructor(index: PostalIndex, { north, east, radius, limit, kind }: NearQuery) {
    this.#index = index
    this.#floats = index.nearFloats
    this.#north = north
    this.#east = east
    this.#cosine = Math.cos(north * 2 * HALF_MILLIONTH)
    this.#sine = Math.sin(north * 2 * HALF_MILLIONTH)
    this.#point = spherePoint(north, east)
    this.#best = new Best(limit, haversineOf(radius))
    this.#kinds =
      kind === undefined ? ANY_KIND : (1 << CODE_KINDS.indexOf(kind)) | (kind === 'street' ? 1 : 0)
  }

  /** Searches one country, or all, the nearest box first, and of boxes around the point the smallest. */
  run(cc: string | undefined): void {
    const { names } = this.#index.countries
    const first = cc === undefined ? this.#nearestPart(names.length) : names.indexOf(cc)
    if (first >= 0) this.#searchPart(first)
    if (cc !== undefined) return
    for (let part = 0; part < names.length; part++)
      // A haversine is the square of half a chord.
      if (part !== first && this.#squareToBox(part, 4 * this.#best.bound) >= 0) this.#searchPart(part)
  }

  results(): Near[] {
    const { numbers: codes, keys: haversines } = this.#best
    return codes.map((code, i) => {
      const country = this.#countries.findLast(each => hasCode(each, code)) as Country
      return { code, country, metres: metresOf(haversines[i]) }
    })
  }

  #nearestPart(parts: number): number {
    let nearest = -1
    let least = 4 * this.#best.bound
    for (let part = 0; part < parts; part++) {
      const square = this.#squareToBox(part, least)
      if (square < 0) continue
      if (square === least && nearest >= 0 && this.#boxSize(part) >= this.#boxSize(nearest)) continue
      nearest = part
      least = square
    }
    return nearest
  }

  /** Returns the square of the distance from the point to the box of a country; -1 if it is over `most`. */
  #squareToBox(part: number, most: number): number {
    let square = 0
    for (let axis = 0; axis < 3; axis++) {
      const away = this.#awayFromBox(part, axis)
      square += away * away
      if (square > most) return -1
    }
    return square
  }

  /** Returns the distance from the point to the box of a country along one axis. */
  #awayFromBox(part: number, axis: number): number {
    const at = part * PART_WORDS + PART_BOX + axis
    const below = this.#floats[at] - this.#point[axis] - COORDINATE_SLACK
    const above = this.#point[axis] - this.#floats[at + 3] - COORDINATE_SLACK
    return below > 0 ? below : Math.max(above, 0)
  }

  #boxSize(part: number): number {
    const at = part * PART_WORDS + PART_BOX
    const floats = this.#floats
    return floats[at + 3] - floats[at] + floats[at + 4] - floats[at + 1] + floats[at + 5] - floats[at + 2]
  }

  #searchPart(part: number): void {
    const { countries, near } = this.#index
    const cc = countries.names[part]
    const country = countries.at(countrySlotOf(cc)) as Country
    const start = near[part * PART_WORDS + PART_START]
    const sites = near[part * PART_WORDS + PART_SITES]
    if (!(start + partWords(sites) <= near.length)) damaged(`the tree of ${cc} leaves NEAR`)
    const leaves = leafCount(sites)
    if (leaves === 0) return
    this.#country = country
    this.#countries.push(country)
    this.#sites = sites
    this.#splitsAt = start
    this.#sitesAt = start + leaves - 1
    for (let axis = 0; axis < 3; axis++) this.#away[axis] = this.#awayFromBox(part, axis)
    this.#descend(0, leaves)
  }

  /** Searches the leaves from `first` to `end`, the half around the point first. */
  #descend(first: number, end: number): void {
    if (end - first === 1) return this.#takeLeaf(first)
    const middle = middleLeaf(first, end)
    const split = this.#splitsAt + middle - 1
    const axis = this.#index.near[split] & AXIS_BITS
    const apart = this.#point[axis] - this.#floats[split]
    if (apart < 0) this.#descend(first, middle)
    else this.#descend(middle, end)
    const away = this.#away
    const before = away[axis]
    away[axis] = Math.max(before, Math.abs(apart) - COORDINATE_SLACK)
    if (away[0] * away[0] + away[1] * away[1] + away[2] * away[2] <= 4 * this.#best.bound) {
      if (apart < 0) this.#descend(middle, end)
      else this.#descend(first, middle)
    }
    away[axis] = before
  }

  isWanted(code: number): boolean {
    return this.#kinds === ANY_KIND || (this.#kinds & (1 << kindAt(this.#index.grades, code))) !== 0
  }

  #takeLeaf(leaf: number): void {
    const { codes, near } = this.#index
    const { cc, codeStart, codeCount } = this.#country as Country
    const best = this.#best
    const [north, east, cosine, sine] = [this.#north, this.#east, this.#cosine, this.#sine]
    const end = this.#sitesAt + Math.min(this.#sites, (leaf + 1) * LEAF_SITES)
    for (let at = this.#sitesAt + leaf * LEAF_SITES; at < end; at++) {
      const site = near[at]
      const code = codeStart + siteNumber(site)
      const after = code + siteCodes(site)
      if (after > codeStart + codeCount)
        damaged(
          `a site of ${cc} has the codes ${code} to ${after - 1}, its last is ${codeStart + codeCount - 1}`,
        )
      // Only a damaged file has a site without a position.
      if (!isPlaced(codes, code)) continue
      const [up, along] = [latitude(codes, code) - north, longitude(codes, code) - east]
      const h = haversine(cosine, sine, up, along, best.bound)
      for (let i = code; i < after && (!this.isWanted(i) || best.take(h, i)); i++);
    }
  }
}

/**
 * Returns the haversine of the angle between two points, 0 to 1: the square of half the chord.
 * @param cosine, sine of the point's latitude @param up, along differences in millionths of a degree
 * @param bound beyond it, the distance along a meridian is enough
 */
function haversine(cosine: number, sine: number, up: number, along: number, bound = 1): number {
  const north = Math.sin(up * HALF_MILLIONTH)
  const square = north * north
  if (square > bound) return square
  // The cosine of the other latitude, by the sum of two angles.
  const otherCosine = cosine * (1 - 2 * square) - 2 * sine * north * Math.sqrt(1 - square)
  const east = Math.sin(along * HALF_MILLIONTH)
  return square + cosine * otherCosine * east * east
}

function metresOf(h: number): number {
  return 2 * EARTH_METRES * Math.asin(Math.min(1, Math.sqrt(h)))
}

function haversineOf(metres: number): number {
  return Math.sin(Math.min(Math.PI / 2, metres / EARTH_METRES / 2)) ** 2
}

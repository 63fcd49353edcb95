/** Where two witnesses contradict the position of a code: the gazetteer, by one of the code's names, and a source other than its own. */
import type { CodeDraft } from '../rows/drafts.ts'
import type { AreaExtents } from './area-extents.ts'
import type { Point } from './cell-grid.ts'
import { isNotContradicted, type Middle, type Witnesses } from './position-evidence.ts'
import { kmTo, type PossiblePlaces } from './possible-places.ts'

/** Two witnesses that have a code this near to each other mean the same. */
export const AGREED_KM = 20
/** Codes next to one that lie so close together are those of one town; and so far from them, a code of its name is mistaken for a namesake. */
const CLOSE_KM = 10
const FAR_KM = 30
/** Half of the codes around one that lie so near to it lie at its own point. */
const SAME_POINT_KM = 1

/** Whether another source has `code` elsewhere, or has it where its own source has nothing. */
export function isContested({ lat, lon, other }: CodeDraft): boolean {
  return other !== undefined && !(kmTo({ lat: other[0], lon: other[1] }, lat, lon) <= AGREED_KM)
}

/**
 * The place of the gazetteer with the name of the main place of `code`, near where another source puts it. Null where there is none, where
 * one is near the position of the code as well, and where the codes around it contradict it, unless it surely lies in the level-2 area.
 * @param isEstimate whether the position of the code is an estimate: the codes around it are then as well, and count for less
 */
export function agreedPlace(
  code: CodeDraft,
  places: PossiblePlaces,
  extents: AreaExtents,
  witnesses: Witnesses,
  isEstimate: boolean,
): Point | null {
  if (code.other === undefined) return null
  const place = places.near(code, ...code.other, AGREED_KM, isEstimate)
  if (place === null) return null
  const [{ admin }] = code.places
  if (extents.isInPart(admin, place.lat, place.lon)) return place
  if (isEstimate && admin.name2 === '' && extents.areasOf(admin) !== undefined) return place
  const others = extents.placesOfPart(admin).length > 0 ? witnesses : independentOf(code, witnesses)
  return isNotContradicted(place, others) ? place : null
}

/** Codes that have the very point of `code`, from the same row of a gazetteer, say nothing about it. */
function independentOf({ lat, lon }: CodeDraft, witnesses: Witnesses): Witnesses {
  const others = (middle: Middle | null) =>
    middle !== null && kmTo(middle, lat, lon) < SAME_POINT_KM ? null : middle
  return { ...witnesses, neighbours: others(witnesses.neighbours), area: others(witnesses.area) }
}

/**
 * The place with the name of `code` that is near the codes next to it, where these lie close together and the code lies far from both. Null
 * where there is none.
 */
export function placeAmongNeighbours(
  code: CodeDraft,
  places: PossiblePlaces,
  { neighbours }: Witnesses,
): Point | null {
  const { lat, lon } = code
  if (neighbours === null || Number.isNaN(lat) || neighbours.spreadKm > CLOSE_KM) return null
  if (kmTo(neighbours, lat, lon) <= FAR_KM) return null
  return places.near(code, neighbours.lat, neighbours.lon, AGREED_KM, false)
}

/** What another source and the main place of its municipality agree on, for a code whose position is not surely in that. */
export function agreedMunicipality(
  code: CodeDraft,
  places: PossiblePlaces,
  extents: AreaExtents,
  witnesses: Witnesses,
): Point | null {
  const { lat, lon, other } = code
  const [{ admin }] = code.places
  if (other === undefined || extents.isInPart(admin, lat, lon)) return null
  const main = places.municipality(admin)
  if (main === null || !extents.isInPart(admin, main.lat, main.lon)) return null
  const isAgreed = kmTo(main, ...other) <= AGREED_KM && !(kmTo(main, lat, lon) <= AGREED_KM)
  return isAgreed && isNotContradicted(main, witnesses) ? main : null
}

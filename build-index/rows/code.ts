import { memoised } from '../../datasets/maps.ts'
import type { Row } from '../../datasets/source.ts'
import type { Accuracy, Kind } from '../../src/postal/format/code-entry.ts'
import type { Point } from '../distance.ts'
import type { AdminModel, CodeModel } from '../model.ts'
import type { Areas, PlaceDraft, PlacePool } from './places.ts'
import { type Position, UNPLACED } from './position.ts'

/**
 * A code from its first row to the index. Each place has the position of its row until `choosePrimaries` chooses the one that
 * answers. Then there is one position, which later steps decide.
 */
export class Code implements CodeModel {
  readonly key: string
  /** Rank of the code's source by merit. */
  readonly source: number
  kind: Kind = ''
  timezone = ''
  elevation = Number.NaN
  /** A code of one place has the place's `onlyThis`: millions have no array of their own. */
  places: readonly PlaceDraft[] = NONE
  /** Position in the row of the first place. */
  position: Position = UNPLACED
  /** Second witness of the position: the point of a weaker source, or of a row about a further place. */
  second: Point | undefined = undefined
  /** True if the position came from a weaker source than the names: it may be a namesake's. */
  isBorrowed = false
  /** True if a weaker source than the names gave areas. */
  hasOtherAreas = false
  /** Positions of `places` in their rows, without the first. */
  #others: Position[] | undefined

  constructor(key: string, source: number) {
    this.key = key
    this.source = source
  }

  /** Adds a place with its own position; does nothing if the code has the place. */
  add(place: PlaceDraft, { lat, lon, accuracy }: Pick<Position, 'lat' | 'lon' | 'accuracy'>): void {
    const position = Number.isNaN(lat) ? UNPLACED : { ...UNPLACED, lat, lon, accuracy }
    if (this.places.length === 0) {
      this.places = place.onlyThis
      this.position = position
    } else if (!this.places.includes(place)) {
      this.places = [...this.places, place]
      this.#others ??= []
      this.#others.push(position)
    }
  }

  /** Adds a row of the code's own source. The first row decides time zone and elevation; all must agree on the kind. */
  addRow(row: Row, pool: PlacePool): void {
    if (this.places.length === 0) this.kind = row.kind
    else if (this.kind !== row.kind) this.kind = ''
    this.add(pool.place(row.place, pool.admin(row), row.aliases), row)
    if (this.timezone === '') this.timezone = row.timezone
    if (Number.isNaN(this.elevation)) this.elevation = row.elevation
  }

  /** Adds a place without a position; does nothing if the code has it. */
  join(place: PlaceDraft, pool: PlacePool): void {
    if (!this.places.includes(place)) this.places = pool.joined(this.places, place)
  }

  replacePlace(i: number, place: PlaceDraft): void {
    if (this.places[i] === place) return
    this.places = this.places.length === 1 ? place.onlyThis : this.places.with(i, place)
  }

  /** Positions of all rows with a place of their own, in the order of `places`. */
  get positions(): readonly Position[] {
    return [this.position, ...(this.#others ?? [])]
  }

  /** Returns the position in the row of place `i`. */
  positionOf(i: number): Position {
    return i === 0 ? this.position : (this.#others?.[i - 1] ?? UNPLACED)
  }

  /** Gives the code one position, and forgets those of rows. @param first place that answers */
  settle(position: Position, first = 0): void {
    const { places } = this
    if (places.length > 1) this.places = [...new Set([places[first], ...places])]
    this.position = position
    this.#others = undefined
  }

  get lat(): number {
    return this.position.lat
  }

  get lon(): number {
    return this.position.lon
  }

  get grade(): Accuracy {
    return this.position.grade
  }
}

const NONE: readonly PlaceDraft[] = []

/** Returns the places of `codes`, each once. */
export function placesOf<T>(codes: Iterable<{ readonly places: readonly T[] }>): Set<T> {
  const found = new Set<T>()
  for (const { places } of codes) for (const place of places) found.add(place)
  return found
}

/** Returns the areas of all places of `codes`, each once. */
export function adminsOf(codes: Iterable<Code>): Set<Areas> {
  const found = new Set<Areas>()
  for (const { places } of codes) for (const { admin } of places) found.add(admin)
  return found
}

/** Replaces each place of `codes` by `better(place)`, computed once per place. */
export function replacePlaces(codes: Iterable<Code>, better: (place: PlaceDraft) => PlaceDraft): void {
  const betterOnce = memoised(better)
  for (const code of codes)
    for (let i = 0; i < code.places.length; i++) code.replacePlace(i, betterOnce(code.places[i]))
}

/** Replaces the areas of each place of `codes` by `better(areas)`, computed once per areas. */
export function replaceAreas(
  codes: Iterable<Code>,
  pool: PlacePool,
  better: (admin: Areas) => AdminModel,
): void {
  const changed = new Map<AdminModel, Areas>()
  for (const admin of adminsOf(codes)) {
    const areas = pool.admin(better(admin))
    if (areas !== admin) changed.set(admin, areas)
  }
  if (changed.size > 0)
    replacePlaces(codes, place => pool.moved(place, changed.get(place.admin) ?? place.admin))
}

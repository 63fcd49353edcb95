import { memoised } from '../../datasets/maps.ts'
import { MEASURED } from '../../datasets/row.ts'
import type { Row } from '../../datasets/source.ts'
import { ADMIN_FIELDS } from '../../src/postal/format/admin-entry.ts'
import type { Accuracy, Kind } from '../../src/postal/format/code-entry.ts'
import { isPlaced, kmBetween, type Point } from '../distance.ts'
import type { AdminModel, CodeModel } from '../model.ts'
import { LARGE_CODE_KM } from '../thresholds.ts'
import type { Areas, PlaceDraft, PlacePool } from './places.ts'
import { type Position, UNPLACED } from './position.ts'

/** Point with the rank of its source by merit, if a source has it. */
export type Witness = Point & { source?: number }

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
  second: Witness | undefined = undefined
  /** Rank of the position's source by merit. */
  pointSource: number
  /** True if the position came from a weaker source than the names: it may be a namesake's. */
  isBorrowed = false
  /** True if a weaker source than the names gave areas. */
  hasOtherAreas = false
  /** Positions of `places` in their rows, without the first. */
  #others: Position[] | undefined

  constructor(key: string, source: number) {
    this.key = key
    this.source = source
    this.pointSource = source
  }

  /** Adds a place with its own position; does nothing if the code has the place. */
  add(place: PlaceDraft, at: Point, statedAccuracy: number): void {
    const position = positionAt(at, statedAccuracy)
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
    this.add(pool.place(row.place, pool.admin(row), row.aliases), row, row.accuracy)
    if (this.timezone === '') this.timezone = row.timezone
    if (Number.isNaN(this.elevation)) this.elevation = row.elevation
  }

  /**
   * Fills the empty fields from a row of a weaker source. Adds no place.
   * @param isCopy true if both sources have the same data, so that the position is no second witness
   */
  fillGaps(row: Row, pool: PlacePool, source: number, isCopy: boolean): void {
    if (this.timezone === '') this.timezone = row.timezone
    if (this.kind === '') this.kind = row.kind
    const isFar = kmBetween(this.position, row) > LARGE_CODE_KM
    // The best list of DE has no names, so the row with the name is the code's own.
    const isNaming = row.place !== '' && this.places.every(({ name }) => name === '')
    if (isPlaced(row)) {
      if (!this.positions.some(isPlaced)) {
        this.position = positionAt(row, row.accuracy)
        this.pointSource = source
        this.isBorrowed = !isNaming
      } else if (!isCopy) this.second ??= { lat: row.lat, lon: row.lon, source }
    }
    // A row about another place has its areas and its elevation.
    if (isFar) return
    if (this.#isOutsideBox(row)) {
      this.settle(UNPLACED)
      this.elevation = Number.NaN
      this.places = pool.place(row.place, pool.admin(row), row.aliases).onlyThis
    }
    if (Number.isNaN(this.elevation)) this.elevation = row.elevation
    for (const [i, place] of this.places.entries()) {
      const filled = filledPlace(place, pool, row)
      this.hasOtherAreas ||= filled !== place && !isNaming
      this.replacePlace(i, filled)
    }
  }

  /** Returns true if the point was measured outside the box that a row is about. It is another code's, as of FI 00101: nobody lives in a box. */
  #isOutsideBox(row: Row): boolean {
    const isBox = (row.kind === 'box' || row.kind === 'unique') && row.name2 !== '' && !isPlaced(row)
    const { name2, code3 } = this.places[0].admin
    const isInArea = code3 === '' ? name2 === row.name2 : code3 === row.code2
    return isBox && this.position.statedAccuracy === MEASURED && !isInArea
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

  get accuracy(): Accuracy {
    return this.position.accuracy
  }
}

const NONE: readonly PlaceDraft[] = []

/** Returns the position of a row. */
function positionAt(at: Point, statedAccuracy: number): Position {
  return isPlaced(at) ? { ...UNPLACED, lat: at.lat, lon: at.lon, statedAccuracy } : UNPLACED
}

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

function filledPlace(place: PlaceDraft, pool: PlacePool, row: Row): PlaceDraft {
  const admin = filledAdmin(place.admin, row)
  if (admin === null) return place
  const name = place.name === '' ? row.place : place.name
  const aliases = name === row.place ? row.aliases : []
  if (name === place.name && admin === place.admin && aliases.length === 0) return place
  return pool.place(name, pool.admin(admin), [...place.aliases, ...aliases])
}

/** Returns the areas of both; null when they differ: then the row is about another place. */
function filledAdmin(admin: AdminModel, row: Row): Omit<AdminModel, 'extra'> | null {
  if (IDENTIFYING.some(field => admin[field] !== '' && row[field] !== '' && admin[field] !== row[field]))
    return null
  if (admin.name1 && admin.code1 && admin.name2 && admin.code2) return admin
  const filled = { ...admin }
  for (const field of ADMIN_FIELDS) filled[field] ||= row[field]
  return filled
}

/** Fields that tell areas apart: the names of levels 2 and 3 have many spellings. */
const IDENTIFYING = ['name1', 'code1', 'code2', 'code3'] as const

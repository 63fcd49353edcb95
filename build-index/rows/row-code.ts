/** A code as its rows have it: before its first place and its position are decided. */
import type { Row } from '../../datasets/source.ts'
import type { Kind } from '../../src/postal/format/code-record.ts'
import type { Point } from '../distance.ts'
import type { Code, PlaceDraft, PlacePool } from './places.ts'
import { type Position, UNPLACED } from './position.ts'

export class RowCode implements Code {
  readonly key: string
  /** Rank of the code's source by merit. */
  readonly source: number
  kind: Kind = ''
  timezone = ''
  elevation = Number.NaN
  places: readonly PlaceDraft[] = NONE
  /** Position in the row of the first place. */
  position: Position = UNPLACED
  /** Point that speaks for or against the position: from a weaker source, or of a place that is no longer the first. */
  second: Point | undefined = undefined
  /** True if the position came from a weaker source than the names: it may be a namesake's. */
  isBorrowed = false
  /** True if a weaker source than the names gave areas. */
  hasOtherAreas = false
  /** Positions of `places` in their rows, without the first. */
  #others: Position[] | undefined
  /** Place that became the first, counted in the order of rows. */
  #primary = 0

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

  /** Returns the position in the row of place `i`. Call before `makeFirst`. */
  positionOf(i: number): Position {
    return i === 0 ? this.position : (this.#others?.[i - 1] ?? UNPLACED)
  }

  forgetPositions(): void {
    this.position = UNPLACED
    this.#others = undefined
  }

  /** Makes place `i` the first, and drops repeated places. The code's position stays: a better one is decided later. */
  makeFirst(i: number): void {
    this.#primary = i
    const { lat, lon } = this.position
    // The position of another place is better than none.
    if (Number.isNaN(this.positionOf(i).lat) && !Number.isNaN(lat)) this.second ??= { lat, lon }
    if (this.places.length > 1) this.places = [...new Set([this.places[i], ...this.places])]
  }

  /** Returns the position of the first place in its row, and those of all places in the order of rows. */
  positions(): { own: Position; all: readonly Position[] } {
    return { own: this.positionOf(this.#primary), all: [this.position, ...(this.#others ?? [])] }
  }
}

const NONE: readonly PlaceDraft[] = []

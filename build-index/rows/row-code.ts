import type { Row } from '../../datasets/source.ts'
import type { Kind } from '../../src/postal/format/code-entry.ts'
import type { Point } from '../distance.ts'
import type { Code, PlaceDraft, PlacePool } from './places.ts'
import { type Position, UNPLACED } from './position.ts'

/** A code as its rows have it: each place with its own position. Millions of codes have one place, which costs no array. */
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
  /** Point of a weaker source, which speaks for or against the position. */
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

  /** Returns the position in the row of place `i`. */
  positionOf(i: number): Position {
    return i === 0 ? this.position : (this.#others?.[i - 1] ?? UNPLACED)
  }

  forgetPositions(): void {
    this.position = UNPLACED
    this.#others = undefined
  }

  /** Returns the positions of all rows with a place of their own. */
  positions(): readonly Position[] {
    return [this.position, ...(this.#others ?? [])]
  }
}

const NONE: readonly PlaceDraft[] = []

/** Codes while their rows are read. */
import { MEASURED } from '../../datasets/row.ts'
import type { Row } from '../../datasets/source.ts'
import { ADMIN_FIELDS } from '../../src/postal/format/admin-entry.ts'
import type { Kind } from '../../src/postal/format/code-entry.ts'
import { isPlaced, kmBetween } from '../distance.ts'
import type { AdminModel } from '../model.ts'
import { LARGE_CODE_KM } from '../thresholds.ts'
import type { ListedCode, Witness } from './code.ts'
import type { Place, PlacePool } from './places.ts'
import { type RowPosition, UNPLACED } from './position.ts'

/** A code that grows with its rows, the best source first. */
export class RowCode implements ListedCode {
  readonly key: string
  /** Rank of the code's source by merit. */
  readonly source: number
  kind: Kind = ''
  timezone = ''
  elevation = Number.NaN
  places: readonly Place[] = NONE
  position: RowPosition = UNPLACED
  others: readonly RowPosition[] = NONE
  second: Witness | undefined = undefined
  pointSource: number
  isBorrowed = false
  hasOtherAreas = false

  constructor(key: string, source: number) {
    this.key = key
    this.source = source
    this.pointSource = source
  }

  /** Adds a row of the code's own source. The first row decides time zone and elevation; all must agree on the kind. */
  addRow(row: Row, pool: PlacePool): void {
    const place = placeOf(row, pool)
    if (this.places === NONE) {
      this.kind = row.kind
      this.places = place.onlyThis
      this.position = rowPosition(row)
    } else {
      if (this.kind !== row.kind) this.kind = ''
      if (!this.places.includes(place)) {
        this.places = [...this.places, place]
        this.others = [...this.others, rowPosition(row)]
      }
    }
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
      if (!isPlaced(this.position) && !this.others.some(isPlaced)) {
        this.position = rowPosition(row)
        this.pointSource = source
        this.isBorrowed = !isNaming
      } else if (!isCopy) this.second ??= { lat: row.lat, lon: row.lon, source }
    }
    // A row about another place has its areas and its elevation.
    if (isFar) return
    if (this.#isOutsideBox(row)) {
      this.position = UNPLACED
      this.others = NONE
      this.elevation = Number.NaN
      this.places = placeOf(row, pool).onlyThis
    }
    if (Number.isNaN(this.elevation)) this.elevation = row.elevation
    const filled = this.places.map(place => filledPlace(place, pool, row))
    if (filled.every((place, i) => place === this.places[i])) return
    this.hasOtherAreas ||= !isNaming
    this.places = filled.length === 1 ? filled[0].onlyThis : filled
  }

  /**
   * Returns true if a row says that the code is a box of the post, and the point was measured in another area. Nobody
   * lives in a box, so the point is another code's: FI 00101.
   */
  #isOutsideBox(row: Row): boolean {
    const isBox = (row.kind === 'box' || row.kind === 'unique') && row.name2 !== '' && !isPlaced(row)
    const { name2, code3 } = this.places[0].admin
    const isInArea = code3 === '' ? name2 === row.name2 : code3 === row.code2
    return isBox && this.position.statedAccuracy === MEASURED && !isInArea
  }
}

const NONE: readonly never[] = []

function placeOf(row: Row, pool: PlacePool): Place {
  return pool.place(row.place, pool.admin(row), row.aliases)
}

function rowPosition(row: Row): RowPosition {
  return isPlaced(row) ? { lat: row.lat, lon: row.lon, statedAccuracy: row.accuracy } : UNPLACED
}

function filledPlace(place: Place, pool: PlacePool, row: Row): Place {
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

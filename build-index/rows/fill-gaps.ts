import type { Row } from '../../datasets/source.ts'
import { ADMIN_FIELDS } from '../../src/postal/format/admin-entry.ts'
import { kmBetween } from '../distance.ts'
import type { AdminModel } from '../model.ts'
import { LARGE_CODE_KM } from '../thresholds.ts'
import type { Code } from './code.ts'
import type { PlaceDraft, PlacePool } from './places.ts'
import { MEASURED, UNPLACED } from './position.ts'

/**
 * Fills the empty fields of `code` from a row of a weaker source. Adds no place.
 * @param isCopy true if both sources have the same data, so that the position is no second witness
 */
export function fillGaps(code: Code, pool: PlacePool, row: Row, isCopy: boolean): void {
  if (code.timezone === '') code.timezone = row.timezone
  if (code.kind === '') code.kind = row.kind
  const isFar = kmBetween(code.position, row) > LARGE_CODE_KM
  // The best list of DE has no names, so the row with the name is the code's own.
  const isNaming = row.place !== '' && code.places.every(({ name }) => name === '')
  if (!Number.isNaN(row.lat)) {
    if (code.positions.some(({ lat }) => !Number.isNaN(lat))) {
      if (!isCopy) code.second ??= { lat: row.lat, lon: row.lon }
    } else {
      const { lat, lon, accuracy } = row
      code.position = { ...UNPLACED, lat, lon, accuracy }
      code.isBorrowed = !isNaming
    }
  }
  // A row about another place has its areas and its elevation.
  if (isFar) return
  // Nobody lives in a box: a point measured in another municipality is another code's, as of FI 00101.
  const isBox = (row.kind === 'box' || row.kind === 'unique') && row.name2 !== '' && Number.isNaN(row.lat)
  const { name2, code3 } = code.places[0].admin
  const isInArea = code3 === '' ? name2 === row.name2 : code3 === row.code2
  if (isBox && code.position.accuracy === MEASURED && !isInArea) {
    code.settle(UNPLACED)
    code.elevation = Number.NaN
    code.places = pool.place(row.place, pool.admin(row), row.aliases).onlyThis
  }
  if (Number.isNaN(code.elevation)) code.elevation = row.elevation
  for (const [i, place] of code.places.entries()) {
    const filled = filledPlace(place, pool, row)
    code.hasOtherAreas ||= filled !== place && !isNaming
    code.replacePlace(i, filled)
  }
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

/** Fills the empty fields of a code from a weaker source. */
import type { Row } from '../../datasets/source.ts'
import type { AdminModel } from '../model.ts'
import type { CodeDraft, PlaceDraft, PlacePool } from './drafts.ts'

/**
 * Fills `code` from `row`. The better source's places stay as they are; only a missing one is taken.
 * @param isCopy whether the row comes of the same data as the code's own, so that its position says nothing new
 */
export function fillGaps(code: CodeDraft, pool: PlacePool, row: Row, isCopy: boolean): void {
  if (code.timezone === '') code.timezone = row.timezone
  if (Number.isNaN(code.elevation)) code.elevation = row.elevation
  if (code.kind === '') code.kind = row.kind
  if (!Number.isNaN(row.lat)) {
    if (hasPosition(code)) {
      if (!isCopy) code.other ??= [row.lat, row.lon]
    } else {
      code.setPosition(row.lat, row.lon, row.accuracy)
      code.isBorrowed = true
    }
  }
  for (let i = 0; i < code.places.length; i++) code.replace(i, filledPlace(code.places[i], pool, row))
}

function hasPosition(code: CodeDraft): boolean {
  for (let i = 0; i < code.places.length; i++) if (!Number.isNaN(code.latOf(i))) return true
  return false
}

function filledPlace(place: PlaceDraft, pool: PlacePool, row: Row): PlaceDraft {
  const admin = filledAdmin(place.admin, row)
  if (admin === null) return place
  const name = place.name === '' ? row.place : place.name
  if (name === place.name && admin === place.admin) return place
  return pool.place(name, pool.admin(admin), name === row.place ? row.aliases : place.aliases)
}

/** The areas of both, or null when they contradict each other: then the row is about another place. */
function filledAdmin(admin: AdminModel, row: Row): Omit<AdminModel, 'extra'> | null {
  if (
    differ(admin.code1, row.code1) ||
    differ(admin.code2, row.code2) ||
    differ(admin.code3, row.code3) ||
    differ(admin.name1, row.name1)
  )
    return null
  if (admin.name1 && admin.code1 && admin.name2 && admin.code2) return admin
  return {
    name1: admin.name1 || row.name1,
    code1: admin.code1 || row.code1,
    name2: admin.name2 || row.name2,
    code2: admin.code2 || row.code2,
    name3: admin.name3 || row.name3,
    code3: admin.code3 || row.code3,
  }
}

function differ(a: string, b: string): boolean {
  return a !== '' && b !== '' && a !== b
}

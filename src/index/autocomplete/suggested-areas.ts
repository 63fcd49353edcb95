/** In which areas the places of a suggested name are. */
import { ADMIN_WORDS } from '../../format/admin-entry.ts'
import { AREAS_PER_SUGGESTION_MAX } from '../../limits.ts'
import { placeAdmin, placeCodeCount } from '../codes/code-view.ts'
import type { PostalIndex } from '../postal-index.ts'

/** The level-1 areas of `places` as words of ADMN, at most `AREAS_PER_SUGGESTION_MAX`, those with the most codes first. */
export function suggestedAreas(index: PostalIndex, places: readonly number[]): number[] {
  const { admins } = index
  if (places.length === 1) {
    const admin = placeAdmin(index, places[0]) * ADMIN_WORDS
    return admins[admin] === 0 ? [] : [admin]
  }
  /** By the offset of the name: equal texts have one. */
  const areas = new Map<number, { admin: number; codes: number }>()
  for (const place of places) {
    const admin = placeAdmin(index, place) * ADMIN_WORDS
    const name = admins[admin]
    if (name === 0) continue
    const codes = placeCodeCount(index, place)
    const known = areas.get(name)
    if (known === undefined) areas.set(name, { admin, codes })
    else known.codes += codes
  }
  return [...areas.values()]
    .sort((a, b) => b.codes - a.codes)
    .slice(0, AREAS_PER_SUGGESTION_MAX)
    .map(({ admin }) => admin)
}

/** In which areas the places of a suggested name are. */
import { ADMIN_WORDS } from '../../format/admin-entry.ts'
import { AREAS_PER_SUGGESTION_MAX } from '../../limits.ts'
import { placeAdmin, placeCodeCount } from '../codes/code-view.ts'
import type { PostalIndex } from '../postal-index.ts'

/** The areas of the last call, in the order of their first places: each as a word of ADMN, with its codes. Reused, and grown. */
let admins = new Uint32Array(64)
let codes = new Float64Array(64)
/** What the last call found. */
const best = new Uint32Array(AREAS_PER_SUGGESTION_MAX)

/**
 * The level-1 areas of `places` as words of ADMN, at most `AREAS_PER_SUGGESTION_MAX`, those with the most codes first. The list is
 * valid until the next call. @throws DamagedIndexError
 */
export function suggestedAreas(index: PostalIndex, places: readonly number[]): Uint32Array {
  if (places.length > 1) return best.subarray(0, takeBest(sumUp(index, places)))
  best[0] = placeAdmin(index, places[0]) * ADMIN_WORDS
  return best.subarray(0, index.admins[best[0]] === 0 ? 0 : 1)
}

/** Sets `admins` and `codes`. @returns the number of areas */
function sumUp(index: PostalIndex, places: readonly number[]): number {
  let count = 0
  let area = 0
  for (const place of places) {
    const admin = placeAdmin(index, place) * ADMIN_WORDS
    // By the offset of the name: equal texts have one.
    const name = index.admins[admin]
    if (name === 0) continue
    // Places of one area mostly follow each other.
    if (area >= count || index.admins[admins[area]] !== name) area = areaOf(index, name, count)
    if (area === count) {
      if (count === admins.length) grow()
      admins[count] = admin
      codes[count++] = 0
    }
    codes[area] += placeCodeCount(index, place)
  }
  return count
}

/** Number of the area with that name, or `count`. */
function areaOf(index: PostalIndex, name: number, count: number): number {
  let area = 0
  while (area < count && index.admins[admins[area]] !== name) area++
  return area
}

/** Sets `best` to those with the most codes; of equal ones the first comes first. @returns their number */
function takeBest(count: number): number {
  const taken = Math.min(count, AREAS_PER_SUGGESTION_MAX)
  for (let i = 0; i < taken; i++) {
    let most = 0
    for (let area = 1; area < count; area++) if (codes[area] > codes[most]) most = area
    best[i] = admins[most]
    codes[most] = -1
  }
  return taken
}

function grow(): void {
  const [oldAdmins, oldCodes] = [admins, codes]
  admins = new Uint32Array(oldAdmins.length * 2)
  codes = new Float64Array(oldCodes.length * 2)
  admins.set(oldAdmins)
  codes.set(oldCodes)
}

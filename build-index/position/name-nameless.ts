import { SECTION } from '../../datasets/reference/cities-500.ts'
import { ADMIN_FIELDS } from '../../src/postal/format/admin-entry.ts'
import type { Country } from '../areas/country.ts'
import { isPlaced } from '../distance.ts'
import { type AdminModel, sharedLength, withBetween } from '../model.ts'
import { type Code, withFirstPlace } from '../rows/code.ts'
import { isRough } from '../rows/position.ts'
import { SAME_PLACE_KM } from '../thresholds.ts'

/**
 * Names codes without a name:
 * 1. by the nearest place of the gazetteer,
 * 2. else by the smallest area that the codes before and after share,
 * 3. else by the place of the one of both whose key begins more like the code's,
 * 4. but by its own smallest area where 2 and 3 contradict that.
 */
export function nameNameless(codes: readonly Code[], { pool, gazetteer }: Country): readonly Code[] {
  const isNameless = ({ places }: Code) => places[0].name === ''
  const named = codes.filter(code => !isNameless(code))
  // The gazetteer has some in English, such as Munich.
  const ownNames = new Map(named.map(({ places }) => [places[0].city, places[0].name]))
  return withBetween(codes, named, (code, before, after) => {
    const { position } = code
    const { admin } = code.places[0]
    const nearest =
      isPlaced(position) && !isRough(position)
        ? gazetteer.nearest(position.lat, position.lon, SAME_PLACE_KM)
        : null
    if (nearest !== null) {
      const isSection = nearest.kind === SECTION
      const city = (isSection ? gazetteer.numbered([nearest.admin4, nearest.admin3]) : null) ?? nearest
      return withFirstPlace(code, pool.place(ownNames.get(city) ?? city.name, admin, [], city))
    }
    const beside = [before, after]
      .filter(other => other !== undefined)
      .sort((a, b) => sharedLength(b.key, code.key) - sharedLength(a.key, code.key))
    const [nearer, other = nearer] = beside.map(({ places }) => places[0])
    if (nearer === undefined) return code
    const area = sharedArea(nearer.admin, other.admin)
    const shared = nameOf(area) === '' ? nearer : pool.place(nameOf(area), pool.admin(area))
    // Neighbours across a border have other areas than the code's own row.
    const isWithin = ADMIN_FIELDS.every(field => admin[field] === '' || admin[field] === shared.admin[field])
    return withFirstPlace(code, isWithin ? shared : pool.place(nameOf(admin) || nearer.name, admin))
  })
}

/** Returns the name of the smallest area, `''` for none. */
function nameOf({ name3, name2, name1 }: AdminModel): string {
  return name3 || name2 || name1
}

/** Returns the areas that `one` and `other` share, from the largest down. */
function sharedArea(one: AdminModel, other: AdminModel): AdminModel {
  const area = { ...one }
  let isShared = true
  for (const level of [1, 2, 3] as const) {
    isShared &&=
      one[`name${level}`] === other[`name${level}`] && one[`code${level}`] === other[`code${level}`]
    if (!isShared) area[`name${level}`] = area[`code${level}`] = ''
  }
  return area
}

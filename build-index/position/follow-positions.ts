import { addTo, memoised } from '../../datasets/maps.ts'
import { areaName } from '../../datasets/reference/area-gazetteer.ts'
import { areaKey } from '../../src/postal/text/area.ts'
import type { Country } from '../areas/country.ts'
import { level2Names } from '../areas/learn-areas.ts'
import { isAtPlace } from '../gazetteer/gazetteer.ts'
import { withoutKind } from '../places/spellings.ts'
import { adminsOf, type GradedCode, withFirstPlace } from '../rows/code.ts'
import type { Place } from '../rows/places.ts'
import { NAMED_BY_POST } from '../rows/us-states.ts'
import { AT_PLACE_KM, DOUBTFUL_SHARE } from '../thresholds.ts'

/**
 * Moves codes that lie at their place in the gazetteer to its level-2 area, where a row says another one:
 * Perth is in Perth, not in Vincent. The area of a row stays if all of these hold:
 *
 * - the best source gave it: rows know the borough of a city;
 * - the name of the gazetteer's area has not the name of the place in it, as `Kota Malang` has, where a row has
 *   `Kabupaten Malang`; or the post names a town for the counties around it, as in the US;
 * - fewer than a quarter of such rows differ in the country. More do in AU and AL.
 */
export function followPositions(
  codes: readonly GradedCode[],
  { cc, pool, gazetteer, extents }: Country,
): readonly GradedCode[] {
  const keyOf = memoised(areaKey)
  const plainOf = (name: string) => withoutKind(cc, name)[0] ?? name
  /** Numbers of level-2 areas by name: two level-1 areas may have one of the same name. */
  const known = new Map<string, string[]>()
  for (const [number, name] of level2Names(cc, gazetteer)) addTo(known, areaKey(name), number)
  const admins = [...adminsOf(codes)]
  const own = new Map(admins.map(admin => [`${admin.level1}\t${areaKey(admin.name2)}`, admin]))
  const numbered = new Set(admins.map(({ level1, code2 }) => `${level1}\t${code2}`))
  const found = codes.flatMap(code => {
    const [{ city, admin }] = code.places
    const numbers = admin.name2 === '' ? undefined : known.get(keyOf(admin.name2))
    if (!city || numbers === undefined || !isAtPlace(city, code.position, AT_PLACE_KM)) return []
    const name = areaName(cc, city.admin1, city.admin2)
    return name === '' ? [] : [{ code, city, numbers, name }]
  })
  const differing = found.filter(({ code, name }) => keyOf(code.places[0].admin.name2) !== keyOf(name))
  const areDoubtful = differing.length >= found.length * DOUBTFUL_SHARE
  const moved = new Map<GradedCode, Place>()
  for (const { code, city, numbers, name } of differing) {
    const [place] = code.places
    const { admin } = place
    const isNamed = keyOf(name).includes(city.keys[0]) || plainOf(name) === plainOf(admin.name2)
    const isOfRow = !areDoubtful && !code.hasOtherAreas && (!isNamed || NAMED_BY_POST.has(cc))
    if (isOfRow) continue
    // The gazetteer's area counts if no row has its number: rows of FR have the areas under French names.
    const isListed =
      numbers.some(number => number.endsWith(`\t${admin.code2}`)) &&
      extents.areasOf(admin)?.has(city.admin1) === true &&
      !numbered.has(`${admin.level1}\t${city.admin2}`)
    const listed = isListed ? { name2: name, code2: city.admin2 } : undefined
    const right = own.get(`${admin.level1}\t${keyOf(name)}`) ?? listed
    if (right === undefined) continue
    const { name2, code2 } = right
    moved.set(code, pool.moved(place, { ...admin, name2, code2, name3: '', code3: '' }))
  }
  return codes.map(code => {
    const place = moved.get(code)
    return place === undefined ? code : withFirstPlace(code, place)
  })
}

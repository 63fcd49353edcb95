/** Corrects level-1 areas that the first digits of a code contradict: in Mexico, `27` is Coahuila. */
import { increment, memoised } from '../../datasets/maps.ts'
import { codeAreas } from '../../datasets/reference/code-areas.ts'
import { level1Of } from '../../datasets/reference/iso-areas.ts'
import { ESTIMATED } from '../../datasets/row.ts'
import { cityWords } from '../../src/postal/text/city.ts'
import { isPlaced } from '../distance.ts'
import { keysOfBeginnings } from '../gazetteer/gazetteer.ts'
import type { AdminModel } from '../model.ts'
import { type ListedCode, withEachPlace } from '../rows/code.ts'
import { SAME_DIVISION_SHARE, STRAY_SHARE } from '../thresholds.ts'
import type { Country } from './country.ts'

/**
 * Moves codes to the area that their first digits tell. At a border they stay, because some villages have the code of
 * a town in the next area. A row far from the area is about a namesake. Its place becomes the one in the area whose
 * name begins so: San Sebastián de La Gomera. Without such a place it has no name.
 */
export function correctByFirstDigits(codes: readonly ListedCode[], country: Country): readonly ListedCode[] {
  const { pool, gazetteer, extents, isoAreas } = country
  const told = toldAreas(codes, country)
  if (told.size === 0) return codes
  const isoOf = memoised((admin: AdminModel) => isoAreas.find(admin.name1)?.code ?? admin.code1)
  const admins = new Map(codes.map(({ places: [{ admin }] }) => [isoOf(admin), admin]))
  const all = new Map<ToldArea, number>()
  const agreed = new Map<ToldArea, number>()
  for (const [{ places }, area] of told) {
    increment(all, area)
    if (isoOf(places[0].admin) === area.iso) increment(agreed, area)
  }
  const odd = new Map(
    [...told].filter(([{ places }, area]) => {
      const own = isoOf(places[0].admin)
      const isSameDivision = (agreed.get(area) ?? 0) >= (all.get(area) ?? 0) * SAME_DIVISION_SHARE
      return own !== '' && own !== area.iso && isSameDivision
    }),
  )
  if (odd.size < codes.length * STRAY_SHARE) return codes
  return codes.map(code => {
    const iso = odd.get(code)?.iso
    if (iso === undefined) return code
    const [{ admin }] = code.places
    const { position } = code
    const { lat, lon, statedAccuracy } = position
    const { name1, code1 } = admins.get(iso) ?? admin
    const right = pool.admin({ name1, code1, name2: '', code2: '', name3: '', code3: '' })
    const isThere = extents.holds(right, lat, lon)
    const isAtBorder = isThere && extents.holds(admin, lat, lon)
    // A register has districts or measured positions.
    const isSure = isPlaced(position) ? !isThere && statedAccuracy !== ESTIMATED : admin.name2 !== ''
    if (isAtBorder || isSure) return code
    return withEachPlace(code, place => {
      if (isThere) return pool.moved(place, right)
      const city = keysOfBeginnings(cityWords(place.name))
        .flatMap(key => gazetteer.named(key))
        .findLast(({ admin1 }) => extents.areasOf(right)?.has(admin1))
      return pool.place(city?.name ?? '', right)
    })
  })
}

interface ToldArea {
  /** ISO 3166-2 code of the level-1 area. */
  iso: string
  beginning: RegExp
}

/** Returns the area that each code tells. Codes of several level-1 areas or none are left out. */
function toldAreas(codes: readonly ListedCode[], { cc, isoAreas }: Country): Map<ListedCode, ToldArea> {
  const areas: ToldArea[] = codeAreas(cc).map(({ code, name, beginning }) => ({
    iso: level1Of(cc, isoAreas.find(name)?.code ?? code),
    beginning,
  }))
  const told = new Map<ListedCode, ToldArea>()
  for (const code of codes) {
    const [area, ...others] = areas.filter(({ beginning }) => beginning.test(code.key))
    if (area !== undefined && others.every(({ iso }) => iso === area.iso)) told.set(code, area)
  }
  return told
}

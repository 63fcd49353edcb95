/** Fills areas that rows lack, from the gazetteer or from neighbours by code. */
import { memoised } from '../../datasets/maps.ts'
import { areaName } from '../../datasets/reference/area-gazetteer.ts'
import type { City } from '../../datasets/reference/cities-500.ts'
import { cityKey } from '../../src/postal/text/city.ts'
import type { AreaExtents } from '../areas/area-extents.ts'
import type { Country } from '../areas/country.ts'
import { isPlaced } from '../distance.ts'
import { CellGrid } from '../gazetteer/cell-grid.ts'
import { type AdminModel, withBetween } from '../model.ts'
import { type GradedCode, replacePlaces, spotsOf, withEachPlace } from '../rows/code.ts'
import type { Areas, Place } from '../rows/places.ts'
import { parentOf } from '../rows/postal-unions.ts'
import { AGREEING_MIN, ESTIMATED_AREA_KM, NEXT_PLACE_KM, SURE_SHARE } from '../thresholds.ts'

/**
 * Fills names and numbers of levels 1 and 2 where the level above agrees with the gazetteer. A place that the
 * gazetteer lacks takes the areas of the place next to its codes. Level 3 stays empty: the gazetteer has no
 * names for it. Its numbers were right in 83 to 99 percent only.
 */
export function fillFromGazetteer(codes: readonly GradedCode[], country: Country): readonly GradedCode[] {
  const { pool, extents } = country
  const filled = areaFiller(codes, country)
  const neighbours = neighboursOf(codes, extents)
  return replacePlaces(codes, place => {
    const city = place.city ?? neighbours.get(place)
    return city == null ? place : pool.moved(place, filled(place.admin, city))
  })
}

/** Returns the gazetteer's place next to each place that it lacks; null if there is none, or codes disagree. */
function neighboursOf(codes: readonly GradedCode[], extents: AreaExtents): Map<Place, City | null> {
  const found = new Map<Place, City | null>()
  for (const { lat, lon, code } of spotsOf(codes)) {
    const [place] = code.places
    if (place.city !== null || code.position.accuracy === 'area' || !lacksAreas(place.admin)) continue
    const next = extents.nearest(place.admin, lat, lon, NEXT_PLACE_KM)
    const known = found.get(place)
    const isOther = known !== undefined && (known?.admin1 !== next?.admin1 || known?.admin2 !== next?.admin2)
    found.set(place, isOther ? null : next)
  }
  return found
}

/** Returns true for the level 1 of a place outside all areas. */
function isNowhere(admin1: string): boolean {
  return admin1 === '' || admin1 === '00'
}

/**
 * Fills missing level-1 areas. Takes the area of the codes before and after if they agree, else of the
 * nearest code. The order of codes counts only if it predicts known areas. A code at a place without an area
 * in the gazetteer stays without: Sark.
 */
export function fillFromNeighbours(codes: readonly GradedCode[], { pool }: Country): readonly GradedCode[] {
  const isOutside = ({ city }: Place) => city !== null && isNowhere(city.admin1)
  const labelOf = ({ places }: GradedCode) => places[0].admin.level1
  const known = codes.filter(code => labelOf(code) !== '')
  if (known.length === 0 || known.length === codes.length) return codes
  const labels = known.map(labelOf)
  const tried = [...labels.keys()].filter(at => at > 0 && labels[at - 1] === labels[at + 1])
  const right = tried.filter(at => labels[at] === labels[at - 1])
  const isOrdered = right.length >= Math.max(AGREEING_MIN, tried.length * SURE_SHARE)
  const grid = new CellGrid(spotsOf(known))
  return withBetween(codes, known, (code, before, after) => {
    if (isOutside(code.places[0])) return code
    const { lat, lon } = code.position
    const nearest = isPlaced(code.position) ? grid.nearest(lat, lon, ESTIMATED_AREA_KM) : null
    const isBetween =
      isOrdered && before !== undefined && after !== undefined && labelOf(before) === labelOf(after)
    const like = isBetween ? after : nearest?.code
    if (like === undefined) return code
    const { name1, code1 } = like.places[0].admin
    return withEachPlace(code, place =>
      place.admin.level1 === '' ? pool.moved(place, { ...place.admin, name1, code1 }) : place,
    )
  })
}

function lacksAreas({ name1, code1, name2, code2 }: AdminModel): boolean {
  return (name1 === '' && code1 === '') || (name2 === '' && code2 === '')
}

/** Returns a function that fills areas from a place of the gazetteer in them. */
function areaFiller(codes: readonly GradedCode[], { cc, extents, isoAreas }: Country) {
  /** Level-1 area of rows by the gazetteer's number; null where rows have several names. */
  const level1 = new Map<string, Pick<AdminModel, 'name1' | 'code1'> | null>()
  for (const { places } of codes) {
    const { admin } = places[0]
    const [number, ...others] = extents.areasOf(admin) ?? []
    if (number === undefined || others.length > 0 || admin.name1 === '') continue
    const known = level1.get(number)
    if (known === undefined) level1.set(number, { name1: admin.name1, code1: admin.code1 })
    else if (known !== null && known.name1 !== admin.name1) level1.set(number, null)
  }
  // In US territories the gazetteer's level 1 is the county, and its level 2 a part of one.
  const isTerritory = parentOf(cc) === 'US'
  const withLevel1 = (admin: AdminModel, admin1: string): AdminModel => {
    if (admin.name1 !== '' || admin.code1 !== '') return admin
    const known = isNowhere(admin1) ? null : level1.get(admin1)
    if (known !== undefined) return known === null ? admin : { ...admin, ...known }
    const name1 = areaName(cc, admin1)
    const code1 = isoAreas.find(name1)?.code ?? (isTerritory ? admin1 : '')
    return name1 === '' ? admin : { ...admin, name1, code1 }
  }
  const withLevel2 = (admin: AdminModel, admin1: string, admin2: string): AdminModel => {
    if (admin.name2 !== '' || admin.code2 !== '' || admin2 === '' || isTerritory) return admin
    const name2 = areaName(cc, admin1, admin2)
    const isLevel1 = cityKey(name2) === cityKey(admin.name1)
    return name2 === '' || isLevel1 ? admin : { ...admin, name2, code2: admin2 }
  }
  const filled = memoised((admin: Areas) =>
    memoised((numbers: string): AdminModel => {
      const [admin1, admin2] = numbers.split('\t')
      const larger = withLevel1(admin, admin1)
      // A different level 1 may mean a different level 2.
      const agrees = larger !== admin || extents.areasOf(admin)?.has(admin1) === true
      return agrees ? withLevel2(larger, admin1, admin2) : admin
    }),
  )
  return (admin: Areas, { admin1, admin2 }: City): AdminModel =>
    lacksAreas(admin) ? filled(admin)(`${admin1}\t${admin2}`) : admin
}

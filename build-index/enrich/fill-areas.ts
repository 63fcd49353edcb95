/** Fills in areas that rows do not name: from the gazetteer, whose places have numbers of areas, and from the codes before and after. */
import { getOrMake } from '../../datasets/maps.ts'
import { areaName } from '../../datasets/reference/area-gazetteer.ts'
import type { City } from '../../datasets/reference/cities-500.ts'
import { cityKey } from '../../src/text/city.ts'
import type { AdminModel } from '../model.ts'
import type { CodeDraft, PlaceDraft, PlacePool } from '../rows/drafts.ts'
import { parentOf } from '../rows/postal-unions.ts'
import type { AreaExtents } from './area-extents.ts'
import { areaLabel } from './area-labels.ts'
import type { Gazetteer } from './gazetteer.ts'
import type { IsoAreas } from './iso-codes.ts'

/** A place that the gazetteer lacks is in the area of its neighbour, when one is this near. */
const NEIGHBOUR_KM = 5
/** Share of the codes with an area whose codes before and after show it. With less the others get none this way. */
const NEIGHBOURS_RIGHT_MIN = 0.95
/** US counties are named without their kind. */
const US_KIND = / (County|Parish|Borough|Census Area|Municipality|Municipio)$/

/**
 * Fills in names and numbers of levels 1 and 2, each where the level above agrees with the gazetteer. A place that the gazetteer lacks
 * takes those of the place next to its codes. Level 3 stays empty: the gazetteer has no names for it, and its numbers were right in 83 to
 * 99 percent only.
 */
export function fillFromGazetteer(
  country: string,
  codes: readonly CodeDraft[],
  pool: PlacePool,
  gazetteer: Gazetteer,
  extents: AreaExtents,
  iso: IsoAreas,
): void {
  if (gazetteer.cities.length === 0) return
  const filler = new AreaFiller(country, codes, extents, iso)
  const neighbours = neighboursOf(codes, filler, extents)
  const better = new Map<PlaceDraft, PlaceDraft>()
  const lists = new Map<CodeDraft['places'], CodeDraft['places']>()
  const betterOf = (place: PlaceDraft): PlaceDraft => {
    const city = place.city ?? neighbours.get(place)
    const admin = city == null ? place.admin : filler.filled(place.admin, city)
    return admin === place.admin ? place : pool.moved(place, admin)
  }
  for (const code of codes)
    code.places = getOrMake(lists, code.places, () => {
      const places = code.places.map(place => getOrMake(better, place, () => betterOf(place)))
      const [first, ...others] = new Set(places)
      // Codes of one place share its list of one.
      return others.length === 0 ? first.alone : [first, ...others]
    })
}

/** Returns, for places that lack areas and the gazetteer lacks, the gazetteer's place next to their codes; null where codes disagree. */
function neighboursOf(
  codes: readonly CodeDraft[],
  filler: AreaFiller,
  extents: AreaExtents,
): Map<PlaceDraft, City | null> {
  const found = new Map<PlaceDraft, City | null>()
  for (const { lat, lon, grade, places } of codes) {
    const [place] = places
    if (place.city != null || grade === 'area' || Number.isNaN(lat) || !filler.lacks(place.admin)) continue
    const next = extents.nearest(place.admin, lat, lon, NEIGHBOUR_KM)
    const known = found.get(place)
    const isOther = known !== undefined && (known?.admin1 !== next?.admin1 || known?.admin2 !== next?.admin2)
    found.set(place, isOther ? null : next)
  }
  return found
}

/**
 * Gives codes without a level-1 area that of the codes before and after, where these have the same. Tries it on the codes that have an
 * area first, and does nothing where too many come out wrong.
 */
export function fillFromNeighbours(codes: readonly CodeDraft[], pool: PlacePool): void {
  const known = codes.filter(({ places }) => areaLabel(places[0].admin) !== '')
  const areaAt = (at: number) => known[at]?.places[0].admin
  const between = (before: number, after: number) => {
    const area = areaAt(before)
    const isShared = area !== undefined && areaLabel(area) === areaLabel(areaAt(after) ?? NO_AREA)
    return isShared ? area : undefined
  }
  const tried = known.map((_, at) => [areaAt(at), between(at - 1, at + 1)]).filter(([, area]) => area)
  const right = tried.filter(([own, area]) => areaLabel(own ?? NO_AREA) === areaLabel(area ?? NO_AREA))
  if (right.length < tried.length * NEIGHBOURS_RIGHT_MIN) return
  let next = 0
  for (const code of codes) {
    if (code === known[next]) next++
    else {
      const area = between(next - 1, next)
      if (area === undefined) continue
      const { name1, code1 } = area
      for (const [i, place] of code.places.entries())
        if (areaLabel(place.admin) === '')
          code.replace(i, pool.moved(place, { ...place.admin, name1, code1 }))
    }
  }
}

type Level1 = Pick<AdminModel, 'name1' | 'code1'>
const NO_AREA: Level1 = { name1: '', code1: '' }

class AreaFiller {
  readonly #country: string
  readonly #extents: AreaExtents
  readonly #iso: IsoAreas
  /** By the gazetteer's number: what rows call the area of level 1; null where they have several names for it. */
  readonly #level1 = new Map<string, Level1 | null>()
  /** Results of `filled` by areas, then by numbers of the gazetteer's place. */
  readonly #filled = new Map<AdminModel, Map<string, AdminModel>>()

  constructor(country: string, codes: readonly CodeDraft[], extents: AreaExtents, iso: IsoAreas) {
    this.#country = country
    this.#extents = extents
    this.#iso = iso
    for (const { places } of codes) {
      const { admin } = places[0]
      const [number, ...others] = extents.areasOf(admin) ?? []
      if (number === undefined || others.length > 0 || admin.name1 === '') continue
      const known = this.#level1.get(number)
      if (known === undefined) this.#level1.set(number, { name1: admin.name1, code1: admin.code1 })
      else if (known !== null && known.name1 !== admin.name1) this.#level1.set(number, null)
    }
  }

  lacks({ name1, code1, name2, code2 }: AdminModel): boolean {
    return (name1 === '' && code1 === '') || (name2 === '' && code2 === '')
  }

  /** Returns `admin` with the areas that it lacks, taken from `city`. */
  filled(admin: AdminModel, city: City): AdminModel {
    if (!this.lacks(admin)) return admin
    const numbers = `${city.admin1}\t${city.admin2}`
    const byNumbers = getOrMake(this.#filled, admin, () => new Map<string, AdminModel>())
    return getOrMake(byNumbers, numbers, () => {
      const withLevel1 = this.#withLevel1(admin, city)
      // Where the level 1 of the rows is another area than the gazetteer's, its level 2 may be as well.
      const agrees = withLevel1 !== admin || this.#extents.areasOf(admin)?.has(city.admin1) === true
      return agrees ? this.#withLevel2(withLevel1, city) : admin
    })
  }

  #withLevel1(admin: AdminModel, { admin1 }: City): AdminModel {
    if (admin.name1 !== '' || admin.code1 !== '') return admin
    const known = this.#level1.get(admin1)
    if (known !== undefined) return known === null ? admin : { ...admin, ...known }
    const name1 = areaName(this.#country, admin1)
    // The gazetteer's numbers of areas of US territories are those of counties.
    const number = parentOf(this.#country) === 'US' ? admin1 : ''
    return name1 === '' ? admin : { ...admin, name1, code1: this.#iso.find(name1)?.code ?? number }
  }

  #withLevel2(admin: AdminModel, { admin1, admin2 }: City): AdminModel {
    if (admin.name2 !== '' || admin.code2 !== '' || admin2 === '') return admin
    // In the territories of the US the gazetteer's level 1 is the county, and its level 2 a part of one.
    if (parentOf(this.#country) === 'US') return admin
    let name2 = areaName(this.#country, admin1, admin2)
    if (this.#country === 'US') name2 = name2.replace(US_KIND, '')
    // Some rows have the gazetteer's level 2 as their level 1.
    if (name2 === '' || cityKey(name2) === cityKey(admin.name1)) return admin
    return { ...admin, name2, code2: admin2 }
  }
}

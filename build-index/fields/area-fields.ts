import type { CountryDraft } from '../places/code-draft.ts'
import { replacePlaces } from '../rows/places.ts'

/** Levels of the city in countries with further fields. */
const CITY_FIELDS: Readonly<Record<string, 'name2' | 'name3'>> = { BR: 'name2', MX: 'name3' }

/** Sets further fields. Call after the areas are filled. */
export function setAreaFields({ country, codes, pool, isoAreas }: CountryDraft): void {
  const cityField = CITY_FIELDS[country]
  if (cityField === undefined) return
  replacePlaces(codes, place => {
    const { name } = place
    // Sectors of Brazil have the names of municipalities.
    const name2 = place.admin.name2 || (country === 'BR' ? name : '')
    const admin = { ...place.admin, name2 }
    const state = isoAreas.find(admin.name1)?.names[0] ?? admin.name1
    const extra: Record<string, string> = { adminLevel1: state, adminLevel2: admin.name2 }
    if (state !== admin.name1) extra.state = state
    extra.municipality = admin.name2
    if (admin[cityField] !== name) extra.city = admin[cityField]
    const known = Object.entries(extra).filter(([, value]) => value !== '')
    return pool.moved(place, { ...admin, extra: Object.fromEntries(known) })
  })
}

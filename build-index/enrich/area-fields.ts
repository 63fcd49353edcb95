/** Gives areas their codes of ISO 3166-2, and the areas of MX and BR their further fields. */
import { kept } from '../../datasets/lists.ts'
import type { AdminModel } from '../model.ts'
import { type CodeDraft, type PlaceDraft, type PlacePool, replacePlaces } from '../rows/drafts.ts'
import type { IsoAreas } from './iso-codes.ts'

/** Names of the municipality and the city in rows of the countries whose records have further fields. */
const RICH: Readonly<Record<string, { municipality: 'name2'; city: 'name2' | 'name3' }>> = {
  BR: { municipality: 'name2', city: 'name2' },
  MX: { municipality: 'name2', city: 'name3' },
}

export function setAreaFields(
  country: string,
  codes: Iterable<CodeDraft>,
  pool: PlacePool,
  areas: IsoAreas,
): void {
  const names = commonNames(codes, areas)
  replacePlaces(codes, place => {
    const admin = finalAdmin(country, place, areas, names)
    return admin === place.admin ? place : pool.moved(place, admin)
  })
}

/** Returns, by code of an area, the name that most postal codes have for it. Of equals the first counts. */
function commonNames(codes: Iterable<CodeDraft>, areas: IsoAreas): Map<string, string> {
  const counts = new Map<string, Map<string, number>>()
  for (const { places } of codes) {
    const { name1, code1 } = places[0].admin
    const code = areas.find(name1)?.code ?? code1
    if (name1 === '' || code === '') continue
    const names = kept(counts, code, () => new Map<string, number>())
    names.set(name1, (names.get(name1) ?? 0) + 1)
  }
  return new Map(
    Array.from(counts, ([code, names]) => [code, [...names].reduce((a, b) => (b[1] > a[1] ? b : a))[0]]),
  )
}

function finalAdmin(
  country: string,
  { name, admin }: PlaceDraft,
  areas: IsoAreas,
  names: ReadonlyMap<string, string>,
): AdminModel {
  const area = areas.find(admin.name1)
  const code1 = area?.code ?? admin.code1
  const name1 = admin.name1 === '' ? '' : (names.get(code1) ?? admin.name1)
  const rich = RICH[country]
  if (rich === undefined)
    return code1 === admin.code1 && name1 === admin.name1 ? admin : { ...admin, name1, code1 }
  const state = area?.names[0] ?? admin.name1
  const extra: Record<string, string> = { adminLevel1: state, adminLevel2: admin.name2 }
  if (state !== admin.name1) extra.state = state
  extra.municipality = admin[rich.municipality]
  if (admin[rich.city] !== name) extra.city = admin[rich.city]
  return {
    ...admin,
    code1,
    extra: Object.fromEntries(Object.entries(extra).filter(([, value]) => value !== '')),
  }
}

/** Gives areas their codes of ISO 3166-2, and the areas of MX and BR their further fields. */
import type { AdminModel } from '../model.ts'
import { type CodeDraft, type PlaceDraft, type PlacePool, replacePlaces } from '../rows/drafts.ts'
import type { IsoAreas } from './iso-codes.ts'

/** Names of the municipality and the city in rows of the countries whose records have further fields. */
const RICH: Readonly<Record<string, { municipality: 'name2'; city: 'name2' | 'name3' }>> = {
  BR: { municipality: 'name2', city: 'name2' },
  MX: { municipality: 'name2', city: 'name3' },
}

/** Works in place. */
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

/** Returns, by code of ISO 3166-2, the name that most codes have for the area. Of equals the first counts. */
function commonNames(codes: Iterable<CodeDraft>, areas: IsoAreas): Map<string, string> {
  const counts = new Map<string, number>()
  for (const { places } of codes) {
    const { name1 } = places[0].admin
    counts.set(name1, (counts.get(name1) ?? 0) + 1)
  }
  const names = [...counts]
    .reverse()
    .sort(([, a], [, b]) => a - b)
    .map(([name]) => name)
  return new Map(names.map(name => [areas.find(name)?.code ?? '', name]))
}

function finalAdmin(
  country: string,
  { name, admin }: PlaceDraft,
  areas: IsoAreas,
  names: ReadonlyMap<string, string>,
): AdminModel {
  const area = areas.find(admin.name1)
  const code1 = area?.code ?? admin.code1
  const name1 = area === undefined ? admin.name1 : (names.get(area.code) ?? admin.name1)
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

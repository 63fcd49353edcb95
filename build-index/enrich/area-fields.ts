/** The final form of each place's areas: ISO codes, and the further fields of countries with rich schemas. */

import type { AdminModel } from '../model.ts'
import type { CodeDraft, PlaceDraft, PlacePool } from '../rows/drafts.ts'
import type { IsoAreas } from './iso-codes.ts'

/** Levels at which the countries with rich schemas have municipality and city: MX and BR, as the API promises. */
const RICH: Readonly<Record<string, { municipality: 'name2'; city: 'name2' | 'name3' }>> = {
  BR: { municipality: 'name2', city: 'name2' },
  MX: { municipality: 'name2', city: 'name3' },
}

/** Works in place; returns how many places changed. */
export function setAreaFields(
  country: string,
  codes: Iterable<CodeDraft>,
  pool: PlacePool,
  areas: IsoAreas,
): number {
  const finals = new Map<PlaceDraft, PlaceDraft>()
  let changed = 0
  for (const code of codes)
    for (let i = 0; i < code.places.length; i++) {
      const place = code.places[i]
      let final = finals.get(place)
      if (final === undefined) {
        final = withAdmin(place, finalAdmin(country, place, areas), pool)
        finals.set(place, final)
        if (final !== place) changed++
      }
      code.replace(i, final)
    }
  return changed
}

function finalAdmin(country: string, { name, admin }: PlaceDraft, areas: IsoAreas): AdminModel {
  const area = areas.find(admin.name1)
  const code1 = area?.code ?? admin.code1
  const rich = RICH[country]
  if (rich === undefined) return code1 === admin.code1 ? admin : { ...admin, code1 }
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

function withAdmin(place: PlaceDraft, admin: AdminModel, pool: PlacePool): PlaceDraft {
  if (admin === place.admin) return place
  const final = pool.place(place.name, pool.admin(admin, admin.extra), place.aliases)
  final.city ??= place.city
  return final
}

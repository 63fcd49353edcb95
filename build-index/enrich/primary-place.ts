/**
 * Chooses the place that answers for a code, in this order:
 *
 * 1. a place of the gazetteer with the name of its own municipality, province or region: `Berlin` in Berlin;
 * 2. any other place of the gazetteer, or a name that is also its area's;
 * 3. everything else: hamlets, districts, companies, buildings.
 *
 * Among equals the larger by population counts, then the first in the source.
 */

import { getOrMake } from '../../datasets/maps.ts'
import { cityKey } from '../../src/text/city.ts'
import { compareText } from '../../src/text/order.ts'
import type { AdminModel } from '../model.ts'
import type { PlaceDraft } from '../rows/drafts.ts'
import type { CountryDraft } from './country-draft.ts'

/** Chooses the primary place of each code, and sorts the codes by key. */
export function choosePrimaries({ codes }: CountryDraft): void {
  for (const code of codes.sort((a, b) => compareText(a.key, b.key))) {
    let best = 0
    for (let i = 1; i < code.places.length; i++)
      if (weightOf(code.places[i]) > weightOf(code.places[best])) best = i
    code.settle(best)
  }
}

/** Larger than any population. */
const RANK = 1e9

function weightOf({ key, admin, city }: PlaceDraft): number {
  if (key === '') return -1
  const isArea = areaKeys(admin).has(key)
  const rank = city ? (isArea ? 2 : 1) : isArea ? 1 : 0
  return rank * RANK + (city?.population ?? 0)
}

/** Kinds of cities: `Berlin, Stadt`, `Stadtkreis Stuttgart`, `Chiyoda-ku`. */
const CITY_KINDS =
  /^((kreisfreie|landeshaupt|hansestadt|universitäts)?stadt(kreis)? |city of |ville de |municipality of )|(, ?.*stadt|, ?stadt| city| municipality|-(shi|ku|machi|cho|mura|son))$/i

const keysOfAreas = new WeakMap<AdminModel, ReadonlySet<string>>()

/** Returns keys of the areas' names, with and without their kind. */
function areaKeys(admin: AdminModel): ReadonlySet<string> {
  return getOrMake(keysOfAreas, admin, () => {
    const areas = [admin.name1, admin.name2, admin.name3].filter(area => area !== '')
    return new Set(areas.flatMap(area => [cityKey(area), cityKey(area.replace(CITY_KINDS, ''))]))
  })
}

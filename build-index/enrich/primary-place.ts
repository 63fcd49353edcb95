/**
 * The one place that answers for a code with several. In this order:
 *
 *   1. a populated place of the gazetteer that carries the name of its own municipality, province or region:
 *      `Berlin` in Berlin, `Paris` in Paris;
 *   2. any other populated place of the gazetteer, or a name that is also its area's;
 *   3. everything else: hamlets, districts, companies, buildings;
 *
 * and among equals the larger by population, then the first in the source.
 */
import { getOrMake } from '../../datasets/maps.ts'
import { cityKey } from '../../src/text/city.ts'
import type { AdminModel } from '../model.ts'
import type { CodeDraft, PlaceDraft } from '../rows/drafts.ts'

/** Puts the primary place of `code` first and takes the code's position from it. */
export function choosePrimary(code: CodeDraft): void {
  let best = 0
  for (let i = 1; i < code.places.length; i++)
    if (weightOf(code.places[i]) > weightOf(code.places[best])) best = i
  code.settle(best)
}

/** More than the population of any place. */
const RANK = 1e9

function weightOf({ key, admin, city }: PlaceDraft): number {
  if (key === '') return -1
  const isArea = areaKeys(admin).has(key)
  const rank = city ? (isArea ? 2 : 1) : isArea ? 1 : 0
  return rank * RANK + (city?.population ?? 0)
}

/** Words that administrations add to a city's name: `Berlin, Stadt`, `Stadtkreis Stuttgart`, `Chiyoda-ku`. */
const CITY_KINDS =
  /^((kreisfreie|landeshaupt|hansestadt|universitäts)?stadt(kreis)? |city of |ville de |municipality of )|(, ?.*stadt|, ?stadt| city| municipality|-(shi|ku|machi|cho|mura|son))$/i

const keysOfAreas = new WeakMap<AdminModel, ReadonlySet<string>>()

/** Keys of the areas' names, with and without words such as `Stadt`. */
export function areaKeys(admin: AdminModel): ReadonlySet<string> {
  return getOrMake(keysOfAreas, admin, () => {
    const areas = [admin.name1, admin.name2, admin.name3].filter(area => area !== '')
    return new Set(areas.flatMap(area => [cityKey(area), cityKey(area.replace(CITY_KINDS, ''))]))
  })
}

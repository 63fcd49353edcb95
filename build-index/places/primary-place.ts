/**
 * Chooses the place that answers for a code, in this order:
 *
 * 1. a place of the gazetteer with the name of its own municipality, province or region: `Berlin` in Berlin;
 * 2. any other place of the gazetteer, or a name that is also its area's;
 * 3. everything else: hamlets, districts, companies, buildings. A name with a remark comes after its plain
 *    name;
 * 4. the name of its level-1 area, which no place of the gazetteer has: Gauteng.
 *
 * Among equals the larger by population counts, then the first in the source.
 */

import { memoised } from '../../datasets/maps.ts'
import { cityKey } from '../../src/postal/text/city.ts'
import type { CountryRows } from '../gazetteer/country.ts'
import { type AdminModel, ascending } from '../model.ts'
import type { PlaceDraft } from '../rows/places.ts'
import type { RowCode } from '../rows/row-code.ts'
import { CodeDraft, type CountryDraft } from './code-draft.ts'
import { isPlain } from './plain-names.ts'

/** Chooses the primary place of each code. */
export function choosePrimaries(rows: CountryRows): CountryDraft {
  const { country, codes, gazetteer } = rows
  /** Keys of the areas' names, with and without their kind. */
  const areaKeys = memoised(({ name1, name2, name3 }: AdminModel) => {
    const areas = [name1, name2, name3].filter(area => area !== '')
    return new Set(areas.flatMap(area => [cityKey(area), cityKey(area.replace(CITY_KINDS, ''))]))
  })
  const weightOf = memoised(({ name, key, admin, city }: PlaceDraft) => {
    if (key === '') return -1
    const isArea = areaKeys(admin).has(key)
    if (isArea && key === cityKey(admin.name1) && !AREA_CITY.test(name) && gazetteer.named(key).length === 0)
      return ONLY_AREA
    if (!isPlain(country, name)) return 0
    const rank = (city ? 1 : 0) + (isArea ? 1 : 0)
    return rank * RANK + (city?.population ?? 0)
  })
  const firstOf = ({ places }: RowCode) => {
    if (places.length === 1) return 0
    const weights = places.map(weightOf)
    return weights.indexOf(Math.max(...weights))
  }
  return { ...rows, codes: ascending(codes).map(code => new CodeDraft(code, firstOf(code))) }
}

/** Level-1 areas that are cities, which the gazetteer has without their kind: 세종특별자치시. */
const AREA_CITY = /^city of |( city|시|市)$/i
/** Weight of a name that only a level-1 area has. A missing name weighs less. */
const ONLY_AREA = -0.5
/** Larger than any population. */
const RANK = 1e9

/** Kinds of cities: `Berlin, Stadt`, `Stadtkreis Stuttgart`, `Chiyoda-ku`. */
const CITY_KINDS =
  /^((kreisfreie|landeshaupt|hansestadt|universitäts)?stadt(kreis)? |city of |ville de |municipality of )|(, ?.*stadt|, ?stadt| city| municipality|-(shi|ku|machi|cho|mura|son))$/i

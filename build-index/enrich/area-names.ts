/** Other names of level-1 areas, for the state filter of city search: `東京都` and `Tokio` are the area `Tokyo`. */

import type { AreaNames } from '../../src/format/meta.ts'
import { cityKey } from '../../src/text/city.ts'
import type { CodeDraft } from '../rows/drafts.ts'
import type { IsoAreas } from './iso-codes.ts'
import { bilingualHalves } from './spellings.ts'

/**
 * For the `cityKey` of each further name of the level-1 areas of `codes`, the names in `codes` that it stands for. A name that
 * another area of the country has as its own, of any level, is left out: there it means that area.
 */
export function otherAreaNames(codes: Iterable<CodeDraft>, areas: IsoAreas): AreaNames {
  const level1 = new Set<string>()
  const below = new Set<string>()
  for (const { places } of codes)
    for (const { admin } of places) {
      level1.add(admin.name1)
      below.add(admin.name2).add(admin.name3)
    }
  const [keys1, keysBelow] = [level1, below].map(names => new Set(Array.from(names, cityKey)))
  // Some rows may have the area by its other name: where 東京都 stands for most of Tokyo, it is also its own name for the rest.
  const isAnothers = (key: string, other: string, name: string) =>
    keysBelow.has(key) || (keys1.has(key) && areas.find(other)?.code !== areas.find(name)?.code)
  const others = new Map<string, Set<string>>()
  for (const name of level1)
    for (const other of [...areas.namesOf(name), ...bilingualHalves(name)]) {
      const key = cityKey(other)
      if (key === '' || key === cityKey(name) || isAnothers(key, other, name)) continue
      others.set(key, (others.get(key) ?? new Set()).add(name))
    }
  return Object.fromEntries(Array.from(others, ([key, names]) => [key, [...names]]))
}

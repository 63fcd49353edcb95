/** Step 6: other names of level-1 areas, for the state filter of city search: `東京都` and `Tokio` are the area `Tokyo`. */
import { cityKey } from '../src/text/city.ts'
import type { CodeDraft } from './drafts.ts'
import type { IsoAreas } from './iso-codes.ts'
import type { AreaNames } from './model.ts'
import { bilingualHalves } from './spellings.ts'

/**
 * For the `cityKey` of each further name of the level-1 areas of `codes`, the names in `codes` that it stands for. A name that
 * some area of the country has as its own, of any level, is no other name: there it means that one.
 */
export function otherAreaNames(codes: Iterable<CodeDraft>, areas: IsoAreas): AreaNames {
  const own = new Set<string>()
  const level1 = new Set<string>()
  for (const { places } of codes)
    for (const { admin } of places) {
      level1.add(admin.name1)
      own.add(admin.name1).add(admin.name2).add(admin.name3)
    }
  const ownKeys = new Set(Array.from(own, cityKey))
  const others = new Map<string, Set<string>>()
  for (const name of level1)
    for (const other of [...areas.namesOf(name), ...bilingualHalves(name)]) {
      const key = cityKey(other)
      if (key === '' || ownKeys.has(key)) continue
      others.set(key, (others.get(key) ?? new Set()).add(name))
    }
  return Object.fromEntries(Array.from(others, ([key, names]) => [key, [...names]]))
}

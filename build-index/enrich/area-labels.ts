/** Names of areas in rows and in the gazetteer. */
import { getOrMake } from '../../datasets/maps.ts'
import type { City } from '../../datasets/reference/cities-500.ts'
import type { AdminModel } from '../model.ts'

/** Number of an area in the gazetteer: of level 1, and of level 2 after a tab. */
export type Numbers = ReadonlySet<string>

/** The name by which rows mean a level-1 area; `''` when they name none. */
export function areaLabel({ name1, code1 }: Pick<AdminModel, 'name1' | 'code1'>): string {
  return name1 || code1
}

/** The same for its level-2 area; `''` when they name none. */
export function partLabel(admin: AdminModel): string {
  const part = admin.name2 || admin.code2
  return getOrMake(partLabels, admin, () => (part === '' ? '' : `${areaLabel(admin)}\t${part}`))
}

const partLabels = new WeakMap<AdminModel, string>()

/** The same of a place in the gazetteer; `''` when it names no level-2 area. */
export function numbersOf({ admin1, admin2 }: City): string {
  return admin2 === '' ? '' : `${admin1}\t${admin2}`
}

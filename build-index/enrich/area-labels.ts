/** Labels of areas in rows, and numbers of areas in the gazetteer. */
import type { City } from '../../datasets/reference/cities-500.ts'
import type { AdminModel } from '../model.ts'

/** The gazetteer's numbers of level-1 areas, or of level-2 areas after a tab. */
export type AreaNumbers = ReadonlySet<string>

/** Returns the label of the level-1 area, `''` for none. */
export function areaLabel({ name1, code1 }: Pick<AdminModel, 'name1' | 'code1'>): string {
  return name1 || code1
}

/** Returns the label of the level-2 area, `''` for none. */
export function partLabel(admin: AdminModel): string {
  const part = admin.name2 || admin.code2
  return part === '' ? '' : `${areaLabel(admin)}\t${part}`
}

/** Returns the number of a place's level-2 area, `''` for none. */
export function partNumber({ admin1, admin2 }: City): string {
  return admin2 === '' ? '' : `${admin1}\t${admin2}`
}

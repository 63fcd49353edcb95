import { increment, incrementIn, mostFrequent } from '../../datasets/maps.ts'
import type { AdminModel } from '../model.ts'
import { type AnyCode, replaceAreas } from '../rows/code.ts'
import type { PlacePool } from '../rows/places.ts'
import type { Country } from './country.ts'

/** Gives level-1 areas their codes of ISO 3166-2 and one name each. */
export function nameAreas<T extends AnyCode>(codes: readonly T[], { pool, isoAreas }: Country): readonly T[] {
  const numbered = isoAreas.isSourced ? codes : withNamesOfNumbers(codes, pool)
  const isoOf = ({ name1 }: AdminModel) => isoAreas.find(name1)?.code ?? ''
  const names = namesByNumber(numbered, isoOf)
  return replaceAreas(numbered, pool, admin => {
    const iso = isoOf(admin)
    if (iso !== '') return { ...admin, name1: names.get(iso) ?? admin.name1, code1: iso }
    // The number of another division would be read as an ISO code.
    return names.has(admin.code1) ? { ...admin, code1: '' } : admin
  })
}

/** Gives each number one name. It is surer than a name: rows of CN have the province of the post office. */
function withNamesOfNumbers<T extends AnyCode>(codes: readonly T[], pool: PlacePool): readonly T[] {
  const names = namesByNumber(codes, ({ code1 }) => code1)
  const numbers = new Map(Array.from(names, ([number, name]) => [name, number]))
  return replaceAreas(codes, pool, admin => {
    const { name1, code1 } = admin
    const isOthers = code1 !== '' && (numbers.get(name1) ?? code1) !== code1
    return isOthers ? { ...admin, name1: names.get(code1) ?? name1 } : admin
  })
}

/** Returns the most frequent name of each number. */
function namesByNumber(codes: readonly AnyCode[], numberOf: (admin: AdminModel) => string) {
  const areas = new Map<AdminModel, number>()
  for (const { places } of codes) increment(areas, places[0].admin)
  const counts = new Map<string, Map<string, number>>()
  for (const [admin, ofAdmin] of areas) {
    const number = numberOf(admin)
    if (number !== '' && admin.name1 !== '') incrementIn(counts, number, admin.name1, ofAdmin)
  }
  return new Map(Array.from(counts, ([number, names]) => [number, mostFrequent(names) ?? '']))
}

import { increment, incrementIn, mostFrequent } from '../../datasets/maps.ts'
import type { AdminModel } from '../model.ts'
import { type Code, replaceAreas } from '../rows/code.ts'
import type { CountryDraft } from './country.ts'

/** Gives level-1 areas their codes of ISO 3166-2 and one name each. */
export function nameAreas({ codes, pool, isoAreas }: CountryDraft): void {
  if (!isoAreas.isSourced) {
    // A number is surer than a name: rows of CN have the province of the post office.
    const names = namesByNumber(codes, ({ code1 }) => code1)
    const numbers = new Map(Array.from(names, ([number, name]) => [name, number]))
    replaceAreas(codes, pool, admin => {
      const { name1, code1 } = admin
      const isOthers = code1 !== '' && (numbers.get(name1) ?? code1) !== code1
      return isOthers ? { ...admin, name1: names.get(code1) ?? name1 } : admin
    })
  }
  const isoOf = ({ name1 }: AdminModel) => isoAreas.find(name1)?.code ?? ''
  const names = namesByNumber(codes, isoOf)
  replaceAreas(codes, pool, admin => {
    const iso = isoOf(admin)
    if (iso !== '') return { ...admin, name1: names.get(iso) ?? admin.name1, code1: iso }
    // The number of another division would be read as an ISO code.
    return names.has(admin.code1) ? { ...admin, code1: '' } : admin
  })
}

/** Returns the most frequent name of each number. */
function namesByNumber(codes: readonly Code[], numberOf: (admin: AdminModel) => string) {
  const areas = new Map<AdminModel, number>()
  for (const { places } of codes) increment(areas, places[0].admin)
  const counts = new Map<string, Map<string, number>>()
  for (const [admin, ofAdmin] of areas) {
    const number = numberOf(admin)
    if (number !== '' && admin.name1 !== '') incrementIn(counts, number, admin.name1, ofAdmin)
  }
  return new Map(Array.from(counts, ([number, names]) => [number, mostFrequent(names) ?? '']))
}

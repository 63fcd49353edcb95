/** Names, ISO 3166-2 codes and further fields of areas. */
import { incrementIn, mostFrequent } from '../../datasets/maps.ts'
import type { AdminModel } from '../model.ts'
import { type CodeDraft, replacePlaces } from '../rows/drafts.ts'
import type { CountryDraft } from './country-draft.ts'
import type { IsoAreas } from './iso-codes.ts'

/** Levels of the city in countries with further fields. */
const CITY_FIELDS: Readonly<Record<string, 'name2' | 'name3'>> = { BR: 'name2', MX: 'name3' }

/** Gives level-1 areas their codes of ISO 3166-2 and one name each. */
export function nameAreas({ codes, pool, isoAreas }: CountryDraft): void {
  const names = commonNames(codes, isoAreas)
  replacePlaces(codes, place => pool.moved(place, namedAdmin(place.admin, isoAreas, names)))
}

/** Areas must be filled before. */
export function setAreaFields({ country, codes, pool, isoAreas }: CountryDraft): void {
  const cityField = CITY_FIELDS[country]
  if (cityField === undefined) return
  replacePlaces(codes, place => {
    const { name, admin } = place
    const state = isoAreas.find(admin.name1)?.names[0] ?? admin.name1
    const extra: Record<string, string> = { adminLevel1: state, adminLevel2: admin.name2 }
    if (state !== admin.name1) extra.state = state
    extra.municipality = admin.name2
    if (admin[cityField] !== name) extra.city = admin[cityField]
    const known = Object.entries(extra).filter(([, value]) => value !== '')
    return pool.moved(place, { ...admin, extra: Object.fromEntries(known) })
  })
}

interface CommonNames {
  /** By code of ISO 3166-2. */
  iso: ReadonlyMap<string, string>
  /** By number of the source, for areas without a known ISO 3166-2 code. */
  own: ReadonlyMap<string, string>
  /** By name in `own`. */
  numbers: ReadonlyMap<string, string>
}

function commonNames(codes: Iterable<CodeDraft>, areas: IsoAreas): CommonNames {
  const iso = new Map<string, Map<string, number>>()
  const own = new Map<string, Map<string, number>>()
  for (const { places } of codes) {
    const { name1, code1 } = places[0].admin
    const area = areas.find(name1)
    if (name1 === '' || (area === undefined && code1 === '')) continue
    incrementIn(area ? iso : own, area?.code ?? code1, name1)
  }
  const ownNames = namesOf(own)
  const numbers = new Map(Array.from(ownNames, ([number, name]) => [name, number]))
  return { iso: namesOf(iso), own: ownNames, numbers }
}

function namesOf(counts: ReadonlyMap<string, ReadonlyMap<string, number>>): Map<string, string> {
  return new Map(Array.from(counts, ([code, names]) => [code, mostFrequent(names) ?? '']))
}

function namedAdmin(admin: AdminModel, areas: IsoAreas, { iso, own, numbers }: CommonNames): AdminModel {
  const area = areas.find(admin.name1)
  const code1 = area?.code ?? admin.code1
  // A number is surer than a name: rows of CN have the province of the post office.
  const isOthers = (numbers.get(admin.name1) ?? code1) !== code1
  const common = area ? iso.get(area.code) : isOthers ? own.get(code1) : undefined
  return { ...admin, name1: common ?? admin.name1, code1 }
}

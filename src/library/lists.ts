/** Lists the states, cities and codes of a country, for `/api/list`. */
import { adminBefore } from '../format/admin-entry.ts'
import { AdminFilter } from '../index/cities/area-filter.ts'
import type { Country } from '../index/country.ts'
import { nameOfCode, stateOf } from '../index/places.ts'
import type { PostalIndex } from '../index/postal-index.ts'
import { plainText } from '../index/text-section.ts'
import { compareText } from '../text/order.ts'
import type { StateOfCountry } from './records.ts'

export function listStates(index: PostalIndex, country: Country): StateOfCountry[] {
  const counts = new Map<number, number>()
  for (const admin of adminsOf(index, country)) counts.set(admin, (counts.get(admin) ?? 0) + 1)
  const states = new Map<string, StateOfCountry>()
  for (const [admin, codes] of counts) {
    const { state: name, ST: code } = stateOf(index, admin)
    const key = `${name} ${code}`
    const known = states.get(key)
    if (known !== undefined) known.codes += codes
    else if (name !== '') states.set(key, { name, code, codes })
  }
  return [...states].sort(([a], [b]) => compareText(a, b)).map(([, state]) => state)
}

/** Returns the code indexes of a state or another area, ascending; none for an unknown area. */
export function codesOfState(index: PostalIndex, country: Country, state: string): number[] {
  const filter = new AdminFilter(index, country, [state])
  const admins = adminsOf(index, country)
  const all = [...new Set(admins)].map(admin => ({ admin, ...stateOf(index, admin) }))
  // An exact name wins: Minsk is not Minsk City.
  const exact = ['state', 'ST'] as const
  const by = exact.find(field => all.some(area => area[field] !== '' && area[field] === state))
  const isWanted = new Map(
    all.map(area => [area.admin, by ? area[by] === state : filter.acceptsAdmin(area.admin)]),
  )
  const codes: number[] = []
  for (let code = 0; code < admins.length; code++)
    if (isWanted.get(admins[code])) codes.push(country.codeStart + code)
  return codes
}

/** Returns the distinct names of the primary places of codes, ascending by code unit. */
export function citiesOf(index: PostalIndex, country: Country, codes: readonly number[]): string[] {
  const names = new Set(codes.map(code => plainText(index.text, nameOfCode(index, country, code))))
  return [...names].filter(name => name !== '').sort()
}

/** Returns the index into ADMN of each code of a country. Costs some milliseconds for 200,000 codes, once. */
function adminsOf(index: PostalIndex, country: Country): Uint32Array {
  const known = admins.get(country)
  if (known !== undefined) return known
  const found = Uint32Array.from({ length: country.codeCount }, (_, code) =>
    adminBefore(index.text, nameOfCode(index, country, country.codeStart + code)),
  )
  admins.set(country, found)
  return found
}

const admins = new WeakMap<Country, Uint32Array>()

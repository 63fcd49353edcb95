/** Lists the states, cities and codes of a country. Lists are kept, so that a page costs what it holds. */

import { compareText } from '../../platform/compare-text.ts'
import { ADMIN_WORDS, adminBefore } from '../format/admin-entry.ts'
import { nameOfCode } from '../format/code-entry.ts'
import { areaFilter } from '../index/cities/area-filter.ts'
import type { Country } from '../index/country.ts'
import type { PostalIndex } from '../index/postal-index.ts'
import { stateOf } from '../index/read-place.ts'
import { plainText } from '../index/text-section.ts'
import type { StateOfCountry } from './records.ts'

/** Maximum number of kept lists of an index. The largest, the codes of England, has 5 MB. */
const LISTS_MAX = 8

type List = Uint32Array | readonly unknown[]

export function statesOf(index: PostalIndex, country: Country): readonly StateOfCountry[] {
  return kept(index, `states ${country.cc}`, () => {
    const states = new Map<string, StateOfCountry>()
    for (const [admin, codes] of areasOf(index, country).counts) {
      const { state: name, ST: code } = stateOf(index, admin)
      const key = `${name} ${code}`
      const known = states.get(key)
      if (known !== undefined) known.codes += codes
      else if (name !== '') states.set(key, { name, code, codes })
    }
    return [...states].sort(([a], [b]) => compareText(a, b)).map(([, state]) => state)
  })
}

/** Returns the code indexes of a state or another area, ascending; none for an unknown area. */
export function codesOfState(index: PostalIndex, country: Country, state: string): Uint32Array {
  return kept(index, `codes ${country.cc} ${state}`, () => {
    const accepts = areaFilter(index, country, [state])
    const { admins, counts } = areasOf(index, country)
    const all = Array.from(counts.keys(), admin => ({ admin, ...stateOf(index, admin) }))
    // An exact name wins: Minsk is not Minsk City.
    const exact = ['state', 'ST'] as const
    const by = exact.find(field => all.some(area => area[field] !== '' && area[field] === state))
    const isWanted = new Uint8Array(index.admins.length / ADMIN_WORDS)
    for (const area of all) if (by ? area[by] === state : accepts(area.admin)) isWanted[area.admin] = 1
    const codes: number[] = []
    for (let code = 0; code < admins.length; code++)
      if (isWanted[admins[code]] === 1) codes.push(country.codeStart + code)
    return Uint32Array.from(codes)
  })
}

/** Returns the distinct names of the primary places of a state's codes, ascending by code unit. */
export function citiesOf(index: PostalIndex, country: Country, state: string): readonly string[] {
  return kept(index, `cities ${country.cc} ${state}`, () => {
    const offsets = new Set<number>()
    for (const code of codesOfState(index, country, state)) offsets.add(nameOfCode(index, country, code))
    const names = new Set(Array.from(offsets, offset => plainText(index.text, offset)))
    return [...names].filter(name => name !== '').sort()
  })
}

const lists = new WeakMap<PostalIndex, Map<string, List>>()

/** Returns a kept list, or makes it. The list that was asked for least recently goes. */
function kept<L extends List>(index: PostalIndex, key: string, make: () => L): L {
  const all = lists.get(index) ?? new Map<string, List>()
  lists.set(index, all)
  // A key names the kind of its items.
  const list = (all.get(key) as L | undefined) ?? make()
  all.delete(key)
  all.set(key, list)
  const [oldest] = all.size > LISTS_MAX ? all.keys() : []
  if (oldest !== undefined) all.delete(oldest)
  return list
}

interface Areas {
  /** Index into ADMN of each code. */
  readonly admins: Uint32Array
  /** Number of codes by index into ADMN. */
  readonly counts: ReadonlyMap<number, number>
}

const areas = new WeakMap<Country, Areas>()

/** Returns the areas of a country's codes. Costs some milliseconds for 200,000 codes, once. */
function areasOf(index: PostalIndex, country: Country): Areas {
  const known = areas.get(country)
  if (known !== undefined) return known
  const { codeStart, codeCount } = country
  const admins = new Uint32Array(codeCount)
  const counts = new Map<number, number>()
  for (let code = 0; code < codeCount; code++) {
    const admin = adminBefore(index.text, nameOfCode(index, country, codeStart + code))
    admins[code] = admin
    counts.set(admin, (counts.get(admin) ?? 0) + 1)
  }
  const found = { admins, counts }
  areas.set(country, found)
  return found
}

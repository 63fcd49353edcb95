/** City search by comparing the query with every name of a country. */
import type { CodeModel, CountryModel, PlaceModel } from '../../../../build-index/model.ts'
import { cityKey } from '../../../../src/postal/text/city.ts'
import { formatCode } from '../../../../src/postal/text/mask.ts'

interface Town {
  place: PlaceModel
  codes: Set<string>
}

export interface CityQuestion {
  city: string
  state?: string
  ST?: string
}

export interface CityVerdict {
  exact: string[] | undefined
  /** Towns of the asked area, and those of them with a name at most as far as a typing error. */
  towns: readonly Town[]
  near: readonly Town[]
}

export function expectCity(model: CountryModel, question: CityQuestion): CityVerdict {
  const key = cityKey(question.city)
  const towns = townsOf(model).filter(town => isInState(model, town, question))
  if (key === '') return { exact: undefined, towns, near: [] }
  const exact = towns.filter(town => keysOf(town.place).has(key))
  if (exact.length > 0) return { exact: codesOf(exact), towns, near: [] }
  const allowed = key.length < 4 ? 0 : key.length < 8 ? 1 : 2
  const isNear = (name: string) => name !== '' && editDistance(key, name) <= allowed
  return { exact: undefined, towns, near: towns.filter(({ place }) => [...keysOf(place)].some(isNear)) }
}

function townsOf(model: CountryModel): Town[] {
  const formOf = ({ key }: CodeModel) => formatCode(key, model.rules.masks)
  const towns = new Map<string, Town>()
  for (const code of model.codes) {
    for (const place of code.places) {
      const identity = JSON.stringify([place.name, place.admin])
      const town = towns.get(identity) ?? { place, codes: new Set() }
      towns.set(identity, town)
      town.codes.add(formOf(code))
    }
  }
  return [...towns.values()]
}

/** Returns the keys of a place's name and its other names. */
export function keysOf(place: PlaceModel): Set<string> {
  return new Set([place.name, ...place.aliases].map(cityKey))
}

function isInState(model: CountryModel, { place }: Town, { state, ST }: CityQuestion): boolean {
  const { name1, name2, name3, code1, code2, code3 } = place.admin
  const isOf = (names: readonly string[], codes: readonly string[], area: string) =>
    names.some(name => name !== '' && cityKey(name) === cityKey(area)) ||
    codes.some(code => code !== '' && code.toUpperCase() === area.toUpperCase())
  // In the US, a state's name means the state, even if counties have the same name.
  const isState = (area: string) =>
    model.country === 'US' &&
    model.codes.some(code => code.places.some(({ admin }) => isOf([admin.name1], [admin.code1], area)))
  const isArea = (area: string | undefined) =>
    area === undefined ||
    (isState(area) ? isOf([name1], [code1], area) : isOf([name1, name2, name3], [code1, code2, code3], area))
  return isArea(state) && isArea(ST)
}

export function codesOf(towns: readonly Town[]): string[] {
  return [...new Set(towns.flatMap(town => [...town.codes]))].sort()
}

/** Returns the optimal string alignment distance. It counts inserted, removed, replaced and swapped units. */
function editDistance(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) => [i, ...new Array<number>(b.length).fill(0)])
  for (let j = 0; j <= b.length; j++) rows[0][j] = j
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const replaced = rows[i - 1][j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)
      rows[i][j] = Math.min(replaced, rows[i][j - 1] + 1, rows[i - 1][j] + 1)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        rows[i][j] = Math.min(rows[i][j], rows[i - 2][j - 2] + 1)
      }
    }
  }
  return rows[a.length][b.length]
}

/** City search by comparing the query with every name of a country. */
import type { CodeModel, CountryModel, PlaceModel } from '../../../../build-index/model.ts'
import { cityKey } from '../../../../src/postal/text/city.ts'
import { formatCode } from '../../../../src/postal/text/mask.ts'

interface Town {
  place: PlaceModel
  codes: Set<string>
  /** Population of the place, if it is the primary place of a code. */
  population: number
}

export interface CityQuestion {
  city: string
  state?: string
  ST?: string
}

/** A correct answer. A close match has the intended place. */
export interface CityExpectation {
  codes: string[]
  cities: string[]
  state: string
  ST: string
  /** Sum of the codes of all its places. */
  size: number
}

export interface CityVerdict {
  exact: string[] | undefined
  /** Correct answers: towns at the same distance and of the same size. Empty if nothing is near. */
  close: CityExpectation[]
}

/** @param others other countries of the index */
export function expectCity(
  model: CountryModel,
  question: CityQuestion,
  others: readonly CountryModel[],
): CityVerdict {
  const key = cityKey(question.city)
  const all = townsOf(model)
  const towns = all.filter(town => isInState(model, town, question))
  const exact = towns.filter(town => keysOf(town.place).has(key))
  if (key === '') return { exact: undefined, close: [] }
  if (exact.length > 0) return { exact: codesOf(exact), close: [] }
  const close = closestTowns(towns, key)
  const inOtherStates = all.filter(town => keysOf(town.place).has(key))
  const elsewhere = others.flatMap(other =>
    byRegion(townsOf(other).filter(town => keysOf(town.place).has(key))),
  )
  const isLarger = [inOtherStates, ...elsewhere].some(town => sizeOf(town) > (close[0]?.size ?? 0))
  return { exact: undefined, close: isLarger ? [] : close }
}

function townsOf(model: CountryModel): Town[] {
  const formOf = ({ key }: CodeModel) => formatCode(key, model.rules.masks)
  const towns = new Map<string, Town>()
  for (const code of model.codes) {
    for (const place of code.places) {
      const identity = JSON.stringify([place.name, place.admin])
      const town = towns.get(identity)
      const [primary] = code.places
      const population = cityKey(primary.name) === cityKey(place.name) ? (primary.population ?? 0) : 0
      if (town === undefined) towns.set(identity, { place, codes: new Set([formOf(code)]), population })
      else {
        town.codes.add(formOf(code))
        town.population = Math.max(town.population, population)
      }
    }
  }
  return [...towns.values()]
}

/** Returns the keys of a place's name and its other names. */
function keysOf(place: PlaceModel): Set<string> {
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

function closestTowns(towns: readonly Town[], key: string): CityExpectation[] {
  const allowed = key.length < 4 ? 0 : key.length < 8 ? 1 : 2
  const names = new Set(towns.flatMap(town => [...keysOf(town.place)]).filter(name => name !== ''))
  const mayBe = (edits: number) => (town: Town) =>
    edits * 8 <= key.length || town.population >= 5000 || town.codes.size > 1
  const distances = [...names].map(name => {
    const edits = editDistance(key, name)
    const isSure = edits < 2 && key.length >= 6
    const isMeant = towns.some(town => keysOf(town.place).has(name) && mayBe(edits)(town))
    const isLikely = key.length - name.length < 2 && (name[0] === key[0] || isSure)
    return isMeant && isLikely ? edits : Number.POSITIVE_INFINITY
  })
  const nearest = Math.min(...distances)
  if (nearest > allowed) return []
  const candidates = [...names]
    .filter((_, i) => distances[i] === nearest)
    .flatMap(name => meaningsOf(towns, name))
    .map(meaning => meaning.filter(mayBe(nearest)))
    .flatMap(byRegion)
  const largest = Math.max(...candidates.map(sizeOf))
  return candidates
    .filter(candidate => sizeOf(candidate) === largest)
    .map(candidate => ({ ...expectationOf(candidate), codes: codesOf(wholeTown(towns, candidate)) }))
}

/** Returns two meanings of a name: places with this name, and places with it as another name. */
function meaningsOf(towns: readonly Town[], name: string): Town[][] {
  const own = towns.filter(town => cityKey(town.place.name) === name)
  const other = towns.filter(
    town => cityKey(town.place.name) !== name && town.place.aliases.some(alias => cityKey(alias) === name),
  )
  return [own, other].filter(meaning => meaning.length > 0)
}

function byRegion(towns: readonly Town[]): Town[][] {
  const regions = new Map<string, Town[]>()
  for (const town of towns) {
    const region = regionOf(town)
    regions.set(region, [...(regions.get(region) ?? []), town])
  }
  return [...regions.values()]
}

/** Returns the region of a town. The code comes before the name, because sources spell names differently. */
function regionOf({ place }: Town): string {
  const { name1, code1 } = place.admin
  return code1 === '' ? `name ${name1}` : `code ${code1}`
}

/** Adds all places of the region with the town's name or alias. Names without a letter are not joined. */
function wholeTown(towns: readonly Town[], meant: readonly Town[]): readonly Town[] {
  const names = new Set(meant.map(({ place }) => cityKey(place.name)))
  if (names.size > 1 || names.has('')) return meant
  const [name] = names
  return towns.filter(town => keysOf(town.place).has(name) && regionOf(town) === regionOf(meant[0]))
}

function sizeOf(towns: readonly Town[]): number {
  return towns.reduce((sum, town) => sum + town.codes.size, 0)
}

function codesOf(towns: readonly Town[]): string[] {
  return [...new Set(towns.flatMap(town => [...town.codes]))].sort()
}

function expectationOf(towns: readonly Town[]): CityExpectation {
  const [{ place }] = towns
  return {
    codes: codesOf(towns),
    cities: towns.map(town => town.place.name),
    state: place.admin.name1,
    ST: place.admin.code1,
    size: sizeOf(towns),
  }
}

/** Returns the optimal string alignment distance. It counts inserted, removed, replaced and swapped units. */
export function editDistance(a: string, b: string): number {
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

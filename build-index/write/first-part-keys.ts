/** First parts of full codes, such as `SW1A` of `SW1A 1AA`. */
import { addTo, getOrMake, increment, mostFrequent } from '../../datasets/maps.ts'
import { compareText } from '../../src/platform/compare-text.ts'
import { ADMIN_FIELDS } from '../../src/postal/format/admin-entry.ts'
import type { AdminModel, CodeModel, PlaceModel } from '../model.ts'
import { firstPartOf } from '../rows/code-rules.ts'
import { sectorsOf } from './sectors.ts'

export interface FirstPart {
  readonly key: string
  /** Mean position of its codes in degrees; NaN without positions. */
  readonly lat: number
  readonly lon: number
  /** Most frequent ones. */
  readonly timezone: string
  readonly name: string
  readonly admin: AdminModel
}

/**
 * Returns the first parts of `codes`, ascending; none where short codes have records of their own.
 * @param codes ascending by key
 */
export function firstPartsOf(country: string, codes: readonly CodeModel[]): FirstPart[] {
  const members = new Map<string, CodeModel[]>()
  const partOf = firstPartOf(country)
  for (const code of codes) {
    const part = partOf(code.key)
    if (part !== '') addTo(members, part, code)
  }
  for (const [sector, code] of sectorsOf(country, codes))
    getOrMake(members, sector, () => [{ ...code, places: code.places.slice(0, 1) }])
  if (members.size === 0) return []
  for (const { key } of codes) members.delete(key)
  return [...members]
    .sort(([a], [b]) => compareText(a, b))
    .map(([key, codes]) => ({ key, ...sharedFields(codes) }))
}

function sharedFields(codes: readonly CodeModel[]): Omit<FirstPart, 'key'> {
  const placed = codes.filter(({ lat }) => !Number.isNaN(lat))
  return {
    lat: mean(placed.map(({ lat }) => lat)),
    lon: mean(placed.map(({ lon }) => lon)),
    timezone: commonText(codes.map(({ timezone }) => timezone)),
    // Codes of districts have their town as a further place: as frequent, and larger.
    name: commonText(codes.flatMap(({ places }) => byPopulation(places).map(({ name }) => name))),
    admin: sharedAreas(codes.map(({ places }) => places[0].admin)),
  }
}

function byPopulation(places: readonly PlaceModel[]): PlaceModel[] {
  return [...places].sort((a, b) => (b.population ?? 0) - (a.population ?? 0))
}

function mean(degrees: readonly number[]): number {
  return degrees.reduce((sum, one) => sum + one, 0) / degrees.length
}

/** Returns the most frequent text; an empty one only if there is no other. */
function commonText(texts: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const text of texts) if (text !== '') increment(counts, text)
  return mostFrequent(counts) ?? ''
}

/** Returns the areas that all share; other fields are empty. */
function sharedAreas(admins: readonly AdminModel[]): AdminModel {
  const [first] = admins
  if (admins.every(admin => admin === first)) return first
  const fields = ADMIN_FIELDS.map(field => [
    field,
    admins.every(admin => admin[field] === first[field]) ? first[field] : '',
  ])
  return { ...first, ...Object.fromEntries(fields), extra: {} }
}

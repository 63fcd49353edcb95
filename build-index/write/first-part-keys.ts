/** First parts of codes, such as `SW1A` of `SW1A 1AA`. */
import { addTo, getOrMake, increment, mostFrequent } from '../../datasets/maps.ts'
import { formsWithFirstPart } from '../../datasets/reference/first-parts.ts'
import { compareText } from '../../src/platform/compare-text.ts'
import { ADMIN_FIELDS } from '../../src/postal/format/admin-entry.ts'
import { cityKey } from '../../src/postal/text/city.ts'
import { isPlaced } from '../distance.ts'
import type { AdminModel, CodeModel, PlaceModel } from '../model.ts'
import { firstPartOf } from '../rows/code-rules.ts'
import { LAST_SECTORS_MAX, REGIONS_POPULATION_MIN } from '../thresholds.ts'

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
 * Returns the first parts of `codes`, ascending; none that are codes themselves.
 * @param codes ascending by key
 */
export function firstPartsOf(country: string, codes: readonly CodeModel[]): FirstPart[] {
  const members = new Map<string, CodeModel[]>()
  const firstPart = firstPartOf(country)
  for (const code of codes) {
    const key = firstPart(code.key)
    if (key !== '') addTo(members, key, code)
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
  const placed = codes.filter(isPlaced)
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

interface Numbering {
  /** Number of digits that tell the region. */
  region: number
  /** Number of digits of a sector. */
  sector: number
  /** A smaller municipality has one sector. Others have all sectors up to the next municipality. */
  populationMin: number
}

/**
 * Numbers of municipalities, by country. Some posts number municipalities in ascending ranges, and sources have only
 * the first code of each range. `7510689` lies in Providencia, which begins at `7500000`. A sector is the first digits
 * of codes, which tell the municipality.
 */
const NUMBERINGS: Readonly<Record<string, Numbering>> = {
  CL: { region: 1, sector: 3, populationMin: 0 },
  CN: { region: 3, sector: 4, populationMin: 500_000 },
}

/** Returns the shapes of what follows a sector. A full code is valid as soon as its sector is known. */
export function sectorTails(country: string): string[] {
  return country in NUMBERINGS ? formsWithFirstPart(country).map(form => form.split('|')[1]) : []
}

/**
 * Returns the first code of the municipality of each sector.
 * @param codes ascending by key
 */
function sectorsOf(country: string, codes: readonly CodeModel[]): Map<string, CodeModel> {
  const sectors = new Map<string, CodeModel>()
  const numbering = NUMBERINGS[country]
  if (numbering === undefined) return sectors
  const unit = 10 ** (numbering.sector - numbering.region)
  const sectorOf = ({ key }: CodeModel) => Number(key.slice(0, numbering.sector))
  const firsts = firstCodes(codes)
  for (const [i, code] of firsts.entries()) {
    const { population = 0 } = code.places[0]
    const start = sectorOf(code)
    const next = i + 1 < firsts.length ? sectorOf(firsts[i + 1]) : 10 ** numbering.sector
    const regionEnd = (Math.floor(start / unit) + 1) * unit
    let end = population < numbering.populationMin ? start + 1 : next
    if (population < REGIONS_POPULATION_MIN && end >= regionEnd)
      end = Math.min(regionEnd, start + LAST_SECTORS_MAX)
    for (let sector = start; sector < end; sector++) {
      const key = String(sector).padStart(numbering.sector, '0')
      if (!sectors.has(key)) sectors.set(key, code)
    }
  }
  return sectors
}

/** Returns the first code of each municipality, ascending. */
function firstCodes(codes: readonly CodeModel[]): CodeModel[] {
  const seen = new Set<string>()
  return codes.filter(({ places: [{ name, admin }] }) => {
    const municipality = `${cityKey(name)}\t${admin.name1}`
    return !seen.has(municipality) && seen.add(municipality)
  })
}

import { DEFAULT_SOURCES } from '../datasets/default-sources.ts'
import { hasExpectedCodes } from '../datasets/reference/expected-codes.ts'
import type { Source } from '../datasets/source.ts'
import type { Completeness } from '../src/postal/format/meta.ts'
import { BuildReport, type CountryReport } from './build-report.ts'
import { addCities } from './enrich/add-cities.ts'
import { addAliases } from './enrich/aliases.ts'
import { AreaExtents } from './enrich/area-extents.ts'
import { nameAreas, setAreaFields } from './enrich/area-fields.ts'
import { otherAreaNames, takeOwnNames } from './enrich/area-names.ts'
import { correctAreas } from './enrich/code-areas.ts'
import { completeAreas } from './enrich/complete-areas.ts'
import { mendContradicted } from './enrich/contradicted.ts'
import type { CountryDraft } from './enrich/country-draft.ts'
import { fillFromGazetteer, fillFromNeighbours } from './enrich/fill-areas.ts'
import { Gazetteer } from './enrich/gazetteer.ts'
import { gradePositions, withdrawRoughEstimates } from './enrich/grade-positions.ts'
import { IsoAreas } from './enrich/iso-codes.ts'
import { joinPlaces } from './enrich/join-places.ts'
import { addLargeCities } from './enrich/large-cities.ts'
import { addMunicipalities } from './enrich/municipalities.ts'
import { settlePositions } from './enrich/positions.ts'
import { choosePrimaries } from './enrich/primary-place.ts'
import { sectorsOf } from './enrich/sectors.ts'
import { spellPlaces } from './enrich/spell-places.ts'
import { takeNearestNames } from './enrich/unnamed-codes.ts'
import { fillZonesAndHeights } from './enrich/zones-and-heights.ts'
import type { CountryModel } from './model.ts'
import { areShort, codeRules } from './rows/code-rules.ts'
import { type Collected, collect, type Inputs } from './rows/collect.ts'
import { adminsOf, type CodeDraft, PlaceDraft } from './rows/drafts.ts'
import { membersOf } from './rows/postal-unions.ts'
import { UnionRows } from './rows/union-rows.ts'
import { numberCounties, territoryCounty, USPS_OTHER_STATES } from './rows/us-states.ts'

export interface ModelOptions {
  /** In order of merit; default: `DEFAULT_SOURCES`. */
  sources?: readonly Source[]
  /** ISO codes; default: all. */
  countries?: readonly string[]
  report?: BuildReport
  onCountry?: (country: string, index: number, total: number) => void
}

/**
 * Yields the models of all countries, ascending, one at a time: a million codes take 400 MB.
 * @throws when a source cannot be read
 */
export async function* countryModels(options: ModelOptions = {}): AsyncIterable<CountryModel> {
  const report = options.report ?? new BuildReport()
  const { sources = DEFAULT_SOURCES } = options
  const countries = countriesIn(sources).filter(country => options.countries?.includes(country) ?? true)
  const inputs: Inputs = { sources, report, unions: new UnionRows(report) }
  for (const source of sources) report.addSource(source)
  for (const [index, country] of countries.entries()) {
    options.onCountry?.(country, index, countries.length)
    const model = countryModel(country, inputs)
    if (model.codes.length > 0) yield model
  }
  report.check()
  for (const source of sources) source.release?.()
}

/** Returns the countries of all sources and the members of their postal unions, ascending. */
export function countriesIn(sources: readonly Source[]): string[] {
  const countries = sources.flatMap(source => Object.keys(source.countries))
  return [...new Set([...countries, ...countries.flatMap(membersOf)])].sort()
}

function countryModel(country: string, inputs: Inputs): CountryModel {
  const report = inputs.report.addCountry(country)
  const collected = enriched(country, inputs, report)
  const codes = [...collected.codes.values()]
  for (const member of membersOf(country)) {
    for (const code of enriched(member, inputs, report).codes.values()) {
      putUnderParent(code, country, member)
      codes.push(code)
    }
  }
  // A source with all short codes has the sectors.
  if (collected.completeness !== 'short codes') codes.push(...sectorsOf(country, codes))
  if (country === 'US') numberCounties(adminsOf(codes))
  const keys = codes.map(({ key }) => key)
  const rules = codeRules(country, keys, collected.masks)
  for (const code of codes) {
    report.places += code.places.length
  }
  report.codes = codes.length
  const { sources, areaNames } = collected
  const completeness = areShort(country, keys, rules)
    ? 'short codes'
    : completenessOf(country, codes, collected.completeness)
  return { country, completeness, sources, rules, areaNames, codes }
}

/** Returns `stated`, or `partial` where codes are missing. French CEDEX codes are not counted. */
function completenessOf(country: string, codes: readonly CodeDraft[], stated: Completeness): Completeness {
  const counted = country === 'FR' ? codes.filter(({ kind }) => kind === '') : codes
  return stated === 'full' && !hasExpectedCodes(country, counted.length) ? 'partial' : stated
}

/** Steps from the rows of a country to its fields, in order. */
const STEPS: readonly ((draft: CountryDraft) => void)[] = [
  correctAreas,
  joinPlaces,
  spellPlaces, // as the joined places of the gazetteer
  addCities,
  nameAreas, // a place may be primary by the name of its area
  choosePrimaries, // of all cities
  settlePositions, // of primary places
  takeNearestNames,
  gradePositions,
  mendContradicted,
  fillZonesAndHeights,
  addMunicipalities,
  addLargeCities,
  withdrawRoughEstimates, // which tell zones and cities before
  fillFromGazetteer,
  fillFromNeighbours,
  nameAreas, // areas that the last two steps have filled
  setAreaFields,
  takeOwnNames, // after all steps that match areas by the names of sources
  addAliases,
]

function enriched(country: string, inputs: Inputs, report: CountryReport): Collected {
  const collected = collect(country, inputs, report)
  const { pool } = collected
  const codes = [...collected.codes.values()]
  if (codes.length === 0) return collected
  const gazetteer = new Gazetteer(country)
  completeAreas(country, codes, pool, gazetteer)
  const extents = new AreaExtents(country, codes, gazetteer)
  const isoAreas = new IsoAreas(country, inputs.sources, codes)
  const draft: CountryDraft = { country, codes, pool, gazetteer, extents, isoAreas, sources: inputs.sources }
  for (const step of STEPS) step(draft)
  collected.areaNames = otherAreaNames(draft)
  return collected
}

function putUnderParent(code: CodeDraft, parent: string, member: string): void {
  if (parent !== 'US') return
  const state = USPS_OTHER_STATES[member]
  // For USPS the territory is the state, so the first level of the territory is the county.
  code.places = code.places.map(({ name, admin, aliases }) => {
    const isState = admin.name1 === state || admin.code1 === member
    const [name1, code1] = isState ? ['', ''] : [admin.name1, admin.code1]
    const [name2, number] = admin.name2 ? [admin.name2, admin.code2] : [name1, code1]
    const code2 = territoryCounty(code.key) ?? number
    return new PlaceDraft(name, { ...admin, name1: state, code1: member, name2, code2 }, aliases)
  })
}

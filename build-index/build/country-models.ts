import { addTo, getOrMake } from '../../datasets/maps.ts'
import type { City } from '../../datasets/reference/cities-500.ts'
import { hasExpectedCodes } from '../../datasets/reference/expected-codes.ts'
import type { Source } from '../../datasets/source.ts'
import type { AreaNames, Completeness } from '../../src/postal/format/meta.ts'
import { BuildReport, type PlainReport } from '../build-report.ts'
import { addAliases } from '../fields/aliases.ts'
import { setAreaFields } from '../fields/area-fields.ts'
import { otherAreaNames, takeOwnNames } from '../fields/area-names.ts'
import { fillFromGazetteer, fillFromNeighbours, followPositions } from '../fields/fill-areas.ts'
import { townsWithoutCodes } from '../fields/known-cities.ts'
import { addLargeCities } from '../fields/large-cities.ts'
import { addMunicipalities } from '../fields/municipalities.ts'
import { fillZonesAndHeights } from '../fields/zones-and-heights.ts'
import { AreaExtents } from '../gazetteer/area-extents.ts'
import type { CountryRows } from '../gazetteer/country.ts'
import { Gazetteer } from '../gazetteer/gazetteer.ts'
import { IsoAreas } from '../gazetteer/iso-codes.ts'
import { ascending, type CodeModel, type CountryModel } from '../model.ts'
import { addCities } from '../places/add-cities.ts'
import { correctAreas } from '../places/code-areas.ts'
import { completeAreas } from '../places/complete-areas.ts'
import { joinPlaces } from '../places/join-places.ts'
import { nameAreas } from '../places/name-areas.ts'
import { takePlainNames } from '../places/plain-names.ts'
import { choosePrimaries } from '../places/primary-place.ts'
import { spellPlaces } from '../places/spell-places.ts'
import { correctStrays } from '../places/stray-codes.ts'
import { decidePositions, gradePositions, withdrawRoughEstimates } from '../position/decide.ts'
import type { PlacedCode, PlacedCountry } from '../position/placed-code.ts'
import { takeNearestNames } from '../position/unnamed-codes.ts'
import { areShort, codeRules } from '../rows/code-rules.ts'
import { type Collected, collect, type Inputs } from '../rows/collect.ts'
import { Explanation } from '../rows/explanation.ts'
import { membersOf, parentOf } from '../rows/postal-unions.ts'
import { UnionRows } from '../rows/union-rows.ts'
import { underUS, withCountyNumbers } from '../rows/us-states.ts'
import { fingerprintsOf } from '../write/fingerprint.ts'
import { packModel } from './packed-model.ts'

/** Countries to build whose post is the same: they share rows. */
export interface Union {
  /** Country of the post; it may not be one of `countries`. */
  post: string
  /** Ascending. */
  countries: readonly string[]
}

export interface BuiltCountry {
  country: string
  /** Packed model. Its codes ascend. */
  model: Uint8Array
  fingerprints: Uint32Array
  /** Towns that no code names, as words of `src/postal/format/city-hash.ts`. */
  towns: readonly number[]
}

export interface BuiltUnion {
  /** Those with codes. */
  countries: readonly BuiltCountry[]
  report: PlainReport
}

/** Returns the countries of all sources and the members of their postal unions, ascending. */
export function countriesIn(sources: readonly Source[]): string[] {
  const countries = sources.flatMap(source => Object.keys(source.countries))
  return [...new Set([...countries, ...countries.flatMap(membersOf)])].sort()
}

/** Groups `countries`, which ascend, by their posts. */
export function unionsOf(countries: readonly string[]): Union[] {
  const unions = new Map<string, string[]>()
  for (const country of countries) addTo(unions, parentOf(country) ?? country, country)
  return Array.from(unions, ([post, countries]) => ({ post, countries }))
}

/** Builds a country to find how one of its codes gets its fields. @throws when a source cannot be read */
export function explain(country: string, key: string, sources: readonly Source[]): Explanation {
  const report = new BuildReport(sources)
  const explanation = new Explanation(country, key)
  enriched(country, { sources, report, unions: new UnionRows(report), explanation }, new Map())
  return explanation
}

/** Builds the countries of a union. @throws when a source cannot be read, or has too many bad rows */
export function buildUnion({ post, countries }: Union, sources: readonly Source[]): BuiltUnion {
  const report = new BuildReport(sources)
  const inputs: Inputs = { sources, report, unions: new UnionRows(report) }
  const gazetteers = new Map<string, Gazetteer>()
  const found = new Map<string, Enriched>()
  const enrichedOf = (country: string) =>
    getOrMake(found, country, () => enriched(country, inputs, gazetteers))
  // Rows of members lie among those of the post.
  if (countries.includes(post)) enrichedOf(post)
  const models = countries.map(country => countryModel(country, enrichedOf, report))
  return {
    countries: models
      .filter(({ codes }) => codes.length > 0)
      .map(model => ({
        country: model.country,
        model: packModel(model),
        fingerprints: fingerprintsOf(model),
        towns: townsWithoutCodes(model, enrichedOf(model.country).cities),
      })),
    report: report.plain(),
  }
}

interface Enriched extends Omit<Collected, 'codes'> {
  /** Ascending. */
  codes: readonly PlacedCode[]
  areaNames: AreaNames
  cities: readonly City[]
}

function countryModel(
  country: string,
  enrichedOf: (country: string) => Enriched,
  report: BuildReport,
): CountryModel {
  const { codes: own, rows: ownRows, completeness: stated, masks, sources, areaNames } = enrichedOf(country)
  const codes: CodeModel[] = [...own]
  let rows = ownRows
  for (const member of membersOf(country)) {
    const { codes: others, rows: otherRows } = enrichedOf(member)
    rows += otherRows
    for (const code of others) codes.push(country === 'US' ? underUS(code, member) : code)
  }
  const numbered = country === 'US' ? withCountyNumbers(codes) : codes
  const keys = codes.map(({ key }) => key)
  const rules = codeRules(country, keys, masks)
  const places = codes.reduce((sum, { places }) => sum + places.length, 0)
  report.countries.push({ country, rows, codes: codes.length, places })
  const completeness = areShort(country, keys, rules) ? 'short codes' : completenessOf(country, codes, stated)
  return { country, completeness, sources, rules, areaNames, codes: ascending(numbered) }
}

/** Returns `stated`, or `partial` where codes are missing. French CEDEX codes are not counted. */
function completenessOf(country: string, codes: readonly CodeModel[], stated: Completeness): Completeness {
  const counted = country === 'FR' ? codes.filter(({ kind }) => kind === '') : codes
  return stated === 'full' && !hasExpectedCodes(country, counted.length) ? 'partial' : stated
}

/** Steps over the rows of a country, in order: areas, names and the first place of each code. */
const ROW_STEPS: readonly ((country: CountryRows) => void)[] = [
  correctAreas,
  correctStrays,
  takePlainNames,
  joinPlaces,
  spellPlaces, // as the joined places of the gazetteer
  addCities,
  nameAreas, // a place may be first by the name of its area
  choosePrimaries, // of all cities
]

/** Steps over codes with a first place and a position, in order. */
const PLACED_STEPS: readonly ((country: PlacedCountry) => void)[] = [
  takeNearestNames,
  gradePositions, // of named codes
  fillZonesAndHeights,
  followPositions,
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

function enriched(country: string, inputs: Inputs, gazetteers: Map<string, Gazetteer>): Enriched {
  const collected = collect(country, inputs)
  const { pool, towns } = collected
  const codes = [...collected.codes.values()]
  const gazetteerOf = (country: string) => getOrMake(gazetteers, country, () => new Gazetteer(country))
  const gazetteer = gazetteerOf(country)
  const parent = parentOf(country)
  const { cities } = gazetteer
  if (codes.length === 0) return { ...collected, codes: [], areaNames: {}, cities }
  completeAreas(country, codes, pool, gazetteer)
  const extents = new AreaExtents(country, codes, gazetteer)
  const isoAreas = new IsoAreas(country, inputs.sources, codes)
  const { sources, explanation } = inputs
  const rows: CountryRows = {
    country,
    codes,
    pool,
    towns,
    gazetteer,
    wider: parent === undefined ? undefined : gazetteerOf(parent),
    extents,
    isoAreas,
    sources,
    explanation,
  }
  explanation?.after('rows', codes)
  for (const step of ROW_STEPS) {
    step(rows)
    explanation?.after(step.name, codes)
  }
  const placed = decidePositions(rows)
  explanation?.after(decidePositions.name, placed.codes)
  for (const step of PLACED_STEPS) {
    step(placed)
    explanation?.after(step.name, placed.codes)
  }
  return { ...collected, codes: placed.codes, areaNames: otherAreaNames(placed), cities }
}

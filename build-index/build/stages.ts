/** All steps of a build in their order, from rows to the model of a country. */
import { addTo, memoised } from '../../datasets/maps.ts'
import { hasExpectedCodes } from '../../datasets/reference/expected-codes.ts'
import type { Source } from '../../datasets/source.ts'
import type { Completeness } from '../../src/postal/format/meta.ts'
import { AreaExtents } from '../areas/area-extents.ts'
import { completeAreas } from '../areas/complete-areas.ts'
import { correctByFirstDigits } from '../areas/correct-by-first-digits.ts'
import { correctStrays } from '../areas/correct-strays.ts'
import type { Country } from '../areas/country.ts'
import { IsoAreas } from '../areas/iso-areas.ts'
import { nameAreas } from '../areas/name-areas.ts'
import { BuildReport, type PlainReport } from '../build-report.ts'
import { addLargeCities } from '../cities/add-large-cities.ts'
import { addMunicipalities } from '../cities/add-municipalities.ts'
import { addAliases } from '../fields/add-aliases.ts'
import { nameAreasNatively, otherAreaNames, setAreaFields } from '../fields/area-names.ts'
import { fillFromGazetteer, fillFromNeighbours } from '../fields/fill-areas.ts'
import { townsWithoutCodes } from '../fields/known-cities.ts'
import { Gazetteer } from '../gazetteer/gazetteer.ts'
import { ascending, type CountryModel, type DecidedCode } from '../model.ts'
import { addCities } from '../places/add-cities.ts'
import { choosePrimaries } from '../places/choose-primaries.ts'
import { joinPlaces, joinPlacesThere } from '../places/join-places.ts'
import { spellPlaces } from '../places/spell-places.ts'
import { takePlainNames } from '../places/take-plain-names.ts'
import { decidePositions } from '../position/decide-positions.ts'
import { fillZonesAndHeights } from '../position/fill-zones-and-heights.ts'
import { followPositions } from '../position/follow-positions.ts'
import { gradePositions, withdrawRoughEstimates } from '../position/grade-positions.ts'
import { mendPositions } from '../position/mend-positions.ts'
import { nameNameless } from '../position/name-nameless.ts'
import type { GradedCode, ListedCode } from '../rows/code.ts'
import { areShort, codeRules } from '../rows/code-rules.ts'
import { collect, type Inputs } from '../rows/collect.ts'
import { Explanation } from '../rows/explanation.ts'
import { membersOf, parentOf } from '../rows/postal-unions.ts'
import { inUS } from '../rows/us-states.ts'
import { packModel } from './packed-model.ts'
import { Steps } from './steps.ts'

/** All steps after areas are complete. */
const STEPS = Steps.from(correctByFirstDigits)
  .next(correctStrays)
  // Places
  .next(takePlainNames)
  .next(joinPlaces) // needs plain names
  .next(spellPlaces) // needs joined places
  .next(addCities) // needs joined places
  .next(nameAreas<ListedCode>) // the name of an area makes a place the first
  .next(choosePrimaries)
  // Position
  .next(decidePositions)
  .next(nameNameless) // by the position
  .next(mendPositions) // needs names
  .next(joinPlacesThere)
  .next(gradePositions) // joined and mended codes have other accuracies
  // What the position tells
  .next(fillZonesAndHeights)
  .next(followPositions)
  // Further places, for city search
  .next(addMunicipalities)
  .next(addLargeCities)
  .next(withdrawRoughEstimates) // zones and cities need them
  // Areas that rows lack
  .next(fillFromGazetteer)
  .next(fillFromNeighbours)
  .next(nameAreas<GradedCode>) // of filled areas
  .next(setAreaFields)
  // Names that people read and type
  .next(nameAreasNatively) // all steps before match areas by the names of sources
  .next(addAliases)

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
  /** Towns that no code names, as words of `src/postal/format/city-hash.ts`. */
  towns: readonly number[]
}

export interface BuiltUnion {
  /** Countries with codes. */
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
  const explanation = new Explanation(country, key)
  const [{ post, countries }] = unionsOf([country])
  decideFields(post, countries, { sources, report: new BuildReport(sources), explanation })
  return explanation
}

/** Builds the countries of a union. @throws when a source cannot be read, or has too many bad rows */
export function buildUnion({ post, countries }: Union, sources: readonly Source[]): BuiltUnion {
  const report = new BuildReport(sources)
  // The country of the post has the codes of all members.
  const members = countries.includes(post) ? [post, ...membersOf(post)] : countries
  const union = decideFields(post, members, { sources, report })
  const built: BuiltCountry[] = []
  for (const country of countries) {
    const withMembers = [country, ...membersOf(country)].flatMap(member => union.get(member) ?? [])
    const model = modelOf(withMembers)
    const rows = withMembers.reduce((sum, { country }) => sum + country.rows, 0)
    const places = model.codes.reduce((sum, { places }) => sum + places.length, 0)
    report.countries.push({ country, rows, codes: model.codes.length, places })
    if (model.codes.length === 0) continue
    const codes = withMembers.flatMap(({ codes }) => codes)
    built.push({ country, model: packModel(model), towns: townsWithoutCodes(codes, withMembers[0].country) })
  }
  return { countries: built, report }
}

/** Codes of a country with all fields, and what decided them. */
interface Decided {
  country: Country
  codes: readonly GradedCode[]
}

/** Decides all fields of the codes of some members of a union, which the post of `post` serves. */
function decideFields(post: string, members: readonly string[], inputs: Inputs): Map<string, Decided> {
  const gazetteerOf = memoised((country: string) => new Gazetteer(country))
  const decided = new Map<string, Decided>()
  for (const [member, { codes: rows, ...facts }] of collect(post, members, inputs)) {
    const gazetteer = gazetteerOf(member)
    const wider = parentOf(member) === undefined ? undefined : gazetteerOf(post)
    inputs.explanation?.after('rows', rows.values())
    const first = { codes: completeAreas([...rows.values()], { ...facts, gazetteer }) }
    inputs.explanation?.after(completeAreas.name, first.codes)
    rows.clear()
    // Learnt before the corrections: labels of areas are those of rows until `nameAreasNatively`.
    const extents = new AreaExtents(member, first.codes, gazetteer)
    const isoAreas = new IsoAreas(member, inputs.sources, first.codes)
    const country = { ...inputs, ...facts, gazetteer, wider, extents, isoAreas }
    decided.set(member, { country, codes: STEPS.take(first, country) })
  }
  return decided
}

/** Returns the model of a country with the codes of the members of its postal union. */
function modelOf(union: readonly Decided[]): CountryModel<DecidedCode> {
  const [{ country, codes: own }] = union
  const { cc, masks, sourceIds: sources, completeness: stated } = country
  const codes = union.flatMap(({ country, codes }): readonly DecidedCode[] =>
    cc === 'US' ? inUS(codes, country.cc) : codes,
  )
  const keys = codes.map(({ key }) => key)
  const rules = codeRules(cc, keys, masks)
  const completeness = areShort(cc, keys, rules) ? 'short codes' : completenessOf(cc, codes, stated)
  const areaNames = otherAreaNames(own, country)
  return { country: cc, completeness, sources, rules, areaNames, codes: ascending(codes) }
}

/** Returns `stated`, or `partial` where codes are missing. French CEDEX codes are not counted. */
function completenessOf(country: string, codes: readonly DecidedCode[], stated: Completeness): Completeness {
  const counted = country === 'FR' ? codes.filter(({ kind }) => kind === '') : codes
  return stated === 'full' && !hasExpectedCodes(country, counted.length) ? 'partial' : stated
}

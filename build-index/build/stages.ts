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
import { withdrawRoughEstimates } from '../cities/withdraw-rough-estimates.ts'
import { addAliases } from '../fields/add-aliases.ts'
import { nameAreasNatively, otherAreaNames, setAreaFields } from '../fields/area-names.ts'
import { fillFromGazetteer, fillFromNeighbours } from '../fields/fill-areas.ts'
import { townsWithoutCodes } from '../fields/known-cities.ts'
import { Gazetteer } from '../gazetteer/gazetteer.ts'
import { ascending, type CountryModel, type DecidedCode } from '../model.ts'
import { addCitiesOfParts } from '../places/add-cities-of-parts.ts'
import { choosePrimaries } from '../places/choose-primaries.ts'
import { joinPlaces } from '../places/join-places.ts'
import { spellPlaces } from '../places/spell-places.ts'
import { takePlainNames } from '../places/take-plain-names.ts'
import { decidePositions } from '../position/decide-positions.ts'
import { fillZonesAndHeights } from '../position/fill-zones-and-heights.ts'
import { followPositions } from '../position/follow-positions.ts'
import { gradePositions } from '../position/grade-positions.ts'
import { joinPlacesThere } from '../position/join-places-there.ts'
import { mendPositions } from '../position/mend-positions.ts'
import { nameNameless } from '../position/name-nameless.ts'
import type { AnyCode, Code, GradedCode, ListedCode } from '../rows/code.ts'
import { areShort, codeRules } from '../rows/code-rules.ts'
import { type Collected, collect, type Inputs } from '../rows/collect.ts'
import { Explanation } from '../rows/explanation.ts'
import { membersOf, parentOf } from '../rows/postal-unions.ts'
import { inUS } from '../rows/us-states.ts'
import { packModel } from './packed-model.ts'

/**
 * Returns the codes of a country as they are after the step, and changes none of `codes`. What a step learns of a
 * place, all codes of the place have.
 */
type Step<From, To = From> = (codes: readonly From[], country: Country) => readonly To[]

/** Steps on codes whose places have their own positions, after `completeAreas`. */
const ON_LISTED: readonly Step<ListedCode>[] = [
  correctByFirstDigits,
  correctStrays,
  takePlainNames,
  joinPlaces, // needs plain names
  spellPlaces, // needs joined places
  addCitiesOfParts, // needs joined places
  nameAreas, // the name of an area makes a place the first
]

/** Steps on codes with one position, after `choosePrimaries`. */
const ON_CODES: readonly Step<Code>[] = [
  decidePositions,
  nameNameless, // by the position
  mendPositions, // needs names
  joinPlacesThere,
]

/** Steps on codes whose position has an accuracy, after `gradePositions`. */
const ON_GRADED: readonly Step<GradedCode>[] = [
  // What the position tells
  fillZonesAndHeights,
  followPositions,
  // Further places, for city search
  addMunicipalities,
  addLargeCities,
  withdrawRoughEstimates, // zones and cities need them
  // Areas that rows lack
  fillFromGazetteer,
  fillFromNeighbours,
  nameAreas, // of filled areas
  setAreaFields,
  // Names that people read and type
  nameAreasNatively, // all steps before match areas by the names of sources
  addAliases,
]

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
  for (const [member, collected] of collect(post, members, inputs)) {
    const wider = parentOf(member) === undefined ? undefined : gazetteerOf(post)
    decided.set(member, takeSteps(collected, inputs, gazetteerOf(member), wider))
  }
  return decided
}

/**
 * Takes the codes of a country through all steps. Releases rows and codes on the way, because a large country would take
 * its memory twice.
 */
function takeSteps(
  { codes: rows, ...facts }: Collected,
  inputs: Inputs,
  gazetteer: Gazetteer,
  wider: Gazetteer | undefined,
): Decided {
  const { explanation, sources } = inputs
  explanation?.after('all rows', rows.values())
  let listed = completeAreas([...rows.values()], { ...facts, gazetteer })
  explanation?.after(completeAreas.name, listed)
  rows.clear()
  // Learnt before the corrections: labels of areas are those of rows until `nameAreasNatively`.
  const extents = new AreaExtents(facts.cc, listed, gazetteer)
  const isoAreas = new IsoAreas(facts.cc, sources, listed)
  const country: Country = { ...inputs, ...facts, gazetteer, wider, extents, isoAreas }
  for (const step of ON_LISTED) listed = apply(step, listed, country)
  let codes = apply(choosePrimaries, listed, country)
  listed = []
  for (const step of ON_CODES) codes = apply(step, codes, country)
  let graded = apply(gradePositions, codes, country)
  codes = []
  for (const step of ON_GRADED) graded = apply(step, graded, country)
  return { country, codes: graded }
}

function apply<From, To extends AnyCode>(
  step: Step<From, To>,
  codes: readonly From[],
  country: Country,
): readonly To[] {
  const after = step(codes, country)
  country.explanation?.after(step.name, after)
  return after
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

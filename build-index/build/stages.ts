/** All steps of a build in their order, from rows to the model of a country. Folders have the order of the steps. */
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
import { ascending, type CodeModel, type CountryModel } from '../model.ts'
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
import type { AnyCode, GradedCode, ListedCode } from '../rows/code.ts'
import { areShort, codeRules } from '../rows/code-rules.ts'
import { type Collected, collect, type Inputs } from '../rows/collect.ts'
import { Explanation } from '../rows/explanation.ts'
import { membersOf, parentOf } from '../rows/postal-unions.ts'
import { inUS } from '../rows/us-states.ts'
import { packModel } from './packed-model.ts'

type Step<From, To = From> = (codes: readonly From[], country: Country) => readonly To[]

/** Steps that give codes their areas and places. */
const LISTED: readonly Step<ListedCode>[] = [
  correctByFirstDigits,
  correctStrays,
  takePlainNames,
  joinPlaces, // needs plain names
  spellPlaces, // needs joined places
  addCities, // needs joined places
  nameAreas, // the name of an area makes a place the first
]

/** Steps after positions are decided and graded. */
const GRADED: readonly Step<GradedCode>[] = [
  mendPositions,
  joinPlacesThere,
  gradePositions, // joined and mended codes have other accuracies
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
    const rows = withMembers.reduce((sum, { collected }) => sum + collected.rows, 0)
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
  collected: Collected
  country: Country
  codes: readonly GradedCode[]
}

/** Decides all fields of the codes of some members of a union, which the post of `post` serves. */
function decideFields(post: string, members: readonly string[], inputs: Inputs): Map<string, Decided> {
  const gazetteerOf = memoised((country: string) => new Gazetteer(country))
  const decided = new Map<string, Decided>()
  for (const [member, collected] of collect(post, members, inputs)) {
    const { cc, pool, towns } = collected
    const gazetteer = gazetteerOf(member)
    const wider = parentOf(member) === undefined ? undefined : gazetteerOf(post)
    const listed = [...collected.codes.values()]
    inputs.explanation?.after('rows', listed)
    const completed = completeAreas(listed, { cc, pool, gazetteer })
    inputs.explanation?.after(completeAreas.name, completed)
    const extents = new AreaExtents(cc, completed, gazetteer)
    const isoAreas = new IsoAreas(cc, inputs.sources, completed)
    const country = { ...inputs, cc, pool, towns, gazetteer, wider, extents, isoAreas }
    decided.set(member, { collected, country, codes: decidedCodes(completed, country) })
  }
  return decided
}

/** Takes codes with complete areas through all other steps. */
function decidedCodes(completed: readonly ListedCode[], country: Country): readonly GradedCode[] {
  const take = <From extends AnyCode, To extends AnyCode>(codes: readonly From[], step: Step<From, To>) => {
    const taken = step(codes, country)
    country.explanation?.after(step.name, taken)
    return taken
  }
  const listed = LISTED.reduce(take, completed)
  const chosen = take(listed, choosePrimaries)
  const positioned = take(take(chosen, decidePositions), nameNameless) // by the position
  const graded = take(positioned, gradePositions) // needs names
  return GRADED.reduce(take, graded)
}

/** Returns the model of a country with the codes of the members of its postal union. */
function modelOf(union: readonly Decided[]): CountryModel {
  const [{ collected, country, codes: own }] = union
  const { cc, masks, sourceIds: sources, completeness: stated } = collected
  const codes = union.flatMap(({ collected, codes }) => {
    const models = codes.map(modelOfCode)
    return cc === 'US' ? inUS(models, collected.cc) : models
  })
  const keys = codes.map(({ key }) => key)
  const rules = codeRules(cc, keys, masks)
  const completeness = areShort(cc, keys, rules) ? 'short codes' : completenessOf(cc, codes, stated)
  const areaNames = otherAreaNames(own, country)
  return { country: cc, completeness, sources, rules, areaNames, codes: ascending(codes) }
}

function modelOfCode({ key, kind, timezone, elevation, places, position }: GradedCode): CodeModel {
  const { lat, lon, accuracy } = position
  return { key, lat, lon, accuracy, kind, timezone, elevation, places }
}

/** Returns `stated`, or `partial` where codes are missing. French CEDEX codes are not counted. */
function completenessOf(country: string, codes: readonly CodeModel[], stated: Completeness): Completeness {
  const counted = country === 'FR' ? codes.filter(({ kind }) => kind === '') : codes
  return stated === 'full' && !hasExpectedCodes(country, counted.length) ? 'partial' : stated
}

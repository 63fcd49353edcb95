import { addTo, memoised } from '../../datasets/maps.ts'
import type { Source } from '../../datasets/source.ts'
import { BuildReport, type PlainReport } from '../build-report.ts'
import { townsWithoutCodes } from '../fields/known-cities.ts'
import { Gazetteer } from '../gazetteer/gazetteer.ts'
import { collect, type Inputs } from '../rows/collect.ts'
import { Explanation } from '../rows/explanation.ts'
import { membersOf, parentOf } from '../rows/postal-unions.ts'
import { packModel } from './packed-model.ts'
import { type CountryFields, countryFields, countryModel } from './stages.ts'

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
  const [union] = unionsOf([country])
  fieldsIn(union, { sources, report: new BuildReport(sources), explanation })
  return explanation
}

/** Builds the countries of a union. @throws when a source cannot be read, or has too many bad rows */
export function buildUnion({ post, countries }: Union, sources: readonly Source[]): BuiltUnion {
  const report = new BuildReport(sources)
  // The country of the post has the codes of all members.
  const members = countries.includes(post) ? [post, ...membersOf(post)] : countries
  const fieldsOf = fieldsIn({ post, countries: members }, { sources, report })
  const models = countries.map(country => {
    const model = countryModel(country, fieldsOf)
    const rows = [country, ...membersOf(country)].reduce((sum, member) => sum + fieldsOf(member).rows, 0)
    const places = model.codes.reduce((sum, { places }) => sum + places.length, 0)
    report.countries.push({ country, rows, codes: model.codes.length, places })
    return model
  })
  return {
    countries: models
      .filter(({ codes }) => codes.length > 0)
      .map(model => ({
        country: model.country,
        model: packModel(model),
        towns: townsWithoutCodes(model, fieldsOf(model.country).gazetteer.cities),
      })),
    report,
  }
}

/** Decides all fields of the codes of some members of a union. */
function fieldsIn({ post, countries }: Union, inputs: Inputs): (country: string) => CountryFields {
  const gazetteerOf = memoised((country: string) => new Gazetteer(country))
  const union = collect(post, countries, inputs)
  const fields = new Map<string, CountryFields>()
  for (const [country, collected] of union) fields.set(country, countryFields(collected, inputs, gazetteerOf))
  return country => fields.get(country) as CountryFields
}

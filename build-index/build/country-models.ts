import { addTo, memoised } from '../../datasets/maps.ts'
import type { Source } from '../../datasets/source.ts'
import { BuildReport, type PlainReport } from '../build-report.ts'
import { townsWithoutCodes } from '../fields/known-cities.ts'
import { Gazetteer } from '../gazetteer/gazetteer.ts'
import type { Inputs } from '../rows/collect.ts'
import { Explanation } from '../rows/explanation.ts'
import { membersOf, parentOf } from '../rows/postal-unions.ts'
import { UnionRows } from '../rows/union-rows.ts'
import { packModel } from './packed-model.ts'
import { countryFields, countryModel } from './stages.ts'

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
  const report = new BuildReport(sources)
  const explanation = new Explanation(country, key)
  countryFields(
    country,
    { sources, report, unions: new UnionRows(report), explanation },
    memoised(country => new Gazetteer(country)),
  )
  return explanation
}

/** Builds the countries of a union. @throws when a source cannot be read, or has too many bad rows */
export function buildUnion({ post, countries }: Union, sources: readonly Source[]): BuiltUnion {
  const report = new BuildReport(sources)
  const inputs: Inputs = { sources, report, unions: new UnionRows(report) }
  const gazetteerOf = memoised((country: string) => new Gazetteer(country))
  const fieldsOf = memoised((country: string) => countryFields(country, inputs, gazetteerOf))
  // Rows of members lie among those of the post.
  if (countries.includes(post)) fieldsOf(post)
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
        towns: townsWithoutCodes(model, fieldsOf(model.country).cities),
      })),
    report: report.plain(),
  }
}

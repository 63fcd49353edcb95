import { builtCountries } from '../../build-index/build/build.ts'
import { unpackModel } from '../../build-index/build/packed-model.ts'
import { countriesIn } from '../../build-index/build/stages.ts'
import { BuildReport } from '../../build-index/build-report.ts'
import { kmBetweenDegrees } from '../../build-index/distance.ts'
import type { CodeModel, CountryModel } from '../../build-index/model.ts'
import { type City, citiesOf } from '../../datasets/reference/cities-500.ts'
import type { Row, Source } from '../../datasets/source.ts'
import { sourceOf } from './sources.ts'

export interface ModelOptions {
  sources: readonly Source[]
  /** ISO codes; default: all. */
  countries?: readonly string[]
  report?: BuildReport
}

/** Yields the models of all countries, ascending. */
export async function* countryModels({
  sources,
  countries,
  report = new BuildReport(sources),
}: ModelOptions): AsyncIterable<CountryModel> {
  const wanted = countriesIn(sources).filter(country => countries?.includes(country) ?? true)
  for await (const { model } of builtCountries(wanted, sources, report)) yield unpackModel(model)
}

/** Builds one country, by default the country of the first row. Returns its codes by key. */
export async function codesOf(
  rows: readonly Row[],
  options: Partial<ModelOptions> = {},
): Promise<Map<string, CodeModel>> {
  const countries = [rows[0].country]
  const found = new Map<string, CodeModel>()
  for await (const { codes } of countryModels({ sources: [sourceOf('best', rows)], countries, ...options }))
    for (const code of codes) found.set(code.key, code)
  return found
}

/** Builds one country like `codesOf`, with further sources after that of the rows. */
export function codesWith(
  rows: readonly Row[],
  ...weaker: readonly Source[]
): Promise<Map<string, CodeModel>> {
  return codesOf(rows, { sources: [sourceOf('best', rows), ...weaker] })
}

/** Returns the largest place with this name in the gazetteer. @param admin1 number of the place's level-1 area */
export function largestPlace(country: string, name: string, admin1?: string): City {
  const named = citiesOf(country).filter(
    city => city.name === name && (admin1 === undefined || city.admin1 === admin1),
  )
  return named.reduce((a, b) => (b.population > a.population ? b : a))
}

/** Returns the distance of a code from a point; NaN without a position. */
export function kmOff(code: CodeModel | undefined, { lat, lon }: { lat: number; lon: number }): number {
  return kmBetweenDegrees(code?.lat ?? Number.NaN, code?.lon ?? Number.NaN, lat, lon)
}

export function positionOf(country: string, name: string): { lat: number; lon: number } {
  const { lat, lon } = largestPlace(country, name)
  return { lat, lon }
}

/** Models of countries made of rows, by all the steps of a build, and the gazetteer's places. */
import { countryModels, type ModelOptions } from '../../build-index/country-models.ts'
import type { CodeModel } from '../../build-index/model.ts'
import { type City, citiesOf } from '../../datasets/reference/cities-500.ts'
import type { Row } from '../../datasets/source.ts'
import { sourceOf } from './sources.ts'

/** Codes by key of the only country that is built; by default that of the first row. */
export async function codesOf(
  rows: readonly Row[],
  options: ModelOptions = {},
): Promise<Map<string, CodeModel>> {
  const countries = [rows[0].country]
  const found = new Map<string, CodeModel>()
  for await (const { codes } of countryModels({ sources: [sourceOf('best', rows)], countries, ...options }))
    for (const code of codes) found.set(code.key, code)
  return found
}

/** The largest place of a name in the gazetteer, or the largest of a level-1 area by its number. */
export function city(country: string, name: string, admin1?: string): City {
  const named = citiesOf(country).filter(
    city => city.name === name && (admin1 === undefined || city.admin1 === admin1),
  )
  return named.reduce((a, b) => (b.population > a.population ? b : a))
}

/** The position of such a place. */
export function at(country: string, name: string): { lat: number; lon: number } {
  const { lat, lon } = city(country, name)
  return { lat, lon }
}

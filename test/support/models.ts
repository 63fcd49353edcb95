import { countryModels, type ModelOptions } from '../../build-index/country-models.ts'
import type { CodeModel } from '../../build-index/model.ts'
import { type City, citiesOf } from '../../datasets/reference/cities-500.ts'
import type { Row } from '../../datasets/source.ts'
import { sourceOf } from './sources.ts'

/** Builds one country, by default the country of the first row. Returns its codes by key. */
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

/** Returns the largest place with this name in the gazetteer. @param admin1 number of the place's level-1 area */
export function largestPlace(country: string, name: string, admin1?: string): City {
  const named = citiesOf(country).filter(
    city => city.name === name && (admin1 === undefined || city.admin1 === admin1),
  )
  return named.reduce((a, b) => (b.population > a.population ? b : a))
}

export function positionOf(country: string, name: string): { lat: number; lon: number } {
  const { lat, lon } = largestPlace(country, name)
  return { lat, lon }
}

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

/** A place of the gazetteer, by its name and the number of its level-1 area. */
export function city(country: string, name: string, admin1?: string): City {
  const found = citiesOf(country).find(
    city => city.name === name && (admin1 === undefined || city.admin1 === admin1),
  )
  if (found === undefined) throw new Error(`${country} has no ${name}`)
  return found
}

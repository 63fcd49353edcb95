/** Models of countries made of rows, by all the steps of a build. */
import { countryModels, type ModelOptions } from '../../build-index/country-models.ts'
import type { CodeModel } from '../../build-index/model.ts'
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

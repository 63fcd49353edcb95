/** Builds index files from models in memory. */
import { join } from 'node:path'
import type { CountryModel } from '../../build-index/model.ts'
import { IndexBuilder } from '../../build-index/write/index-builder.ts'
import { openIndex } from '../../src/index/open-index.ts'
import type { PostalIndex } from '../../src/index/postal-index.ts'
import { COUNTRIES, COUNTRY_SYNONYMS, FIXTURE_SOURCE, ISO } from './countries.ts'

/** Writes an index of `countries` into `folder` and returns its path. */
export function writeIndex(folder: string, countries: readonly CountryModel[] = COUNTRIES): string {
  const builder = new IndexBuilder([FIXTURE_SOURCE])
  for (const model of countries) builder.add(model)
  const path = join(folder, 'index.postrie')
  builder.finish(path, [...ISO, 'GR', ...countries.map(model => model.country)], COUNTRY_SYNONYMS)
  return path
}

export function fixtureIndex(folder: string, countries: readonly CountryModel[] = COUNTRIES): PostalIndex {
  return openIndex(writeIndex(folder, countries))
}

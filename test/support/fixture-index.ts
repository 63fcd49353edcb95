import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CountryModel } from '../../build-index/model.ts'
import { IndexBuilder } from '../../build-index/write/index-builder.ts'
import { openIndex } from '../../src/postal/index/open-index.ts'
import type { PostalIndex } from '../../src/postal/index/postal-index.ts'
import { SYNONYMS } from '../../src/postal/text/country-synonyms.ts'
import { COUNTRIES, code, country, FIXTURE_SOURCE, ISO, place } from './countries.ts'

/** Bytes of the index of COUNTRIES, once it is built. Most tests write it, some often. */
const built: { bytes: Buffer | null } = { bytes: null }

export function writeIndex(folder: string, countries: readonly CountryModel[] = COUNTRIES): string {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, 'index.postrie')
  let temporary = `${path}.new`
  if (countries === COUNTRIES && built.bytes !== null) writeFileSync(temporary, built.bytes)
  else {
    const builder = new IndexBuilder([FIXTURE_SOURCE])
    for (const model of countries) builder.add(model)
    const iso = [...ISO, 'GR', ...countries.map(model => model.country)]
    temporary = builder.write(path, iso, SYNONYMS).file.temporary
    if (countries === COUNTRIES) built.bytes = readFileSync(temporary)
  }
  renameSync(temporary, path)
  return path
}

/** Writes an index of `count` codes of the US, in which 90210 is the place `name`. */
export function namedIndex(folder: string, name: string, count = 2000): string {
  const codes = Array.from({ length: count }, (_, i) =>
    code(String(90_210 + i), [place(i === 0 ? name : `Ort ${i}`)]),
  )
  return writeIndex(folder, [country('US', codes, { padTo: 5 })])
}

export function fixtureIndex(folder: string, countries: readonly CountryModel[] = COUNTRIES): PostalIndex {
  return openIndex(writeIndex(folder, countries))
}

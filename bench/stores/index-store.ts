/** The rival that uses postrie's own index the usual way: with strings and objects. */

import { adminBefore } from '../../src/format/admin-entry.ts'
import { DEGREE_SCALE, latitude, longitude } from '../../src/format/code-record.ts'
import { searchCity } from '../../src/index/cities/city-search.ts'
import { nameOfCode } from '../../src/index/codes/code-name.ts'
import { adminField } from '../../src/index/codes/code-view.ts'
import { CodeQuery } from '../../src/index/codes/resolve.ts'
import { formOfCode } from '../../src/index/codes/written.ts'
import type { Country } from '../../src/index/country.ts'
import { countryByText, type PostalIndex } from '../../src/index/postal-index.ts'
import { plainText } from '../../src/index/text-section.ts'
import { type CodeRecord, recordOf } from '../input/records.ts'
import type { LookupRecord, Store } from './store.ts'

export class IndexStore implements Store {
  readonly #index: PostalIndex
  readonly #query = new CodeQuery()

  constructor(index: PostalIndex) {
    this.#index = index
  }

  lookup(country: string, key: string): LookupRecord | undefined {
    const index = this.#index
    const code = this.#find(country, key)
    if (code < 0) return undefined
    const name = nameOfCode(index, this.#country(country) as Country, code)
    const admin = adminBefore(index.text, name)
    return {
      city: plainText(index.text, name),
      name1: adminField(index, admin, 0),
      code1: adminField(index, admin, 1),
      latitude: latitude(index.codes, code) / DEGREE_SCALE,
      longitude: longitude(index.codes, code) / DEGREE_SCALE,
    }
  }

  record(country: string, key: string): CodeRecord | undefined {
    const code = this.#find(country, key)
    return code < 0 ? undefined : recordOf(this.#index, this.#country(country) as Country, code)
  }

  written(country: string, key: string): string | undefined {
    const code = this.#find(country, key)
    return code < 0 ? undefined : formOfCode(this.#index, this.#country(country) as Country, code)
  }

  hasCountry(country: string): boolean {
    return this.#country(country) !== undefined
  }

  codesOfCity(country: string, city: string, stateCode: string | undefined): string[] {
    const found = this.#country(country)
    if (found === undefined) return []
    return searchCity(this.#index, found, { city, state: undefined, stateCode })?.codes ?? []
  }

  #country(country: string): Country | undefined {
    return countryByText(this.#index, country) ?? undefined
  }

  #find(country: string, key: string): number {
    const found = this.#country(country)
    const bytes = Buffer.from(key)
    if (found === undefined || !this.#query.set(bytes, 0, bytes.length)) return -1
    return this.#query.resolve(this.#index.trie, found)
  }
}

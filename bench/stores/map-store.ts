/** The rival that keeps everything in a `Map`. */

import { countriesOf, type PostalIndex } from '../../src/index/postal-index.ts'
import { type CityRecord, type CodeRecord, cityRecords, codeRecords } from '../input/records.ts'
import { type Store, sortedCodes } from './store.ts'

export function mapOf(index: PostalIndex): Map<string, CodeRecord> {
  const map = new Map<string, CodeRecord>()
  for (const record of codeRecords(index)) map.set(record.country + record.key, record)
  return map
}

export class MapStore implements Store {
  readonly #codes: Map<string, CodeRecord>
  readonly #cities = new Map<string, CityRecord[]>()
  readonly #countries: Set<string>

  constructor(index: PostalIndex) {
    this.#codes = mapOf(index)
    this.#countries = new Set(countriesOf(index).map(({ cc }) => cc))
    for (const city of cityRecords(index)) {
      const key = city.country + city.key
      const known = this.#cities.get(key)
      if (known === undefined) this.#cities.set(key, [city])
      else known.push(city)
    }
  }

  lookup(country: string, key: string): CodeRecord | undefined {
    return this.#codes.get(country + key)
  }

  record(country: string, key: string): CodeRecord | undefined {
    return this.#codes.get(country + key)
  }

  written(country: string, key: string): string | undefined {
    return this.#codes.get(country + key)?.written
  }

  hasCountry(country: string): boolean {
    return this.#countries.has(country)
  }

  codesOfCity(country: string, city: string, stateCode: string | undefined): string[] {
    const found = this.#cities.get(country + city) ?? []
    const wanted = stateCode === undefined ? found : found.filter(({ code1 }) => code1 === stateCode)
    return sortedCodes(wanted.map(({ codes }) => codes))
  }
}

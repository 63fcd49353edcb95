/** The request bodies of a run: seeded, mixed over all countries, written to one file for each endpoint. */
import { mkdirSync, writeFileSync } from 'node:fs'
import type { PostalIndex } from '../../src/index/postal-index.ts'
import { sampleCities, sampleCodes } from '../input/samples.ts'
import { CACHE_FOLDER } from '../paths.ts'
import type { EndpointName } from './setup.ts'

const BODIES = 10_000
const BULK_BODIES = 50
export const BULK_RECORDS = 1_000

export interface Bodies {
  file: string
  /** The first few, for checking answers. */
  some: string[]
}

/** `@KEY@` stands for the key in every body. */
export function writeBodies(index: PostalIndex): Record<EndpointName, Bodies> {
  const codes = sampleCodes(index, BODIES, 1).map(({ country, text }) => ({
    apiKey: '@KEY@',
    zipcode: text,
    country,
  }))
  const cities = sampleCities(index, BODIES, 2).map(city => ({ apiKey: '@KEY@', ...city }))
  const bulk = Array.from({ length: BULK_BODIES }, (_, i) => ({
    apiKey: '@KEY@',
    records: bulkRecords(index, BULK_RECORDS, 100 + i),
  }))
  return {
    lookup: write('codes', codes),
    metacode: write('codes', codes),
    validate: write('codes', codes),
    city: write('cities', cities),
    bulk: write('bulk', bulk),
  }
}

export function bulkRecords(index: PostalIndex, count: number, seed: number) {
  return sampleCodes(index, count, seed).map(({ country, text }) => ({
    postalCode: text,
    countryCode: country,
  }))
}

function write(name: string, bodies: readonly object[]): Bodies {
  mkdirSync(CACHE_FOLDER, { recursive: true })
  const file = `${CACHE_FOLDER}${name}.txt`
  const lines = bodies.map(body => JSON.stringify(body))
  writeFileSync(file, lines.join('\n'))
  return { file, some: lines.slice(0, 20) }
}

/** Writes request bodies: seeded, drawn from all countries, one file per endpoint. `@KEY@` stands for the key. */
import { mkdirSync, writeFileSync } from 'node:fs'
import type { PostalCodes } from '../../src/postal/library/node.ts'
import { draw, randomFrom } from '../measure.ts'
import { CACHE_FOLDER } from '../paths.ts'
import { sampleCities, sampleCodes } from './samples.ts'

/** Bodies of an endpoint with one record. */
const BODIES = 10_000
/** Bodies of an endpoint with batches. */
const BATCHES = 50
/** Records of a batch, as many as the API accepts. */
export const BATCH_RECORDS = 1000
/** Codes that a search for a city asks for. */
const CITY_CODES = 100
/** Largest distance of a point from its code, north or east. */
const OFFSET_DEGREES_MAX = 0.2

export interface Bodies {
  /** Path of the endpoint. */
  path: string
  file: string
  /** Records of a body: 1, or those of a batch. */
  records: number
  /** First bodies, used to compare rivals' answers. */
  samples: string[]
}

export type LoadName = keyof ReturnType<typeof writeBodies>

export function writeBodies(codes: PostalCodes) {
  const single = sampleCodes(codes, BODIES, 1).map(({ country, text }) => ({ zipcode: text, country }))
  const batches = Array.from({ length: BATCHES }, (_, i) => ({ records: batchOf(codes, 100 + i) }))
  const cities = sampleCities(codes, BODIES, 2)
  return {
    lookup: writeBodyFile('lookup', single),
    metacode: writeBodyFile('metacode', single),
    validate: writeBodyFile('validate', single),
    // Large cities have 100,000 codes.
    city: writeBodyFile(
      'city',
      cities.map(city => ({ ...city, limit: CITY_CODES })),
    ),
    'validate-bulk': writeBodyFile('validate-bulk', batches, BATCH_RECORDS),
    'lookup-bulk': writeBodyFile('lookup-bulk', batches, BATCH_RECORDS),
    nearest: writeBodyFile('nearest', points(codes)),
    autocomplete: writeBodyFile('autocomplete', beginnings(cities)),
    countries: writeBodyFile('countries', [{}]),
    format: writeBodyFile('format', single),
  }
}

export function batchOf(codes: PostalCodes, seed: number) {
  return sampleCodes(codes, BATCH_RECORDS, seed).map(({ country, text }) => ({
    postalCode: text,
    countryCode: country,
  }))
}

function points(codes: PostalCodes): object[] {
  const random = randomFrom(3)
  const jitter = () => (random() - 0.5) * 2 * OFFSET_DEGREES_MAX
  return sampleCodes(codes, BODIES, 3).flatMap(({ country, text }) => {
    const { latitude, longitude } = codes.lookup(text, country) ?? {}
    if (latitude === undefined || longitude === undefined) return []
    const nearby = (degrees: number, degreesMax: number) =>
      Number(Math.max(-degreesMax, Math.min(degreesMax, degrees + jitter())).toFixed(4))
    return [{ latitude: nearby(latitude, 90), longitude: nearby(longitude, 180) }]
  })
}

/** Returns names of cities, cut after two to six characters. */
function beginnings(cities: readonly { country: string; city: string }[]): object[] {
  const random = randomFrom(4)
  return draw(cities, BODIES, random).map(({ country, city }) => ({
    query: city.slice(0, 2 + Math.floor(random() * 5)),
    country,
  }))
}

export function writeBodyFile(
  name: string,
  bodies: readonly object[],
  records = 1,
  apiKey = '@KEY@',
): Bodies {
  mkdirSync(CACHE_FOLDER, { recursive: true })
  const file = `${CACHE_FOLDER}${name}.txt`
  const lines = bodies.map(body => JSON.stringify({ apiKey, ...body }))
  writeFileSync(file, lines.join('\n'))
  return { path: `/api/${name}`, file, records, samples: lines.slice(0, 20) }
}

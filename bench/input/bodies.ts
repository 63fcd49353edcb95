/** Request bodies: seeded, drawn from all countries, one file for each load. `@KEY@` stands for the key. */
import { mkdirSync, writeFileSync } from 'node:fs'
import type { PostalCodes } from '../../src/library/main.ts'
import { draw, randomFrom } from '../measure.ts'
import { CACHE_FOLDER } from '../paths.ts'
import { sampleCities, sampleCodes } from './samples.ts'

const BODIES = 10_000
const BATCHES = 50
export const BATCH_RECORDS = 1000
/** Degrees around a code within which a point is drawn. */
const AROUND = 0.2

export interface Bodies {
  /** Path of the endpoint. */
  path: string
  file: string
  records: number
  /** The first bodies, for checking answers. */
  some: string[]
}

export type LoadName =
  | 'lookup'
  | 'metacode'
  | 'validate'
  | 'city'
  | 'validate-bulk'
  | 'lookup-bulk'
  | 'nearest'
  | 'autocomplete'
  | 'countries'
  | 'format'

export function writeBodies(codes: PostalCodes): Record<LoadName, Bodies> {
  const one = sampleCodes(codes, BODIES, 1).map(({ country, text }) => ({ zipcode: text, country }))
  const batches = Array.from({ length: BATCHES }, (_, i) => ({ records: batchOf(codes, 100 + i) }))
  const cities = sampleCities(codes, BODIES, 2)
  return {
    lookup: write('lookup', one),
    metacode: write('metacode', one),
    validate: write('validate', one),
    city: write('city', cities),
    'validate-bulk': write('validate-bulk', batches, BATCH_RECORDS),
    'lookup-bulk': write('lookup-bulk', batches, BATCH_RECORDS),
    nearest: write('nearest', points(codes)),
    autocomplete: write('autocomplete', beginnings(cities)),
    countries: write('countries', [{}]),
    format: write('format', one),
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
  const jitter = () => (random() - 0.5) * 2 * AROUND
  return sampleCodes(codes, BODIES, 3).flatMap(({ country, text }) => {
    const { latitude, longitude } = codes.lookup(text, country) ?? {}
    if (latitude === undefined || longitude === undefined) return []
    const clamp = (degrees: number, most: number) =>
      Number(Math.max(-most, Math.min(most, degrees + jitter())).toFixed(4))
    return [{ latitude: clamp(latitude, 90), longitude: clamp(longitude, 180) }]
  })
}

/** Returns names of cities cut off after two to six characters, as somebody types them. */
function beginnings(cities: readonly { country: string; city: string }[]): object[] {
  const random = randomFrom(4)
  return draw(cities, BODIES, random).map(({ country, city }) => ({
    query: city.slice(0, 2 + Math.floor(random() * 5)),
    country,
  }))
}

/** Writes `bodies`, one a line. */
export function write(name: string, bodies: readonly object[], records = 1, apiKey = '@KEY@'): Bodies {
  mkdirSync(CACHE_FOLDER, { recursive: true })
  const file = `${CACHE_FOLDER}${name}.txt`
  const lines = bodies.map(body => JSON.stringify({ apiKey, ...body }))
  writeFileSync(file, lines.join('\n'))
  return { path: `/api/${name}`, file, records, some: lines.slice(0, 20) }
}

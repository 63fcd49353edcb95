/** Bodies for the endpoints beyond the contract: seeded, drawn from the whole world. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { isPlaced, latitude, longitude } from '../../src/format/code-record.ts'
import { viewCode } from '../../src/index/codes/code-view.ts'
import { countriesOf, type PostalIndex } from '../../src/index/postal-index.ts'
import { sampleCities, sampleCodes } from '../input/samples.ts'
import { CACHE_FOLDER } from '../paths.ts'
import { randomFrom } from '../random.ts'
import { BULK_RECORDS, bulkRecords } from './bodies.ts'

const BODIES = 10_000
const BULK_BODIES = 50
/** Degrees around a code within which a point is drawn. */
const AROUND = 0.2

/** Path and file of bodies of each load; `@KEY@` stands for the key. */
export function writeEndpointBodies(
  index: PostalIndex,
): Record<string, { path: string; file: string; records: number }> {
  const codes = sampleCodes(index, BODIES, 1)
  const batches = Array.from({ length: BULK_BODIES }, (_, i) => ({
    records: bulkRecords(index, BULK_RECORDS, 100 + i),
  }))
  const one = codes.map(({ country, text }) => ({ zipcode: text, country }))
  return {
    lookup: write('lookup', 'lookup', one),
    'nearest, a point': write('nearest', 'nearest-points', points(index)),
    'nearest, a code': write('nearest', 'nearest-codes', placed(index)),
    autocomplete: write('autocomplete', 'autocomplete', beginnings(index)),
    'countries, one': write(
      'countries',
      'countries-one',
      codes.map(({ country }) => ({ country })),
    ),
    'countries, all': write('countries', 'countries', [{}]),
    format: write('format', 'format', one),
    'validate-bulk': write('validate-bulk', 'validate-bulk', batches, BULK_RECORDS),
    'lookup-bulk': write('lookup-bulk', 'lookup-bulk', batches, BULK_RECORDS),
  }
}

function write(name: string, file: string, bodies: readonly object[], records = 1) {
  mkdirSync(CACHE_FOLDER, { recursive: true })
  const path = `${CACHE_FOLDER}endpoint-${file}.txt`
  writeFileSync(path, bodies.map(body => JSON.stringify({ apiKey: '@KEY@', ...body })).join('\n'))
  return { path: `/api/${name}`, file: path, records }
}

/** Codes whose position is known. */
function placed(index: PostalIndex): object[] {
  const random = randomFrom(5)
  const countries = countriesOf(index).filter(({ meta }) => meta.positions > 0)
  const found: object[] = []
  while (found.length < BODIES) {
    const code = Math.floor(random() * index.file.codeCount)
    const owner = countries.find(
      ({ codeStart, codeCount }) => code >= codeStart && code < codeStart + codeCount,
    )
    if (owner !== undefined && isPlaced(index.codes, code))
      found.push({ zipcode: viewCode(index, owner, code).written, country: owner.cc })
  }
  return found
}

function points(index: PostalIndex): object[] {
  const random = randomFrom(3)
  const found: object[] = []
  while (found.length < BODIES) {
    const code = Math.floor(random() * index.file.codeCount)
    if (!isPlaced(index.codes, code)) continue
    const near = (degrees: number, max: number) =>
      Number(Math.max(-max, Math.min(max, degrees + (random() - 0.5) * 2 * AROUND)).toFixed(4))
    found.push({
      latitude: near(latitude(index.codes, code) / 1e6, 90),
      longitude: near(longitude(index.codes, code) / 1e6, 180),
    })
  }
  return found
}

/** The first 2 to 8 characters of names, as somebody types them. */
function beginnings(index: PostalIndex): object[] {
  const random = randomFrom(4)
  return sampleCities(index, BODIES, 2).map(({ country, city }) => ({
    country,
    query: [...city]
      .slice(0, 2 + Math.floor(random() * 7))
      .join('')
      .toLowerCase(),
  }))
}

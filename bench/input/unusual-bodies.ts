/** Bodies as real pipelines send them, beyond flat ASCII: seeded, in a random mixture. */
import type { PostalIndex } from '../../src/index/postal-index.ts'
import { BULK_RECORDS_MAX } from '../../src/limits.ts'
import { randomFrom } from '../random.ts'
import { type SampleCode, sampleCities, sampleCodes } from './samples.ts'

const KEY = 'pk_live_0123456789abcdef0123456789abcdef0123'
const BEYOND_ASCII = /[^ -~]/

/** As Python's `json` writes it: nothing but ASCII. */
function escaped(json: string): string {
  return json.replace(/[^ -~]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Ways of being unusual: what is added to the `number`-th request, and how it is written. */
const WAYS: readonly ((number: number) => object)[] = [
  () => ({ name: 'Zoë 東京都' }),
  number => ({ id: number, active: true, amount: number / 8, note: null }),
  number => ({ meta: { source: 'crm', id: number, tags: ['a', 'b'], score: 1.5 } }),
  () => ({ note: 'two\nlines, a "quote"' }),
]

export interface Mixture {
  unusual: Uint8Array[]
  /** The same, each spoilt in one of the ways of `SPOILERS`. */
  malformed: Uint8Array[]
}

/** What clients that make JSON by hand send, in equal parts. Each is given the body and a random place in it, from 0 to 1. */
const SPOILERS: readonly ((json: string, place: number) => string)[] = [
  json => json.slice(0, -1),
  // As Python prints it.
  json => json.replaceAll('"', "'"),
  json => json.replace(/(\]?)\}$/, ',$1}'),
  (json, place) => afterMember(json, place, '"amount":NaN,'),
  (json, place) => afterMember(json, place, '"note":"two\nlines",'),
]

function afterMember(json: string, place: number, text: string): string {
  const at = json.indexOf(',"', Math.floor(place * json.lastIndexOf(',"'))) + 1
  return json.slice(0, at) + text + json.slice(at)
}

/** `count` single-record bodies: a third of them ask for a city in another alphabet, as it is or escaped. */
export function unusualBodies(index: PostalIndex, count: number): Mixture {
  const random = randomFrom(11)
  const cities = sampleCities(index, count, 2).filter(({ city }) => BEYOND_ASCII.test(city))
  const texts = sampleCodes(index, count, 1).map(({ country, text }, i) => {
    if (i % 3 === 0) {
      const json = JSON.stringify({ apiKey: KEY, ...cities[i % cities.length] })
      return random() < 0.5 ? json : escaped(json)
    }
    return JSON.stringify({ apiKey: KEY, ...pick(random, i), zipcode: text, country })
  })
  return mixture(texts, random)
}

/** `count` batches of 1,000 records, each written in one of the ways. */
export function unusualBatches(index: PostalIndex, count: number): Mixture {
  const random = randomFrom(12)
  const texts = Array.from({ length: count }, (_, i) => {
    const way = WAYS[i % WAYS.length]
    const record = ({ text, country }: SampleCode, number: number) => ({
      ...way(number),
      postalCode: text,
      countryCode: country,
    })
    const json = JSON.stringify({
      apiKey: KEY,
      records: sampleCodes(index, BULK_RECORDS_MAX, 100 + i).map(record),
    })
    return random() < 0.5 ? json : escaped(json)
  })
  return mixture(texts, random)
}

function pick(random: () => number, number: number): object {
  return WAYS[Math.floor(random() * WAYS.length)](number)
}

function mixture(texts: readonly string[], random: () => number): Mixture {
  return {
    unusual: texts.map(bytesOf),
    malformed: texts.map((text, i) => bytesOf(SPOILERS[i % SPOILERS.length](text, random()))),
  }
}

/** As uWebSockets.js hands a body over; reading a Buffer takes another time. */
function bytesOf(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text))
}

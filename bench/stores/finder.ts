/** What the question `index` asks of each way to keep postal codes. */

import { canonicalCode } from '../../src/text/code.ts'
import type { SampleCode } from '../input/samples.ts'

/** Codes to find, in the form that each contender likes best: nobody pays for another's conversion. */
export interface Queries {
  count: number
  /** Country and canonical key as one string (`US90210`), made again for each pass, because a request's string has no hash yet. */
  keys: string[]
  countries: string[]
  /** Country and code as they came, one after another: query _i_ is `bytes[starts[i], starts[i + 1])`. */
  bytes: Buffer
  starts: Uint32Array
}

/** A latitude that no place has. Comparing a record's with it reads the field. */
export const NO_LATITUDE = 91

export interface Finder {
  /** Finds every query once and reads its latitude. @returns how many were found */
  find(queries: Queries): number
}

export function makeQueries(codes: readonly SampleCode[]): Queries {
  const texts = codes.map(({ country, text }) => country + text)
  const starts = new Uint32Array(codes.length + 1)
  texts.forEach((text, i) => {
    starts[i + 1] = starts[i] + text.length
  })
  return {
    count: codes.length,
    keys: freshKeys(codes),
    countries: codes.map(({ country }) => country),
    bytes: Buffer.from(texts.join(''), 'latin1'),
    starts,
  }
}

export function freshKeys(codes: readonly SampleCode[]): string[] {
  return codes.map(({ country, text }) =>
    Buffer.from(country + canonicalCode(text), 'latin1').toString('latin1'),
  )
}

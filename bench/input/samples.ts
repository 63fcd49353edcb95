/** Seeded questions: codes that exist, codes that do not, and cities. */
import type { PostalCodes } from '../../src/library/main.ts'
import { draw, randomFrom } from '../measure.ts'

export interface SampleCode {
  country: string
  /** As the country writes it. */
  text: string
}

export interface SampleCity {
  country: string
  city: string
  /** Code of its state, for the US only. */
  ST?: string
}

const lists = new WeakMap<PostalCodes, SampleCode[]>()

/** Returns every code of an index, made once for each index. */
export function allCodes(codes: PostalCodes): readonly SampleCode[] {
  const known = lists.get(codes)
  if (known !== undefined) return known
  const all: SampleCode[] = []
  for (const { country } of codes.countries())
    for (const text of codes.codes(country)) all.push({ country, text })
  lists.set(codes, all)
  return all
}

/** Returns `count` codes drawn uniformly: the share of a country is its share of codes. */
export function sampleCodes(codes: PostalCodes, count: number, seed: number): SampleCode[] {
  return draw(allCodes(codes), count, randomFrom(seed))
}

const SYMBOLS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** Returns codes that do not exist, made from real ones by changing characters. */
export function absentCodes(codes: PostalCodes, count: number, seed: number): SampleCode[] {
  const random = randomFrom(seed)
  return sampleCodes(codes, count, seed + 1).map(({ country, text }) => {
    // Where 0000 to 9999 all exist, only letters make a code that does not.
    for (let tries = 0; codes.validate(text, country); tries++) {
      const at = Math.floor(random() * text.length)
      if (text[at] < '0') continue
      const kinds = tries < 20 && text[at] <= '9' ? 10 : SYMBOLS.length
      text = text.slice(0, at) + SYMBOLS[Math.floor(random() * kinds)] + text.slice(at + 1)
    }
    return { country, text }
  })
}

/** Returns up to `count` cities of random codes, by the name that `lookup` gives them. */
export function sampleCities(codes: PostalCodes, count: number, seed: number): SampleCity[] {
  return sampleCodes(codes, count, seed).flatMap(({ country, text }) => {
    const { city, ST } = codes.lookup(text, country) ?? { city: '', ST: '' }
    if (city === '' || (country === 'US' && ST === '')) return []
    const sample = { country, city, ...(country === 'US' && { ST }) }
    const found = codes.city(city, sample)
    return found === undefined || found.matched !== undefined ? [] : [sample]
  })
}

/** Seeded samples: existing codes, absent codes, and cities. */
import type { PostalCodes } from '../../src/postal/library/node.ts'
import { draw, randomFrom } from '../measure.ts'

interface SampleCode {
  country: string
  /** Written form of the code. */
  text: string
}

interface SampleCity {
  country: string
  city: string
  /** Code of its state, for the US only. */
  ST?: string
}

const lists = new WeakMap<PostalCodes, SampleCode[]>()

/** Returns every code of an index, listed once for each index. */
export function allCodes(codes: PostalCodes): readonly SampleCode[] {
  const known = lists.get(codes)
  if (known !== undefined) return known
  const all: SampleCode[] = []
  for (const { country } of codes.countries())
    for (const text of codes.codes(country)) all.push({ country, text })
  lists.set(codes, all)
  return all
}

/** Returns `count` uniformly drawn codes. */
export function sampleCodes(codes: PostalCodes, count: number, seed: number): SampleCode[] {
  return draw(allCodes(codes), count, randomFrom(seed))
}

const SYMBOLS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** Returns absent codes, made from existing ones by changing characters. */
export function absentCodes(codes: PostalCodes, count: number, seed: number): SampleCode[] {
  const random = randomFrom(seed)
  return sampleCodes(codes, count, seed + 1).map(({ country, text }) => {
    // If 0000 to 9999 all exist, only letters make an absent code.
    for (let tries = 0; codes.validate(text, country); tries++) {
      const at = Math.floor(random() * text.length)
      if (text[at] < '0') continue
      const kinds = tries < 20 && text[at] <= '9' ? 10 : SYMBOLS.length
      text = text.slice(0, at) + SYMBOLS[Math.floor(random() * kinds)] + text.slice(at + 1)
    }
    return { country, text }
  })
}

/** Returns up to `count` cities of random codes, by their name in `lookup`. */
export function sampleCities(codes: PostalCodes, count: number, seed: number): SampleCity[] {
  return sampleCodes(codes, count, seed).flatMap(({ country, text }) => {
    const { city, ST } = codes.lookup(text, country) ?? { city: '', ST: '' }
    if (city === '' || (country === 'US' && ST === '')) return []
    const sample = { country, city, ...(country === 'US' && { ST }) }
    return codes.exactCityCodes(city, sample) === 0 ? [] : [sample]
  })
}

/** Seeded requests: codes that are there, codes that are not, cities, and whole request bodies. */
import { searchCity } from '../../src/index/cities/city-search.ts'
import { placeAdmin, placeName, viewAdmin, viewCode } from '../../src/index/codes/code-view.ts'
import { CodeQuery } from '../../src/index/codes/resolve.ts'
import type { Country } from '../../src/index/country.ts'
import { countriesOf, type PostalIndex } from '../../src/index/postal-index.ts'
import { SYMBOLS } from '../../src/text/code.ts'
import { randomFrom } from '../random.ts'

export interface SampleCode {
  country: string
  /** As the country writes it. */
  text: string
}

export interface SampleCity {
  country: string
  city: string
  /** Code of its first level, for the US only. */
  ST?: string
}

/** `count` codes drawn from all codes alike, so that a country comes as often as it has codes. */
export function sampleCodes(index: PostalIndex, count: number, seed: number): SampleCode[] {
  const random = randomFrom(seed)
  const countries = countriesOf(index)
  return Array.from({ length: count }, () => {
    const code = Math.floor(random() * index.file.codeCount)
    const country = ownerOf(countries, code)
    return { country: country.cc, text: viewCode(index, country, code).written }
  })
}

/** Codes of the same shapes that do not exist: real ones with changed characters. */
export function absentCodes(index: PostalIndex, count: number, seed: number): SampleCode[] {
  const random = randomFrom(seed)
  const countries = new Map(countriesOf(index).map(country => [country.cc, country]))
  const query = new CodeQuery()
  const exists = ({ country, text }: SampleCode) => {
    const bytes = Buffer.from(text)
    return (
      query.set(bytes, 0, bytes.length) && query.resolve(index.trie, countries.get(country) as Country) >= 0
    )
  }
  return sampleCodes(index, count, seed + 1).map(sample => {
    let { text } = sample
    // A country that is full, such as one with all of 0000 to 9999, has absent codes only among letters.
    for (let tries = 0; exists({ ...sample, text }); tries++) {
      const at = Math.floor(random() * text.length)
      const kinds = tries < 20 && text[at] <= '9' ? 10 : 36
      text = text.slice(0, at) + SYMBOLS[Math.floor(random() * kinds)] + text.slice(at + 1)
    }
    return { ...sample, text }
  })
}

/** Up to `count` places drawn from all places alike, by the name that the index has; only such as are found by it. */
export function sampleCities(index: PostalIndex, count: number, seed: number): SampleCity[] {
  const random = randomFrom(seed)
  const countries = countriesOf(index)
  return Array.from({ length: count }, () => {
    const place = Math.floor(random() * index.placeCount)
    const country = countries.find(({ meta }) => place < meta.placeStart + meta.placeCount) as Country
    const city = placeName(index, place)
    const ST = country.cc === 'US' ? viewAdmin(index, placeAdmin(index, place)).code1 : undefined
    const answer = searchCity(index, country, { city, state: undefined, stateCode: ST })
    return answer === undefined || answer.matched !== undefined || ST === ''
      ? []
      : [{ country: country.cc, city, ...(ST && { ST }) }]
  }).flat()
}

/** Names one edit away from `cities`, long enough to be matched. */
export function misspelt(cities: readonly SampleCity[], seed: number): SampleCity[] {
  const random = randomFrom(seed)
  return cities
    .filter(({ city }) => city.length >= 6)
    .map(sample => {
      const at = 1 + Math.floor(random() * (sample.city.length - 2))
      return { ...sample, city: sample.city.slice(0, at) + sample.city.slice(at + 1) }
    })
}

function ownerOf(countries: readonly Country[], code: number): Country {
  const owner = countries.find(({ meta }) => code >= meta.codeStart && code < meta.codeStart + meta.codeCount)
  if (owner === undefined) throw new RangeError(`no country has code ${code}`)
  return owner
}

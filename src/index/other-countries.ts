/** The countries that a request may name and the index has no codes of, and why. */
import { countriesOf, type PostalIndex } from './postal-index.ts'

/** `no postal codes`: its post has none. `no source`: it has, and no open data that the build read has them. */
export type Absence = 'no postal codes' | 'no source'

export interface OtherCountry {
  /** ISO 3166-1 alpha-2. */
  country: string
  absence: Absence
}

export function otherCountries(index: PostalIndex): OtherCountry[] {
  const { iso, coded } = index.meta
  const present = new Set(countriesOf(index).map(({ cc }) => cc))
  const known = new Set(pairs(coded))
  return pairs(iso)
    .filter(country => !present.has(country))
    .map(country => ({ country, absence: known.has(country) ? 'no source' : 'no postal codes' }))
}

function pairs(text: string): string[] {
  return text.match(/../g) ?? []
}

/** Finding a country by whatever people call it. */
import { COUNTRY_NAMES } from './country-names.ts'

interface Named {
  code: string
  name: string
}

/**
 * The countries that `wanted` names: the one that has exactly this code or name, otherwise those with a name that contains
 * it. So `UK` is the United Kingdom and not Ukraine. Case, accents and points do not count; `''` names all.
 */
export function findCountries<Country extends Named>(
  countries: readonly Country[],
  wanted: string,
): readonly Country[] {
  const text = plain(wanted)
  if (text === '') return countries
  const named = countries.map(country => ({ country, names: namesOf(country) }))
  const exact = named.filter(({ names }) => names.includes(text))
  const found = exact.length > 0 ? exact : named.filter(({ names }) => names.some(name => isPart(text, name)))
  return found.map(({ country }) => country)
}

function namesOf({ code, name }: Named): string[] {
  return [name, ...(COUNTRY_NAMES.get(code) ?? [])].map(plain)
}

/** A part of a code says nothing: `AN` is in every other one. */
function isPart(text: string, name: string): boolean {
  const isCode = /^[a-z]{2,3}$/.test(name)
  return isCode ? name === text : name.includes(text)
}

function plain(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\p{M}.]/gu, '')
    .toLowerCase()
    .trim()
}

/** Countries that the loaded index covers, and how people find them. */
import type { SourceMeta } from '../../format/meta.ts'
import { countriesOf, isoCountries, type PostalIndex, sourcesOf } from '../../index/postal-index.ts'
import { countryName } from '../../library/country-names.ts'

export interface CoverageRow {
  code: string
  name: string
  codes: number
  places: number
  /** `full`, `short codes`, `partial`; `no data` where the post has codes and the index has none, or `no postal codes`. */
  completeness: string
  sources: string[]
}

export interface Coverage {
  /** Countries with codes by English name, then those without. */
  rows: CoverageRow[]
  countries: number
  sources: readonly SourceMeta[]
  codes: number
}

const NOTHING: Coverage = { rows: [], countries: 0, sources: [], codes: 0 }

/** Naming and sorting all countries takes milliseconds; an index does not change. */
const known = new WeakMap<PostalIndex, Coverage>()

export function coverageOf(index: PostalIndex | null): Coverage {
  if (index === null) return NOTHING
  const coverage = known.get(index) ?? readCoverage(index)
  known.set(index, coverage)
  return coverage
}

function readCoverage(index: PostalIndex): Coverage {
  const sources = sourcesOf(index)
  const covered = countriesOf(index).map(({ cc, meta }) => ({
    code: cc,
    name: countryName(cc),
    codes: meta.codeCount,
    places: meta.placeCount,
    completeness: meta.completeness,
    sources: meta.sources.flatMap(position => sources[position]?.title ?? []),
  }))
  const others = isoCountries(index)
    .filter(cc => !covered.some(({ code }) => code === cc))
    .map(code => {
      const completeness = index.posts.of(code) === undefined ? 'no postal codes' : 'no data'
      return { code, name: countryName(code), codes: 0, places: 0, completeness, sources: [] }
    })
  const byName = (a: CoverageRow, b: CoverageRow) => a.name.localeCompare(b.name, 'en')
  const rows = [...covered.sort(byName), ...others.sort(byName)]
  return { rows, countries: covered.length, sources, codes: index.file.codeCount }
}

const LANGUAGES =
  'ar az be bg bn bs ca cs cy da de el es et eu fa fi fr ga gl he hi hr hu hy id is it ja ka kk km ko ky lo lt lv mk mn ms my nb ne nl pl pt ro ru si sk sl sq sr sv ta th tr uk ur uz vi zh'.split(
    ' ',
  )

/** Names that people type and that Unicode has in no language. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  AE: 'UAE|Emirates',
  CD: 'DR Congo',
  CI: 'Ivory Coast',
  CZ: 'Czech Republic',
  FK: 'Malvinas',
  GB: 'UK|GBR|Great Britain|Britain|England|Scotland|Wales|Northern Ireland',
  GR: 'EL|Hellas',
  HK: 'Hong Kong',
  IR: 'Persia',
  LK: 'Ceylon',
  MK: 'Macedonia',
  MM: 'Burma',
  MO: 'Macau',
  NL: 'Holland',
  NZ: 'Aotearoa',
  PS: 'Palestine',
  RU: 'Russian Federation',
  SZ: 'Swaziland',
  TL: 'East Timor',
  TR: 'Turkey',
  US: 'USA|America|United States of America',
  VA: 'Vatican|Holy See',
}

/**
 * Returns the countries that `wanted` names: the one that has exactly this code or name, otherwise those with a name that
 * contains it. So `UK` is the United Kingdom and not Ukraine. Case, accents and points do not count; `''` names all.
 */
export function findCountries<C extends { code: string; name: string }>(
  countries: readonly C[],
  wanted: string,
): readonly C[] {
  const text = plain(wanted)
  if (text === '') return countries
  const english = matching(countries, text, ({ code, name }) => [
    name,
    ...(OTHER_NAMES[code]?.split('|') ?? []),
  ])
  // Naming all countries in all languages takes a tenth of a second, so only what is not English asks for it.
  return english.length > 0 ? english : matching(countries, text, ({ code }) => foreignNames(code))
}

function matching<C extends { code: string; name: string }>(
  countries: readonly C[],
  text: string,
  namesOf: (country: C) => readonly string[],
): C[] {
  const named = countries.map(country => ({ country, names: [country.code, ...namesOf(country)].map(plain) }))
  const exact = named.filter(({ names }) => names.includes(text))
  // A part of a short name or a code says nothing.
  const isPart = (name: string) => name.length > 3 && name.includes(text)
  const found = exact.length > 0 ? exact : named.filter(({ names }) => names.some(isPart))
  return found.map(({ country }) => country)
}

let displays: Intl.DisplayNames[] | undefined
const foreign = new Map<string, string[]>()

function foreignNames(code: string): string[] {
  displays ??= LANGUAGES.map(language => new Intl.DisplayNames(language, { type: 'region' }))
  const names = foreign.get(code) ?? displays.map(display => display.of(code) ?? code)
  foreign.set(code, names)
  return names
}

function plain(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\p{M}.]/gu, '')
    .toLowerCase()
    .trim()
}

import type { Completeness } from '../../postal/format/meta.ts'
import type { Absence, PostalIndex } from '../../postal/index/postal-index.ts'
import { absentCountries, countriesOf, countryByText, sourcesOf } from '../../postal/index/postal-index.ts'
import { formatsOf } from '../../postal/index/written-formats.ts'
import { countryName } from '../../postal/library/country-names.ts'
import { countryTexts } from '../../postal/library/country-texts.ts'
import { PostalCodes } from '../../postal/library/postal-codes.ts'
import { cityKey } from '../../postal/text/city.ts'
import { isFault } from '../../service/endpoints/endpoint.ts'
import { ENDPOINTS } from '../../service/endpoints/table.ts'

export interface CoverageRow {
  code: string
  name: string
  codes: number
  places: number
  completeness: Completeness | Absence
}

/** Coverage by index. Naming and sorting all countries takes milliseconds. */
const known = new WeakMap<PostalIndex, ReturnType<typeof readCoverage>>()

export function coverageOf(index: PostalIndex) {
  const coverage = known.get(index) ?? readCoverage(index)
  known.set(index, coverage)
  return coverage
}

function readCoverage(index: PostalIndex) {
  const sources = sourcesOf(index)
  const covered = countriesOf(index).map(({ cc, meta }) => ({
    code: cc,
    name: countryName(cc),
    codes: meta.codeCount,
    places: meta.placeCount,
    completeness: meta.completeness,
  }))
  const others = absentCountries(index).map(({ country: code, absence: completeness }) => {
    return { code, name: countryName(code), codes: 0, places: 0, completeness }
  })
  const byName = (a: CoverageRow, b: CoverageRow) => a.name.localeCompare(b.name, 'en')
  const rows: CoverageRow[] = [...covered.sort(byName), ...others.sort(byName)]
  return { rows, countries: covered.length, sources, codes: index.file.codeCount }
}

export type CountryFacts = NonNullable<ReturnType<typeof countryFacts>>

/** Returns the facts of the index about the country `cc`; undefined if there is no such country. */
export function countryFacts(index: PostalIndex, cc: string) {
  const row = coverageOf(index).rows.find(({ code }) => code === cc)
  const country = countryByText(index, cc) ?? null
  if (row === undefined) return undefined
  const sources = sourcesOf(index)
  const formats = formatsOf(index, cc, country)
  const whole = row.completeness === 'short codes' ? (index.posts.of(cc)?.forms ?? []) : []
  const codes = new PostalCodes(index)
  const examples = [whole[0]?.example, formats.example].map(each => each ?? '')
  const example = examples.find(each => codes.validate(each, cc)) ?? ''
  const answer = example === '' ? undefined : ENDPOINTS.lookup.run(codes, { zipcode: example, country: cc })
  return {
    row,
    meta: country?.meta,
    /** Forms that customers write, if the index has only the first part of codes. */
    whole,
    sources: country === null ? [] : country.meta.sources.flatMap(position => sources[position] ?? []),
    ...formats,
    example,
    answer: answer && !isFault(answer) ? answer : undefined,
  }
}

/** Returns the country called `wanted`, or those whose name has it, English first: `UK` is not Ukraine. */
export function findCountries(countries: readonly CoverageRow[], wanted: string): readonly CoverageRow[] {
  const key = cityKey(wanted.replaceAll('.', ''))
  if (key === '') return wanted.trim() === '' ? countries : []
  const texts = countryTexts()
  const capitals = wanted.toUpperCase()
  const meant = countries.some(({ code }) => code === capitals) ? capitals : texts.get(key)
  const exact = countries.filter(({ code }) => code === meant)
  const english = exact.length > 0 ? exact : countries.filter(({ name }) => cityKey(name).includes(key))
  if (english.length > 0) return english
  // A match inside a code or a short name is accidental.
  const parts = [...texts].filter(([text]) => text.length > 3 && text.includes(key))
  return countries.filter(({ code }) => parts.some(([, cc]) => cc === code))
}

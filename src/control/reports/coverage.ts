/** What the loaded index covers, in words for a page. */
import type { SourceMeta } from '../../format/meta.ts'
import { type Absence, otherCountries } from '../../index/other-countries.ts'
import { countriesOf, type PostalIndex, sourcesOf } from '../../index/postal-index.ts'
import { countryName } from '../layout/words.ts'

export interface CoverageRow {
  code: string
  name: string
  codes: number
  places: number
  completeness: string
  /** Titles of the sources, the best first. */
  sources: string[]
}

export interface Coverage {
  /** By English name. */
  countries: CoverageRow[]
  /** Countries without codes in the index, by English name. */
  others: { code: string; name: string; absence: Absence }[]
  sources: readonly SourceMeta[]
  codes: number
}

const NOTHING: Coverage = { countries: [], others: [], sources: [], codes: 0 }

/** An index does not change, so neither does its coverage. Entries go when their index does. */
const known = new WeakMap<PostalIndex, Coverage>()

/** Takes a few milliseconds for each new index, to name and sort the countries in English. */
export function coverageOf(index: PostalIndex | null): Coverage {
  if (index === null) return NOTHING
  let coverage = known.get(index)
  if (coverage === undefined) {
    coverage = readCoverage(index)
    known.set(index, coverage)
  }
  return coverage
}

function readCoverage(index: PostalIndex): Coverage {
  const sources = sourcesOf(index)
  const countries = countriesOf(index).map(({ cc, meta }) => ({
    code: cc,
    name: countryName(cc),
    codes: meta.codeCount,
    places: meta.placeCount,
    completeness: meta.completeness,
    sources: meta.sources.flatMap(position => sources[position]?.title ?? []),
  }))
  countries.sort((a, b) => a.name.localeCompare(b.name, 'en'))
  const others = otherCountries(index).map(({ country, absence }) => ({
    code: country,
    name: countryName(country),
    absence,
  }))
  others.sort((a, b) => a.name.localeCompare(b.name, 'en'))
  return { countries, others, sources, codes: index.file.codeCount }
}

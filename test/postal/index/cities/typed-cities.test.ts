/** The share of correct answers must not fall below its floor. Raise a floor when the share has risen. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { viewCode } from '../../../../build-index/check/code-view.ts'
import { searchCity } from '../../../../src/postal/index/cities/city-search.ts'
import type { Country } from '../../../../src/postal/index/country.ts'
import { openIndex } from '../../../../src/postal/index/open-index.ts'
import { countriesOf } from '../../../../src/postal/index/postal-index.ts'
import { DEFAULT_INDEX } from '../../../support/default-index.ts'

/** Percent of correct answers by kind, among queries whose code the index has. */
const FLOORS: Readonly<Record<string, number>> = {
  main: 98,
  suburb: 65,
  municipality: 92,
  exonym: 96,
  'second language': 93,
  abbreviation: 97,
  misspelling: 94,
  'own script': 92,
  state: 97,
  'must not find': 99,
  stranger: 98,
}

interface TypedCity {
  cc: string
  city: string
  state: string
  /** The code, or its beginning, that the answer must contain; `''` if nothing may be found. */
  code: string
  kind: string
}

const index = openIndex(DEFAULT_INDEX)
const countries = new Map(countriesOf(index).map(country => [country.cc, country]))
const queries = readFileSync('test/data/typed-cities.tsv', 'utf8')
  .split('\n')
  .filter(line => line !== '' && !line.startsWith('#'))
  .map((line): TypedCity => {
    const [cc, city, state, code, kind] = line.split('\t')
    return { cc, city, state, code: bare(code), kind }
  })

const keys = new Map<string, string[]>()

function keysOf(country: Country): string[] {
  const { codeStart, codeCount } = country.meta
  const known =
    keys.get(country.cc) ??
    Array.from({ length: codeCount }, (_, i) => viewCode(index, country, codeStart + i).key)
  keys.set(country.cc, known)
  return known
}

/** True if the index has the code, so that a search can find it. */
function hasData({ cc, code }: TypedCity): boolean {
  const country = countries.get(cc)
  return country !== undefined && (code === '' || keysOf(country).some(key => key.startsWith(code)))
}

function isRight({ cc, city, state, code }: TypedCity): boolean {
  const country = countries.get(cc) as Country
  const answer = searchCity(index, country, { city, state: state || undefined, ST: undefined })
  if (answer === undefined || code === '') return answer === undefined && code === ''
  // Written forms may begin with the letters of their country: `LV1050`.
  return answer.codes
    .map(bare)
    .some(found => found.startsWith(code) || found.replace(/^[A-Z]{1,3}(?=\d)/, '').startsWith(code))
}

function bare(code: string): string {
  return code.replace(/[^A-Z0-9]/g, '')
}

t.ok(queries.length >= 3600, `${queries.length} queries`)
t.same(new Set(queries.map(({ kind }) => kind)), new Set(Object.keys(FLOORS)))
for (const [kind, floor] of Object.entries(FLOORS)) {
  const asked = queries.filter(query => query.kind === kind && hasData(query))
  const failed = asked.filter(query => !isRight(query))
  const percent = 100 - (100 * failed.length) / asked.length
  t.ok(percent >= floor, `${kind}: ${percent.toFixed(2)} of at least ${floor} percent`)
  if (percent < floor) t.comment(failed.map(query => Object.values(query).join('\t')).join('\n'))
}

import { readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { keyOf } from '../../../../build-index/check/keys.ts'
import { IndexBuilder } from '../../../../build-index/write/index-builder.ts'
import { knownWord } from '../../../../src/postal/format/city-hash.ts'
import { searchCity } from '../../../../src/postal/index/cities/city-search.ts'
import type { Country } from '../../../../src/postal/index/country.ts'
import { openIndex } from '../../../../src/postal/index/open-index.ts'
import { countriesOf, countryByText, type PostalIndex } from '../../../../src/postal/index/postal-index.ts'
import { SYNONYMS } from '../../../../src/postal/text/country-synonyms.ts'
import { code, country, FIXTURE_SOURCE, ISO, place } from '../../../support/countries.ts'
import { DEFAULT_INDEX } from '../../../support/default-index.ts'

const STATES = [
  { name1: 'Bayern', code1: 'BY' },
  { name1: 'Hamburg', code1: 'HH' },
]
const germany = country('DE', [
  code('34117', [{ ...place('Kassel'), population: 200_000 }]),
  code('45127', [{ ...place('Essen'), population: 570_000 }]),
  code('86655', [{ ...place('Harburg', STATES[0]), population: 5_700 }]),
  code('82067', [{ ...place('Ebenhausen', STATES[0]), population: 1_400 }]),
  code('37170', [{ ...place('Uslar', STATES[0]), population: 14_000 }, place('Froberweiler', STATES[0])]),
  ...['20095', '20097', '20099'].map(key => code(key, [place('Hamburg', STATES[1])])),
])
const known = [knownWord('kassel', 190_000), knownWord('basel', 160_000), knownWord('hamburg', 1_800_000)]

function indexWith(folder: string, words: readonly number[]): PostalIndex {
  const builder = new IndexBuilder([FIXTURE_SOURCE])
  builder.know(words)
  builder.add(germany)
  const path = join(folder, 'index.postrie')
  renameSync(builder.write(path, [...ISO, 'DE'], SYNONYMS).file.temporary, path)
  return openIndex(path)
}

function codesFor(index: PostalIndex, city: string, state?: string): string[] | undefined {
  const found = countryByText(index, 'DE')
  if (found === null || found === undefined) throw new Error('DE is not in the index')
  return searchCity(index, found, { city, state, ST: undefined })?.codes
}

t.test('a similar name does not stand for a large city of another country', async t => {
  const index = indexWith(t.testdir(), known)
  t.equal(codesFor(index, 'Assen'), undefined, 'the first letter of a short name is rarely mistyped')
  t.same(codesFor(index, 'Esen'), ['45127'])
  t.same(codesFor(index, 'Kasel'), ['34117'])
  const withoutHamburg = indexWith(t.testdir(), [knownWord('kasel', 300_000), ...known])
  t.equal(codesFor(withoutHamburg, 'Kasel'), undefined, 'a larger city has the name that was asked for')
})

t.test('a similar name does not stand for a town without codes', async t => {
  const index = indexWith(t.testdir(), [knownWord('marburg', 77_000, 'DE'), knownWord('kasel', 1_200, 'AT')])
  t.equal(codesFor(index, 'Marburg'), undefined)
  t.equal(codesFor(index, 'Marburg', 'Bayern'), undefined)
  t.same(codesFor(index, 'Kasel'), ['34117'], 'a town of another country')
})

/**
 * Percent of correct answers by kind, among queries whose code the index has. Raise a floor when the share has risen.
 */
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
    keys.get(country.cc) ?? Array.from({ length: codeCount }, (_, i) => keyOf(index, country, codeStart + i))
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

import { renameSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { IndexBuilder } from '../../../../build-index/write/index-builder.ts'
import { knownWord } from '../../../../src/postal/format/city-hash.ts'
import { searchCity } from '../../../../src/postal/index/cities/city-search.ts'
import { openIndex } from '../../../../src/postal/index/open-index.ts'
import { countryByText, type PostalIndex } from '../../../../src/postal/index/postal-index.ts'
import { SYNONYMS } from '../../../../src/postal/text/country-synonyms.ts'
import { code, country, FIXTURE_SOURCE, ISO, place } from '../../../support/countries.ts'

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

t.test('a smaller place with a similar name does not stand for a place of another state', async t => {
  const index = indexWith(t.testdir(), [])
  t.same(codesFor(index, 'Hamburg', 'Hamburg'), ['20095', '20097', '20099'])
  t.equal(codesFor(index, 'Hamburg', 'Bayern'), undefined, 'Harburg has fewer codes')
  t.same(codesFor(index, 'Harbrug', 'Bayern'), ['86655'])
})

t.test('a similar name does not stand for a town without codes', async t => {
  const index = indexWith(t.testdir(), [knownWord('marburg', 77_000, 'DE'), knownWord('kasel', 1_200, 'AT')])
  t.equal(codesFor(index, 'Marburg'), undefined)
  t.equal(codesFor(index, 'Marburg', 'Bayern'), undefined)
  t.same(codesFor(index, 'Kasel'), ['34117'], 'a town of another country')
})

t.test('a similar name of a village needs few edits for its length', async t => {
  const index = indexWith(t.testdir(), [])
  t.equal(codesFor(index, 'Entenhausen'), undefined)
  t.same(codesFor(index, 'Ebenhousen'), ['82067'], 'one edit in ten letters')
  t.equal(codesFor(index, 'Foobarweiler'), undefined, 'its code is that of a town')
  t.same(codesFor(index, 'Froberweler'), ['37170'])
  t.same(codesFor(index, 'Homburrg'), ['20095', '20097', '20099'], 'a town of several codes without a figure')
})

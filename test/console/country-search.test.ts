import t from 'tap'
import { findCountries } from '../../src/console/reports/coverage-figures.ts'
import { countryName } from '../../src/postal/library/country-names.ts'

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
const NAMES = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
/** Every code with a name, except former codes of other countries. */
const CODES = LETTERS.flatMap(a => LETTERS.map(b => a + b)).filter(
  code => NAMES.of(code) !== undefined && new Intl.Locale(`und-${code}`).region === code,
)
const countries = CODES.map(code => ({ code, name: countryName(code) }))
const found = (wanted: string) => findCountries(countries, wanted).map(({ code }) => code)

t.test('a country is found by code, name and common name', async t => {
  const cases: Record<string, string> = {
    GB: 'UK gb england U.K. britain',
    UA: 'Ukraine Україна',
    DE: 'Deutschland Germany germany Niemcy',
    GR: 'EL Ελλάδα hellas',
    JP: '日本',
    US: 'USA U.S.A. america',
    TR: 'Turkey turkiye',
    NL: 'Holland Nederland',
    CH: 'Schweiz suisse Svizzera',
    ES: 'espana España',
    CZ: 'Česko cesko',
    AE: 'uae الإمارات',
  }
  for (const [code, names] of Object.entries(cases))
    for (const name of names.split(' ')) t.ok(found(name).includes(code), `${name}: ${found(name)}`)
  t.same(found('united kingdom'), ['GB'])
})

t.test('a code or a whole name finds only its country', async t => {
  for (const [wanted, code] of [
    ['UK', 'GB'],
    ['niger', 'NE'],
    ['IN', 'IN'],
    ['india', 'IN'],
  ] as const)
    t.same(found(wanted), [code], wanted)
  t.ok(found('united').length > 2, 'a part of a name finds all that have it')
  t.equal(found('').length, countries.length)
  t.same(found('no such country'), [])
  for (const { code } of countries) t.same(found(code), [code])
})

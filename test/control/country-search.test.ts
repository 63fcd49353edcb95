import t from 'tap'
import { countryName } from '../../src/control/layout/words.ts'
import { COUNTRY_NAMES } from '../../src/control/reports/country-names.ts'
import { findCountries } from '../../src/control/reports/country-search.ts'

const countries = [...COUNTRY_NAMES.keys()].map(code => ({
  code,
  name: countryName(code),
  codes: 1,
  places: 1,
  completeness: 'full',
  sources: [],
}))
const found = (wanted: string) => findCountries(countries, wanted).map(({ code }) => code)

t.test('a country is found by its codes, its names, and what people call it', async t => {
  const cases: Record<string, string> = {
    GB: 'UK gb GBR england U.K. britain',
    UA: 'Ukraine UKR Україна',
    DE: 'Deutschland DEU Germany germany',
    GR: 'EL GRC Ελλάδα hellas',
    JP: '日本 JPN',
    US: 'USA U.S.A. america',
    TR: 'Turkey TUR turkiye',
    NL: 'Holland NLD',
    CH: 'Schweiz suisse Svizzera',
    ES: 'espana España',
    CZ: 'Česko cesko CZE',
    AE: 'uae',
  }
  for (const [code, names] of Object.entries(cases))
    for (const name of names.split(' ')) t.ok(found(name).includes(code), `${name}: ${found(name)}`)
  t.same(found('united kingdom'), ['GB'])
})

t.test('a code or a whole name finds its country alone', async t => {
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
  for (const code of COUNTRY_NAMES.keys()) t.same(found(code), [code])
})

t.test('every country has codes of two and three letters', async t => {
  for (const [code, [alpha2, alpha3 = '']] of COUNTRY_NAMES) {
    t.equal(alpha2, code)
    t.match(alpha3, /^[A-Z]{3}$/)
  }
})

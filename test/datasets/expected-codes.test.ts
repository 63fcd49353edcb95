import t from 'tap'
import { countryCodes } from '../../datasets/reference/country-codes.ts'
import { EXPECTED_CODES, hasExpectedCodes } from '../../datasets/reference/expected-codes.ts'
import { row } from '../../datasets/row.ts'
import { countryModels } from '../support/models.ts'
import { sourceOf } from '../support/sources.ts'

t.test('a source counts as full only with the expected number of codes', async t => {
  const rows = Array.from({ length: 10 }, (_, i) => row('SM', `4789${i}`, 'A'))
  const completeness = async (codes: number) => {
    for await (const model of countryModels({ sources: [sourceOf('s', rows.slice(0, codes))] }))
      return model.completeness
    return undefined
  }
  t.equal(await completeness(10), 'full')
  t.equal(await completeness(9), 'partial')
})

t.test('a complete country has a number of codes, its source and its year', t => {
  const countries = countryCodes()
  t.equal(countries.length, 250, 'with Kosovo, which has no code of ISO 3166-1')
  t.same(
    Object.keys(EXPECTED_CODES).filter(country => !countries.includes(country)),
    [],
  )
  for (const country of countries) {
    const expected = EXPECTED_CODES[country]
    if (expected === undefined) t.notOk(hasExpectedCodes(country, Number.MAX_SAFE_INTEGER), country)
    else {
      t.ok(Number.isInteger(expected.codes) && expected.codes > 0, `${country}: ${expected.codes} codes`)
      t.ok(expected.year >= 2020, `${country}: ${expected.year}`)
      t.match(expected.by, /^\p{Lu}.{10,}|^libaddressinput: /u, country)
      t.ok(hasExpectedCodes(country, expected.codes))
    }
  }
  t.end()
})

import t from 'tap'
import { countryModels } from '../../build-index/country-models.ts'
import { hasExpectedCodes } from '../../datasets/reference/expected-codes.ts'
import { row, sourceOf } from '../support/sources.ts'

t.test('a country is complete when it has the codes that its post has published', t => {
  t.ok(hasExpectedCodes('FI', 5033))
  t.ok(hasExpectedCodes('FI', 4950), 'registers of different days differ by a few')
  t.notOk(hasExpectedCodes('FI', 3613))
  t.ok(hasExpectedCodes('GP', 32), 'territories are counted in the same register')
  t.notOk(hasExpectedCodes('IN', 18_991), 'a directory of some years ago')
  t.notOk(hasExpectedCodes('BR', 5525), 'the number of its codes is not in the table')
  t.end()
})

t.test('a source that calls itself full is believed only with that many codes', async t => {
  const rows = Array.from({ length: 10 }, (_, i) => row('SM', `4789${i}`, 'A'))
  const completeness = async (codes: number) => {
    for await (const model of countryModels({ sources: [sourceOf('s', rows.slice(0, codes))] }))
      return model.completeness
    return undefined
  }
  t.equal(await completeness(10), 'full')
  t.equal(await completeness(9), 'partial')
})

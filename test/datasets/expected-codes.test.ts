import t from 'tap'
import { countryModels } from '../../build-index/country-models.ts'
import { hasExpectedCodes } from '../../datasets/reference/expected-codes.ts'
import { row, sourceOf } from '../support/sources.ts'

t.test('a country is complete when it has the codes that its post has published', t => {
  t.ok(hasExpectedCodes('FI', 5033))
  t.ok(hasExpectedCodes('FI', 4950), 'registers of different days differ by a few')
  t.notOk(hasExpectedCodes('FI', 3613))
  t.notOk(hasExpectedCodes('DE', 10_814), 'more than half of the codes of Germany are those of boxes')
  t.notOk(hasExpectedCodes('BR', 5525), 'nobody is known to have counted them')
  t.end()
})

t.test('a source that calls itself full is believed only with that many codes', async t => {
  const rows = Array.from({ length: 7 }, (_, i) => row('AD', `AD${i + 1}00`, 'A'))
  const completeness = async (codes: number) => {
    for await (const model of countryModels({ sources: [sourceOf('s', rows.slice(0, codes))] }))
      return model.completeness
    return undefined
  }
  t.equal(await completeness(7), 'full')
  t.equal(await completeness(6), 'partial')
})

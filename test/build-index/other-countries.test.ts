import { join } from 'node:path'
import t from 'tap'
import { buildIndex } from '../../build-index/build.ts'
import { countryCodes } from '../../datasets/reference/country-codes.ts'
import { coverageOf } from '../../src/control/reports/coverage.ts'
import { openIndex } from '../../src/index/open-index.ts'
import { otherCountries } from '../../src/index/other-countries.ts'
import { countriesOf } from '../../src/index/postal-index.ts'
import { row, sourceOf } from '../support/sources.ts'

t.test('coverage names every country of ISO 3166-1, also those without a code', async t => {
  const output = join(t.testdir(), 'small.postrie')
  await buildIndex({ output, sources: [sourceOf('s', [row('SM', '47890', 'A')])] })
  const index = openIndex(output)
  const others = otherCountries(index)
  const named = [...countriesOf(index).map(({ cc }) => cc), ...others.map(({ country }) => country)]
  t.same(named.sort(), countryCodes())
  t.equal(named.length, 250, 'with Kosovo, which has codes and no ISO code')
  const absences = Object.fromEntries(others.map(({ country, absence }) => [country, absence]))
  for (const country of ['AE', 'HK', 'QA', 'AO', 'FJ']) t.equal(absences[country], 'no postal codes', country)
  for (const country of ['GR', 'IL', 'SA', 'XK', 'LC']) t.equal(absences[country], 'no source', country)
  t.equal(coverageOf(index).rows.length, 250, 'on the coverage page too')
})

import t from 'tap'
import { BuildReport } from '../../build-index/build-report.ts'
import type { CountryModel } from '../../build-index/model.ts'
import { row } from '../../datasets/row.ts'
import { countryModels, type ModelOptions } from '../support/models.ts'
import { sourceOf } from '../support/sources.ts'

async function models(options: ModelOptions): Promise<Map<string, CountryModel>> {
  const found = new Map<string, CountryModel>()
  for await (const model of countryModels(options)) found.set(model.country, model)
  return found
}

t.test('a second source may add codes, and a source may be left out', async t => {
  const sources = [
    sourceOf('best', [row('BV', '1000', 'A')]),
    sourceOf('more', [row('BV', '1001', 'B'), row('BV', '1000', 'Other')], { addsCodes: ['BV'] }),
    sourceOf('weak', [row('BV', '1002', 'C')]),
  ]
  const keys = async (options: ModelOptions) => (await models(options)).get('BV')?.codes.map(({ key }) => key)
  t.same(await keys({ sources }), ['1000', '1001'])
  t.same(await keys({ sources: sources.slice(1) }), ['1000', '1001'])
  t.same(await keys({ sources: sources.slice(2) }), ['1002'])
  t.same((await models({ sources })).get('BV')?.sources, ['best', 'more', 'weak'])
  t.equal((await models({ sources, countries: ['US'] })).size, 0)
})

t.test('a territory is found in the country of its post and has no county', async t => {
  const guam = row('GU', '96910', 'Hagatna', { name1: 'Guam', code1: 'GU' })
  const sources = [sourceOf('us', [row('US', '96960', 'Majuro'), guam])]
  const found = await models({ sources, countries: ['US', 'MH'] })
  const [hagatna] = found.get('US')?.codes.filter(({ key }) => key === '96910') ?? []
  t.match(hagatna.places[0].admin, { name1: 'Guam', code1: 'GU', name2: '' })
  t.match(found.get('MH')?.codes, [{ key: '96960' }])
})

t.test('rows without a postal code are counted, and too many fail the build', async t => {
  const good = Array.from({ length: 200 }, (_, i) => row('BV', String(1000 + i), 'A'))
  const report = new BuildReport([])
  const skipped = { source: 's', reason: 'BV: no postal code: "n/a"' }
  await models({ sources: [sourceOf('s', [...good, row('BV', 'n/a', 'A'), row('BV', 'n/a', 'B')])], report })
  t.same(report.skipped, [skipped, skipped], 'each row counts')
  t.match(report.countries[0], { country: 'BV', rows: 200, codes: 200, places: 200 })
  const bad = Array.from({ length: 101 }, (_, i) => row('BV', `n/a ${i}`, 'A'))
  await t.rejects(models({ sources: [sourceOf('s', [...good, ...bad])] }), /s: 101 bad rows/)
  const both = new BuildReport([])
  await models({ sources: [sourceOf('s', [row('FR', 'n/a', 'A'), row('RE', 'n/a', 'A')])], report: both })
  t.equal(both.skippedCount, 2, 'a country that belongs to the post of another is read for both')
})

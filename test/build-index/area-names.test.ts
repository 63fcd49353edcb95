import t from 'tap'
import { row } from '../../datasets/row.ts'
import type { IsoArea, Row, Source } from '../../datasets/source.ts'
import { cityKey } from '../../src/postal/text/city.ts'
import { countryModels } from '../support/models.ts'
import { sourceOf } from '../support/sources.ts'

async function areaNames(rows: readonly Row[], more: Partial<Source> = {}) {
  for await (const model of countryModels({ sources: [sourceOf('s', rows, more)] })) return model.areaNames
  throw new Error('no country was built')
}

t.test('prefectures of Japan are found in kanji', async t => {
  const names = await areaNames([
    row('JP', '1000001', '千代田', { name1: '東京都', name2: '千代田区' }),
    row('JP', '1000002', '皇居外苑', { name1: '東京都', name2: 'no municipality' }),
    row('JP', '0600000', '旭ケ丘', { name1: '北海道', name2: '札幌市中央区' }),
  ])
  t.same(names[cityKey('東京都')], ['Tokyo'], 'even if a row has it in kanji')
  t.equal(names[cityKey('Tokyo')], undefined, 'it has the name of the other prefectures')
  t.same(names[cityKey('東京')], ['Tokyo'])
  t.same(names[cityKey('北海道')], ['Hokkaido'])
  t.equal(names[cityKey('Hokkaido')], undefined, 'the own name is not another name')
  t.equal(names[cityKey('大阪府')], undefined, 'a prefecture without codes')
})

t.test('municipalities of Japan are known in other signs and in addresses', async t => {
  const rows = [
    row('JP', '2730101', '鎌ケ谷市富岡', { name1: '千葉県', name2: '鎌ヶ谷市' }),
    row('JP', '1001511', '八丈島八丈町三根', { name1: '東京都' }),
    row('JP', '8112115', '糟屋郡須惠町佐谷', { name1: '福岡県' }),
    row('JP', '6670112', '養父市場', { name1: '兵庫県', name2: '養父市' }),
  ]
  const names = new Map<string, readonly string[]>()
  for await (const { codes } of countryModels({ sources: [sourceOf('s', rows)] }))
    for (const { key, places } of codes) names.set(key, [places[0].name, places[1].name])
  t.same(Object.fromEntries(names), {
    '1001511': ['Hachijo', '三根'],
    '2730101': ['Kamagaya', '富岡'],
    '6670112': ['Yabu', '養父市場'],
    '8112115': ['Sue', '佐谷'],
  })
})

t.test('areas are found by names in other languages', async t => {
  const areas: IsoArea[] = [
    { code: 'A', names: ['Nord', 'North', 'Süd'] },
    { code: 'B', names: ['Süd', 'South'] },
  ]
  const rows = [
    row('BV', '1000', 'A', { name1: 'Nord' }),
    row('BV', '1001', 'B', { name1: 'Süd', name2: 'South' }),
  ]
  const names = await areaNames(rows, { areas: () => areas })
  t.same(names, { [cityKey('North')]: ['Nord'] }, 'a name of another area is left out')
})

t.test('areas are found by local name, English name and code', async t => {
  const names = await areaNames([row('AT', '6020', 'Innsbruck', { name1: 'Tirol' })])
  t.same(names[cityKey('Tyrol')], ['Tirol'])
  const indonesia = await areaNames([row('ID', '40111', 'Bandung', { code1: '32' })])
  t.same(indonesia[cityKey('Jawa Barat')], ['32'], 'an area that has only a code')
})

t.test('spellings of one area in a source become one area', async t => {
  const names = await areaNames([
    row('AT', '1010', 'Wien', { name1: 'Wien' }),
    row('AT', '8010', 'Graz', { name1: 'Steiermark' }),
    row('AT', '8700', 'Leoben', { name1: 'Styria' }),
  ])
  for (const other of ['Styria', 'Stmk']) t.same(names[cityKey(other)], ['Steiermark'], other)
  t.equal(names[cityKey('Steiermark')], undefined, 'the name of all its codes')
})

t.test('an area has its local name, and its English name finds it', async t => {
  const rows = [
    row('HR', '10000', 'Zagreb', { name1: 'City of Zagreb' }),
    row('HR', '10410', 'Velika Gorica', { name1: 'Zagreb County' }),
    row('HR', '52100', 'Pula', { name1: 'Istria' }),
  ]
  const areas: IsoArea[] = [{ code: '18', names: ['Istria', 'Istrie'] }]
  for await (const { codes, areaNames } of countryModels({
    sources: [{ ...sourceOf('s', rows), areas: () => areas }],
  })) {
    t.same(
      codes.map(({ places: [{ admin }] }) => admin.name1),
      ['Grad Zagreb', 'Zagrebačka', 'Istarska'],
    )
    for (const other of ['Istria', 'Istrie']) t.same(areaNames[cityKey(other)], ['Istarska'], other)
  }
})

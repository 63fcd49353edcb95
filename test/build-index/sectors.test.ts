import { join } from 'node:path'
import t from 'tap'
import { buildIndex } from '../../build-index/build.ts'
import { kmBetween } from '../../build-index/distance.ts'
import { row } from '../../datasets/row.ts'
import { openIndex } from '../../src/postal/library/node.ts'
import { DEFAULT_INDEX } from '../support/default-index.ts'
import { codesOf, positionOf } from '../support/models.ts'
import { sourceOf } from '../support/sources.ts'

t.test('a municipality has all sectors up to the next one', async t => {
  const rows = [
    row('CL', '6690000', 'Villa Alemana'),
    row('CL', '7500000', 'Providencia'),
    row('CL', '7550000', 'Las Condes'),
    row('CL', '9810000', 'El Monte', positionOf('CL', 'El Monte')),
    row('BR', '01000-000', 'São Paulo'),
    row('BR', '01310', 'São Paulo'),
    row('CN', '311300', "Chun'an County"),
    row('CN', '311500', 'Jiande'),
    row('GB', 'SK1 2AA', 'Hillgate', { name1: 'England', lat: 53.408, lon: -2.157, accuracy: 6 }),
    row('GB', 'SK12 1AA', 'Poynton'),
  ]
  const output = join(t.testdir(), 'sectors.postrie')
  await buildIndex({ output, sources: [sourceOf('best', rows)] })
  const codes = openIndex(output)
  const city = (code: string) => codes.lookup(code, 'CL')?.city
  t.equal(city('7549999'), 'Providencia')
  t.equal(city('755-1234'), 'Las Condes')
  t.equal(city('9909999'), 'El Monte', 'the last one of the country has ten sectors')
  t.equal(codes.metadata('990', 'CL')?.accuracy, 'area', 'at the position of the municipality')
  t.equal(city('9910000'), undefined)
  t.equal(city('6800000'), undefined, 'so has the last one of a region')
  for (const code of ['01000-000', '01310-100', '01310']) t.ok(codes.validate(code, 'BR'), code)
  t.notOk(codes.validate('01000-100', 'BR'), 'a code in full is there as it is')
  for (const code of ['311399', '3113', '311500']) t.ok(codes.validate(code, 'CN'), code)
  for (const code of ['311400', '31139']) t.notOk(codes.validate(code, 'CN'), code)
  t.match(codes.list('zipcodes', { country: 'CN' }), { zipcodes: ['311300', '311500'], total: 2 })
  t.same(codes.autocomplete('3113', { country: 'CN' }).codes.length, 1, 'a list has no sectors')
  t.equal(codes.about().codes, 10)
  for (const code of ['SK1', 'SK1 2AA'])
    t.equal(codes.verify(code, { city: 'Stockport' }, 'GB').city?.verdict, 'match', code)
  t.equal(codes.verify('SK12', { city: 'Poole' }, 'GB').city?.verdict, 'mismatch')
  t.match(codes.autocomplete('SK1 2', { country: 'GB' }).codes, [{ postalCode: 'SK1 2AA' }])
  await codes.close()
})

t.test('full codes of Brazil and Argentina lead to their city in the default index', async t => {
  const codes = openIndex(DEFAULT_INDEX)
  const cities: [code: string | number, city: string, ST: string, ...position: number[]][] = [
    ['01310-100', 'São Paulo', 'SP', -23.5, -46.6],
    [1310100, 'São Paulo', 'SP', -23.5, -46.6],
    ['08210-000', 'São Paulo', 'SP', -23.5, -46.6],
    ['69310-000', 'Boa Vista', 'RR', 2.8, -60.7],
    ['70910-900', 'Brasília', 'DF', -15.8, -47.9],
    ['76801-059', 'Porto Velho', 'RO', -8.8, -63.9],
    ['59140-000', 'Parnamirim', 'RN', -5.9, -35.3],
  ]
  for (const [code, city, ST, lat, lon] of cities) {
    const found = codes.lookup(code, 'BR')
    t.match(found, { city, ST }, `${code}`)
    t.ok(kmBetween({ lat, lon }, { lat: found?.latitude ?? 0, lon: found?.longitude ?? 0 }) < 20, city)
  }
  for (const code of ['00000-000', '99999-999', '72000-000']) t.notOk(codes.validate(code, 'BR'), code)
  t.match(codes.lookup('C1425DKB', 'AR'), { city: 'Buenos Aires', state: 'Ciudad Autónoma de Buenos Aires' })
  for (const code of ['5000', 'X5000', 'X5000ABC', 'AR-5000', 'C1425']) t.ok(codes.validate(code, 'AR'), code)
  for (const code of ['B5000', 'B5000ABC', 'X1425', 'X1425DKB'])
    t.notOk(codes.validate(code, 'AR'), `${code} has the letter of another province`)
  await codes.close()
})

t.test('names in capitals and without accents are spelled as the gazetteer does', async t => {
  const names = async (country: string, ...names: readonly string[]) => {
    const rows = names.map((name, i) => row(country, String(1000 + i), name))
    const codes = await codesOf(rows, { sources: [sourceOf('best', rows)] })
    return [...codes.values()].map(({ places }) => places[0].name)
  }
  t.strictSame(await names('AR', 'CORDOBA', 'PASO DEL REY'), ['Córdoba', 'Paso del Rey'])
  t.strictSame(await names('CO', 'Medellin', 'Cali'), ['Medellín', 'Cali'])
  const swedish = ['Uppsala', 'Lund', 'Luleå', 'IKEA HK']
  t.strictSame(await names('SE', 'STOCKHOLM', ...swedish), ['Stockholm', ...swedish])
  t.strictSame(await names('US', 'Canon City'), ['Canon City'], 'the spelling of its post')
})

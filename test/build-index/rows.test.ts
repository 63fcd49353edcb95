import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { buildIndex, sourcesWithout } from '../../build-index/build/build.ts'
import { BuildReport } from '../../build-index/build-report.ts'
import { expectLittleLoss } from '../../build-index/check/loss.ts'
import { kmBetween } from '../../build-index/distance.ts'
import type { CodeRules, CountryModel } from '../../build-index/model.ts'
import { areShort, codeRules, maskOf } from '../../build-index/rows/code-rules.ts'
import { normaliser } from '../../build-index/rows/normal-form.ts'
import { row } from '../../datasets/row.ts'
import type { IsoArea, Row, Source } from '../../datasets/source.ts'
import { HEADER } from '../../src/postal/format/layout.ts'
import { openIndex } from '../../src/postal/library/node.ts'
import { cityKey } from '../../src/postal/text/city.ts'
import { formatCode } from '../../src/postal/text/mask.ts'
import { code, country, place } from '../support/countries.ts'
import { DEFAULT_INDEX } from '../support/default-index.ts'
import { writeIndex } from '../support/fixture-index.ts'
import { codesOf, countryModels, type ModelOptions, positionOf } from '../support/models.ts'
import { reseal } from '../support/sealed-file.ts'
import { sourceOf } from '../support/sources.ts'

const dir = t.testdir({})

function writeGermanIndex(name: string, keys: readonly string[]): string {
  mkdirSync(join(dir, name))
  return writeIndex(join(dir, name), [
    country(
      'DE',
      keys.map(key => code(key, [place('Berlin')])),
    ),
  ])
}

const large = writeGermanIndex('large', ['10115', '10117', '10119'])
const small = writeGermanIndex('small', ['10115'])

t.test('a damaged index or another version is replaced, and the summary says so', async t => {
  const sound = readFileSync(large)
  const older = join(dir, 'older.postrie')
  writeFileSync(
    older,
    reseal(sound, file => file.writeUInt32LE(2, HEADER.version)),
  )
  t.match(expectLittleLoss(older, small, false), [/was not compared.*older\.postrie: has format version 2/])
  const damaged = join(dir, 'damaged.postrie')
  writeFileSync(damaged, sound.subarray(0, sound.length - 9))
  t.match(expectLittleLoss(damaged, small, false), [/was not compared.*cut short/])
})

t.test('a country of an excluded source is unknown', async t => {
  const sources = [sourceOf('a', [row('BV', '1000', 'A')]), sourceOf('b', [row('HM', '1000', 'B')])]
  const options = { output: join(dir, 'none.postrie'), countries: ['HM'] }
  const some = buildIndex({ ...options, sources: sourcesWithout(sources, ['b']) })
  await t.rejects(some, /unknown country HM; known are BV$/)
})

const CASES: [country: string, codes: string[], rules: CodeRules, written: string[], short: boolean][] = [
  ['US', ['90210', '00501'], rules(5, 'US ZIP', ['NNNN'], []), ['90210', '00501'], false],
  ['JP', ['100-0001'], rules(7, 'JP', [], []), ['1000001'], false],
  ['PL', ['00-001'], rules(5, 'PL', [], ['##-###']), ['00-001'], false],
  ['PT', ['1000-001'], rules(7, 'PT P CP', [], ['####-###']), ['1000-001'], false],
  ['BR', ['01310'], rules(5, 'BR CEP', ['NNN'], []), ['01310'], true],
  ['BR', ['01310', '01310-100'], rules(8, 'BR CEP', ['NNN'], ['#####-###']), ['01310', '01310-100'], false],
  ['SE', ['114 55'], rules(5, 'SE S', [], ['### ##']), ['114 55'], false],
  ['LV', ['LV-1001'], rules(4, 'LV', [], ['LV-####']), ['LV-1001'], false],
  ['AD', ['AD100'], rules(3, 'AD', [], ['AD###']), ['AD100'], false],
  ['GB', ['SW1A', 'M1', 'EC1Y', 'B33'], rules(0, '', ['NAA'], []), ['SW1A', 'M1', 'EC1Y', 'B33'], true],
  ['GB', ['SW1A 1AA', 'M1 1AE'], rules(0, '', [], ['## ###', '#### ###']), ['SW1A 1AA', 'M1 1AE'], false],
  ['CA', ['K1A', 'M5V'], rules(0, '', ['NAN'], []), ['K1A', 'M5V'], true],
  ['IE', ['D02', 'D6W'], rules(0, '', ['XXXX'], []), ['D02', 'D6W'], true],
  ['NL', ['1012'], rules(4, 'NL', ['AA'], []), ['1012'], true],
  ['NL', ['1012 AB'], rules(0, '', [], ['#### ##']), ['1012 AB'], false],
  ['MT', ['VLT', 'ATD'], rules(0, '', ['NN', 'NNN', 'NNNN'], []), ['VLT', 'ATD'], true],
  ['TW', ['100'], rules(3, 'TW', ['NN', 'NNN'], []), ['100'], false],
]

/** @param prefixes separated by spaces */
function rules(padTo: number, prefixes: string, tails: string[], masks: string[]): CodeRules {
  return { padTo, prefixes: prefixes.split(' ').filter(prefix => prefix !== ''), tails, masks }
}

t.test('rules and written forms come from the codes of a source', async t => {
  for (const [country, codes, expected, written, short] of CASES) {
    const normalise = normaliser(country)
    const forms = new Map<string, number>()
    const keys = codes.map(code => {
      const key = normalise(code)?.key ?? ''
      const mask = maskOf(code, key)
      forms.set(mask, (forms.get(mask) ?? 0) + 1)
      return key
    })
    const found = codeRules(country, keys, forms)
    t.same(found, expected, `${country} ${codes}`)
    t.same(
      keys.map(key => formatCode(key, found.masks)),
      written,
      `${country} written`,
    )
    t.equal(areShort(country, keys, found), short, `${country} short`)
  }
})

t.test('one full code does not turn the short codes of a country into short forms', async t => {
  const keys = Array.from({ length: 300 }, (_, i) => `K${i % 10}${String.fromCharCode(65 + (i % 26))}`)
  t.same(codeRules('CA', [...keys, 'H0H0H0'], new Map()).tails, ['NAN'])
})

t.test('codes of a source become keys', async t => {
  const cases: [country: string, code: string, key: string | undefined, kind?: string][] = [
    ['FR', '75021 CEDEX 01', '75021', 'unique'],
    ['FR', '75700 SP 07', '75700', 'military'],
    ['LU', 'L-4968', '4968'],
    ['MX', '1000', '01000'],
    ['IM', 'IM1', 'IM1'],
    ['MT', 'VLT 1000', 'VLT1000'],
    ['US', '902', '902'],
    ['US', '90210-1234-5678', undefined],
    ['GB', 'SW1A/1AA', undefined],
  ]
  for (const [country, code, key, kind = ''] of cases) {
    const form = normaliser(country)(code)
    t.equal(form?.key, key, `${country} ${code}`)
    if (form !== null) t.equal(form.kind, kind)
  }
})

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
  t.match(codes.autocomplete('01000-000', { country: 'BR' }).codes, [{ postalCode: '01000-000' }])
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

async function areaNames(rows: readonly Row[], more: Partial<Source> = {}) {
  for await (const model of countryModels({ sources: [sourceOf('s', rows, more)] })) return model.areaNames
  throw new Error('no country was built')
}

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

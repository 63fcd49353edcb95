import t from 'tap'
import type { CodeModel } from '../../build-index/model.ts'
import { row } from '../../datasets/row.ts'
import type { Row } from '../../datasets/source.ts'
import { codesOf, kmOff, largestPlace, positionOf } from '../support/models.ts'
import { sourceOf } from '../support/sources.ts'

/** Returns a code at the gazetteer's position of the place. */
const rowAt = (country: string, code: string, name: string, fields: Partial<Row> = {}) =>
  row(country, code, name, { ...positionOf(country, name), ...fields })

t.test('the gazetteer gives level 2 to places whose rows have only level 1', async t => {
  const bavaria = { name1: 'Bayern', code1: 'BY' }
  const codes = await codesOf([
    rowAt('DE', '97070', 'Würzburg', bavaria),
    rowAt('DE', '93047', 'Regensburg', bavaria),
    rowAt('DE', '83022', 'Rosenheim', { ...bavaria, name2: 'Its own' }),
    rowAt('DE', '84028', 'Landshut', bavaria),
    row('DE', '84029', 'Weiler Ohne Eintrag', { ...bavaria, lat: 48.54, lon: 12.15 }),
    row('DE', '84030', 'Nirgends', bavaria),
  ])
  const level2 = (key: string) => codes.get(key)?.places[0].admin
  t.match(level2('97070'), { name1: 'Bayern', name2: 'Regierungsbezirk Unterfranken', code2: '096' })
  t.match(level2('93047'), { name2: 'Upper Palatinate', code2: '093' })
  t.match(level2('83022'), { name2: 'Its own', code2: '' }, 'a field of a row stays')
  t.match(level2('84029'), { name2: 'Lower Bavaria' }, 'the area of the adjacent place')
  t.match(level2('84030'), { name2: '', code2: '' }, 'an estimate gives no area')
})

t.test("areas with the gazetteer's numbers get its names", async t => {
  const divided = { code1: '91' }
  const level2 = async (others: string, key = '40377') => {
    const codes = await codesOf([
      rowAt('ID', '40377', 'Bandung', { code1: '32', code2: '3273' }),
      rowAt('ID', '98312', 'Manokwari', { ...divided, code2: '9105' }),
      rowAt('ID', '99111', 'Jayapura', { ...divided, code2: largestPlace('ID', 'Jayapura').admin2 }),
      ...['Semarang', 'Surabaya', 'Medan'].map((name, i) =>
        rowAt('ID', `${i}0111`, name, { code1: String(i), code2: others || largestPlace('ID', name).admin2 }),
      ),
    ])
    return codes.get(key)?.places[0].admin
  }
  t.match(await level2(''), { name1: 'West Java', code1: 'JB', name2: 'Kota Bandung', code2: '3273' })
  t.match(await level2('', '98312'), { name1: 'West Papua' }, 'a number that two provinces share')
  t.match(await level2('9999'), { name1: '', name2: '' }, 'numbers of another list are ignored')
})

t.test('a code between places of similar height gets their elevation', async t => {
  // Szarvas and the towns around it lie in the Great Plain, between 80 and 90 m.
  const codes = await codesOf([row('HU', '5542', 'Tanya', { lat: 46.93, lon: 20.62 })])
  const elevation = codes.get('5542')?.elevation ?? Number.NaN
  t.ok(elevation >= 75 && elevation <= 95, `${elevation} m`)
})

t.test('the accuracy of a position depends on the places there', async t => {
  const salzburg = { name1: 'Salzburg', code1: '5' }
  const { lat, lon } = largestPlace('AT', 'Linz')
  const codes = await codesOf([
    rowAt('AT', '4020', 'Linz', { accuracy: 4 }),
    row('AT', '4030', 'Linz', { lat: lat - 0.04, lon, accuracy: 4 }),
    row('AT', '4400', 'Hof A', { lat: 48.05, lon: 14.42 }),
    row('AT', '4401', 'Hof B', { lat: 48.05, lon: 14.42 }),
    row('AT', '4402', 'Hof C', { lat: 48.07, lon: 14.45, accuracy: 6 }),
    row('AT', '4403', 'Hof D', { lat: 48.08, lon: 14.47, accuracy: 4 }),
    rowAt('AT', '5020', 'Salzburg', { ...salzburg, accuracy: 1 }),
    row('AT', '5021', 'Hof E', { ...salzburg, lat: 47.83, lon: 13.06, accuracy: 1 }),
  ])
  const grades = Object.fromEntries(Array.from(codes, ([key, { accuracy }]) => [key, accuracy]))
  t.same(grades, {
    4020: 'place',
    4030: 'code',
    4400: 'area',
    4401: 'area',
    4402: 'code',
    4403: 'place',
    5020: 'place',
    5021: 'area',
  })
})

t.test('the area follows the position, where another source says another area', async t => {
  const western = { name1: 'Western Australia', code1: 'WA' }
  const rows = [rowAt('AU', '6000', 'Perth', western), rowAt('AU', '6007', 'Leederville', western)]
  const perth = positionOf('AU', 'Perth')
  const second = [
    row('AU', '6000', 'Perth', { code1: 'WA', name2: 'Vincent', ...perth, lat: perth.lat + 0.01 }),
    row('AU', '6007', 'Leederville', { code1: 'WA', name2: 'Vincent' }),
    row('AU', '6001', 'Perth', { code1: 'WA', name2: 'Perth' }),
  ]
  const sources = [
    sourceOf('best', [...rows, rowAt('AU', '6001', 'Perth', western)]),
    sourceOf('areas', second),
  ]
  const codes = await codesOf(rows, { sources })
  const { admin } = codes.get('6000')?.places[0] ?? {}
  t.equal(admin?.name2, 'Perth')
  t.notOk(
    codes.get('6000')?.places.some(({ name }) => name === 'Vincent'),
    'and it is no place of the code',
  )
  t.equal(codes.get('6007')?.places[0].admin.name2, 'Vincent')
})

t.test('a code of boxes has the areas of the post, not those of a measured point', async t => {
  const far = { name1: 'Southern Savonia', name2: 'Pieksämäki', lat: 62.16, lon: 27.2, accuracy: 6 }
  const rows = [row('FI', '00101', 'Helsinki', far), rowAt('FI', '00100', 'Helsinki', { name1: 'Uusimaa' })]
  const post = row('FI', '00101', 'Helsinki', { name1: 'Uusimaa', name2: 'Helsinki', kind: 'box' })
  const codes = await codesOf(rows, { sources: [sourceOf('best', rows), sourceOf('post', [post])] })
  const { lat = 0, places } = codes.get('00101') ?? {}
  t.equal(Math.round(lat), 60)
  t.match(places, [{ admin: { name1: 'Uusimaa', name2: 'Helsinki' } }])
  const there = [
    row('FI', '39501', 'Ikaalinen', { name2: 'Ikaalinen', lat: 61.7703, lon: 23.06, accuracy: 6 }),
  ]
  const box = row('FI', '39501', 'Ikaalinen', { name2: 'Ikaalinen', kind: 'box' })
  const measured = await codesOf(there, { sources: [sourceOf('best', there), sourceOf('post', [box])] })
  t.match(
    measured.get('39501'),
    { lat: 61.7703, lon: 23.06 },
    'a point in the municipality of the post stays',
  )
})

t.test(
  'towns have their own area where the rows of a country are doubtful, or have the namesake',
  async t => {
    const litchfield = { name1: 'Northern Territory', name2: 'Litchfield', code2: '72300' }
    const australia = await codesOf([rowAt('AU', '0830', 'Palmerston', litchfield)])
    t.match(australia.get('0830')?.places[0].admin, { name2: 'Palmerston', code2: '72800' })
    const malang = { code1: '35', code2: '3573' }
    const indonesia = await codesOf([
      rowAt('ID', '65162', 'Pakisaji', malang),
      ...['Malang', 'Surabaya', 'Medan', 'Semarang', 'Bandung'].map((name, i) =>
        rowAt('ID', `6511${i}`, name, { code1: String(i), code2: largestPlace('ID', name).admin2 }),
      ),
    ])
    t.match(indonesia.get('65162')?.places[0].admin, { name2: 'Kabupaten Malang', code2: '3507' })
  },
)

t.test('Sark has no parish, and borders of zones follow areas', async t => {
  const guernsey = await codesOf([
    rowAt('GG', 'GY2', 'Saint Sampson'),
    row('GG', 'GY9', 'Alderney', { lat: 49.71, lon: -2.2 }),
    row('GG', 'GY10', 'Sark', { lat: 49.71, lon: -2.2 }),
  ])
  t.match(guernsey.get('GY10')?.places[0].admin, { name1: '' })
  for (const [country, town, zone] of [
    ['CL', 'Futaleufú', 'America/Santiago'],
    ['MX', 'Ejido Benito Juárez', 'America/Chihuahua'],
    ['US', 'El Cenizo', 'America/Chicago'],
  ])
    t.equal(largestPlace(country, town).timezone, zone, town)
})

t.test('a row far from the code gives it no area', async t => {
  const tasmania = { name1: 'Tasmania', code1: 'TAS' }
  const far = row('AU', '7001', 'Hobart', { code1: 'TAS', name2: 'Huon Valley', lat: -43.54, lon: 146.36 })
  const rows = [rowAt('AU', '7001', 'Hobart', tasmania)]
  const sources = [sourceOf('best', rows), sourceOf('areas', [far])]
  t.not((await codesOf(rows, { sources })).get('7001')?.places[0].admin.name2, 'Huon Valley')
})

t.test('level 1 is no abbreviation of the country, and its kind has one casing', async t => {
  const virgin = await codesOf([
    rowAt('VI', '00801', 'Charlotte Amalie', { name1: 'Vi', name2: 'St. Thomas' }),
  ])
  t.equal(virgin.get('00801')?.places[0].admin.name1, 'St. Thomas')
  const russia = await codesOf([
    rowAt('RU', '170000', 'Tver', { name1: 'Тверская Область' }),
    rowAt('RU', '644000', 'Omsk', { name1: 'Омская область' }),
    rowAt('RU', '628400', 'Surgut', { name1: 'Тюменская Область' }),
  ])
  t.equal(russia.get('170000')?.places[0].admin.name1, 'Тверская область')
  t.equal(russia.get('628400')?.places[0].admin.name1, 'Ханты-Мансийский автономный округ')
})

const PUNJAB = { name1: 'Punjab', code1: '04' }
const BAVARIA = { name1: 'Bayern', code1: 'BY' }

/** Rows of places at their own positions. They show where their area lies. */
function knownRows(country: string, first: number, fields: object, names: readonly string[]): Row[] {
  return names.map((name, i) =>
    row(country, String(first + i), name, { ...fields, ...positionOf(country, name), accuracy: 4 }),
  )
}

async function buildCodes(rows: readonly Row[], other: readonly Row[] = []): Promise<Map<string, CodeModel>> {
  const sources = [
    sourceOf('best', rows, { attribution: 'one' }),
    sourceOf('other', other, { attribution: 'another' }),
  ]
  return codesOf(rows, { sources })
}

const PAKISTAN = knownRows('PK', 38000, PUNJAB, ['Faisalabad', 'Jaranwala', 'Gojra', 'Sargodha', 'Multan'])

t.test('two witnesses outvote the position of a source', async t => {
  const kasur = positionOf('PK', 'Kasur')
  const off = { lat: kasur.lat, lon: kasur.lon - 0.4 }
  const found = async (name: string, accuracy: number, other: { lat: number; lon: number } | undefined) => {
    const own = row('PK', '55050', name, { ...PUNJAB, ...off, accuracy })
    return (await buildCodes([...PAKISTAN, own], other ? [row('PK', '55050', '', other)] : [])).get('55050')
  }
  const near = { lat: kasur.lat + 0.05, lon: kasur.lon }
  t.match(await found('Kasur', 4, near), kasur, 'the gazetteer and another source')
  t.match(await found('Kasur Gpo', 4, near), kasur, "by the town of a post office's name")
  t.match(await found('Kasur Engineering University', 1, near), kasur, 'the beginning of the name counts')
  t.match(await found('Kasur', 4, off), off, 'two sources count like a source and the gazetteer')
  t.match(await found('Nowhere', 4, near), off, 'another source alone does not outvote it')
})

t.test('adjacent codes and the gazetteer outvote a source', async t => {
  const area = { name1: 'Sinaloa', code1: 'SIN', name2: 'Mazatlán', code2: '012' }
  const mazatlan = positionOf('MX', 'Mazatlán')
  const near = Array.from({ length: 8 }, (_, i) =>
    row('MX', String(82210 + i), 'Mazatlán', { ...area, ...mazatlan, lon: mazatlan.lon + i / 500 }),
  )
  const found = async (degrees: number) => {
    const own = row('MX', '82214', 'Mazatlán', { ...area, ...mazatlan, lon: mazatlan.lon + degrees })
    return (await buildCodes([...near.filter(({ code }) => code !== own.code), own])).get(own.code)
  }
  t.match(await found(0.4), mazatlan, 'a village of the same municipality is not meant')
  t.match(await found(0.2), { lon: mazatlan.lon + 0.2 }, 'a suburb stays')
})

t.test('an estimate is replaced by the place of the code in the same municipality', async t => {
  const area = { name1: 'Coahuila', code1: 'COA', name2: 'Saltillo', code2: '030' }
  const saltillo = positionOf('MX', 'Saltillo')
  const rows = knownRows('MX', 25300, area, ['Saltillo', 'Agua Nueva'])
  const off = { lat: saltillo.lat - 0.2, lon: saltillo.lon }
  const found = async (accuracy: number) => {
    const own = row('MX', '25090', 'Saltillo', { ...area, ...off, accuracy })
    return (await buildCodes([...rows, own])).get('25090')
  }
  t.match(await found(1), { ...saltillo, accuracy: 'place' })
  t.match(await found(4), off, 'the point of a quarter stays')
})

t.test('a point that two names share is replaced by the point of the one place', async t => {
  const area = { name1: 'Andhra Pradesh', code1: 'AP', name2: 'Chittoor', code2: '554' }
  const tirupati = positionOf('IN', 'Tirupati')
  const off = { lat: tirupati.lat - 0.15, lon: tirupati.lon - 0.4, accuracy: 3 }
  const codes = await buildCodes([
    ...knownRows('IN', 517100, area, ['Madanapalle', 'Palmaner', 'Nagari', 'Renigunta', 'Kuppam']),
    row('IN', '517501', 'Tirupati', { ...area, ...off }),
    row('IN', '517504', 'Nowhere', { ...area, ...off }),
  ])
  t.match(codes.get('517501'), tirupati)
  t.match(codes.get('517504'), { lat: off.lat })
})

t.test('an estimate that another source contradicts is removed', async t => {
  const own = { ...PUNJAB, lat: 31.4, lon: 72.5, accuracy: 1 }
  const found = async (kmEast: number) => {
    const other = row('PK', '38990', '', { lat: 31.4, lon: 72.5 + kmEast / 95 })
    return (await buildCodes([...PAKISTAN, row('PK', '38990', 'Nowhere', own)], [other])).get('38990')
  }
  t.match(await found(15), { lat: 31.4, accuracy: 'area' })
  t.match(await found(60), { lat: Number.NaN, accuracy: '' }, 'neither source is confirmed')
})

t.test('adjacent codes do not confirm a namesake that all of them have', async t => {
  const rosenheim = positionOf('DE', 'Rosenheim')
  const around = [83022, 83023, 83024, 83040, 83041, 83042].map((code, i) =>
    row('DE', String(code), `Hof ${i}`, { ...BAVARIA, lat: rosenheim.lat + i / 100, lon: rosenheim.lon }),
  )
  const run = Array.from({ length: 9 }, (_, i) => row('DE', String(83030 + i), 'Landshut', BAVARIA))
  const other = knownRows('DE', 84000, BAVARIA, ['Dingolfing', 'Moosburg', 'Straubing'])
  const codes = await buildCodes([...around, ...run, ...other])
  for (const { code } of run)
    t.notOk(kmOff(codes.get(code), positionOf('DE', 'Landshut')) < 45, `${code} is not in Landshut`)
})

t.test('the main place of a large code keeps its own point', async t => {
  const area = { name1: 'Victoria', code1: 'VIC', name2: 'Horsham' }
  const horsham = positionOf('AU', 'Horsham')
  const villages = Array.from({ length: 5 }, (_, i) =>
    row('AU', '3400', `Hamlet ${i}`, { ...area, lat: horsham.lat + 0.25, lon: horsham.lon + i / 100 }),
  )
  const codes = await buildCodes([row('AU', '3400', 'Horsham', { ...area, ...horsham }), ...villages])
  t.match(codes.get('3400'), { places: [{ name: 'Horsham' }], ...horsham })
})

t.test('an estimate far from all adjacent codes is removed, even if a source repeats it', async t => {
  const towns = ['Rosenheim', 'Kolbermoor', 'Bad Aibling', 'Stephanskirchen', 'Raubling', 'Prien am Chiemsee']
  const near = knownRows('DE', 83022, BAVARIA, towns)
  const far = { lat: positionOf('DE', 'Hof').lat, lon: positionOf('DE', 'Hof').lon + 0.1 }
  for (const [accuracy, isKept] of [
    [1, false],
    [4, true],
  ] as const) {
    const own = row('DE', '83025', 'Nirgendsweiler', { ...BAVARIA, ...far, accuracy })
    const rows = [...near.filter(({ code }) => code !== own.code), own]
    const found = (await buildCodes(rows, [row('DE', own.code, '', far)])).get(own.code)
    t.equal(found?.lat === far.lat, isKept, `accuracy ${accuracy}`)
  }
})

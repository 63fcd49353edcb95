import t from 'tap'
import { row } from '../../datasets/row.ts'
import type { Row } from '../../datasets/source.ts'
import { codesOf, largestPlace, positionOf } from '../support/models.ts'
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

t.test('counties of the US are named without their kind', async t => {
  const codes = await codesOf([
    rowAt('US', '70112', 'New Orleans', { name1: 'Louisiana', code1: 'LA' }),
    rowAt('US', '90001', 'Los Angeles', { name1: 'California', code1: 'CA' }),
  ])
  t.match(codes.get('70112')?.places[0].admin, { name2: 'Orleans' })
  t.match(codes.get('90001')?.places[0].admin, { name2: 'Los Angeles' })
})

t.test('places without level 1 get it from the places that have it', async t => {
  const vestland = { name1: 'Vestland', code1: '46' }
  const codes = await codesOf([
    rowAt('NO', '5003', 'Bergen', vestland),
    rowAt('NO', '5700', 'Voss', vestland),
    rowAt('NO', '6800', 'Førde'),
    rowAt('NO', '4006', 'Stavanger'),
  ])
  t.match(codes.get('6800')?.places[0].admin, vestland, 'the name in other rows')
  t.match(codes.get('4006')?.places[0].admin, { name1: 'Rogaland' }, 'the name in the gazetteer')
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

t.test('level 2 in Brazil is the municipality', async t => {
  const codes = await codesOf([
    rowAt('BR', '37540000', 'Santa Rita do Sapucaí', { name1: 'Minas Gerais', code1: 'MG' }),
  ])
  t.match(codes.get('37540000')?.places[0].admin, {
    name2: 'Santa Rita do Sapucaí',
    extra: { municipality: 'Santa Rita do Sapucaí' },
  })
})

t.test('a code between places of similar height gets their elevation', async t => {
  // Szarvas and the towns around it lie in the Great Plain, between 80 and 90 m.
  const codes = await codesOf([row('HU', '5542', 'Tanya', { lat: 46.93, lon: 20.62 })])
  const elevation = codes.get('5542')?.elevation ?? Number.NaN
  t.ok(elevation >= 75 && elevation <= 95, `${elevation} m`)
})

t.test('the grade of a position depends on the places there', async t => {
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
  const grades = Object.fromEntries(Array.from(codes, ([key, { grade }]) => [key, grade]))
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

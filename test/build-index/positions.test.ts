/** Every test builds made-up rows with the real gazetteer. */
import t from 'tap'
import type { CodeModel } from '../../build-index/model.ts'
import { citiesOf } from '../../datasets/reference/cities-500.ts'
import { row } from '../../datasets/row.ts'
import type { Row } from '../../datasets/source.ts'
import { codesOf, codesWith, kmOff, largestPlace, positionOf } from '../support/models.ts'
import { sourceOf } from '../support/sources.ts'

const NUEVO_LEON = { name1: 'Nuevo León', code1: 'NLE' }
const JALISCO = { name1: 'Jalisco', code1: 'JAL' }
/** Numbers of both areas in the gazetteer. */
const ADMIN1: Readonly<Record<string, string>> = { NLE: '19', JAL: '14' }

const UPPER_BAVARIA = { name1: 'Bayern', code1: 'BY', name2: 'Oberbayern' }
const ROSENHEIM = positionOf('DE', 'Rosenheim')

/** Eight codes beside Rosenheim. @param east returns the degrees from its point */
const gutRows = (east: (i: number) => number): Row[] =>
  Array.from('ABCDEFGH', (letter, i) => {
    const point = { lat: ROSENHEIM.lat, lon: ROSENHEIM.lon + east(i), accuracy: 6 }
    return row('DE', String(83022 + i), `Gut ${letter}`, { ...UPPER_BAVARIA, ...point })
  })

/** Rows of places at their positions in the gazetteer. They show where their area lies. */
function knownRows(first: number, fields: typeof JALISCO, names: readonly string[]): Row[] {
  return names.map((name, i) => {
    const { lat, lon } = largestPlace('MX', name, ADMIN1[fields.code1])
    return row('MX', String(first + i), name, { ...fields, lat, lon })
  })
}

t.test('a namesake in another area gives no position', async t => {
  const codes = await codesOf([
    ...knownRows(64700, NUEVO_LEON, ['Monterrey', 'San Pedro Garza García', 'Linares', 'Montemorelos']),
    ...knownRows(44700, JALISCO, ['Guadalajara', 'Zapopan', 'Puerto Vallarta', 'Tequila']),
    row('MX', '66999', 'Tequila', NUEVO_LEON),
    row('MX', '66998', 'Nowhere', { ...NUEVO_LEON, name2: 'Puerto Vallarta' }),
  ])
  const jalisco = largestPlace('MX', 'Tequila', ADMIN1.JAL)
  for (const key of ['66999', '66998'])
    t.notOk(kmOff(codes.get(key), jalisco) < 300, `${key} is not in Jalisco`)
})

t.test("a source's position in another area is replaced by the place's", async t => {
  const { lat, lon } = largestPlace('MX', 'Guadalajara', ADMIN1.JAL)
  const monterrey = largestPlace('MX', 'Monterrey', ADMIN1.NLE)
  const rows = knownRows(64700, NUEVO_LEON, ['San Pedro Garza García', 'Linares', 'Montemorelos'])
  const codes = await codesOf([
    ...rows,
    ...knownRows(44700, JALISCO, ['Guadalajara', 'Zapopan', 'Puerto Vallarta', 'Tequila']),
    row('MX', '64000', 'Monterrey', { ...NUEVO_LEON, lat, lon }),
    row('MX', '64999', 'Nowhere At All', { ...NUEVO_LEON, lat, lon }),
  ])
  t.match(codes.get('64000'), { lat: monterrey.lat, lon: monterrey.lon, accuracy: 'place' })
  t.match(codes.get('64999'), { lat: Number.NaN, accuracy: '' }, 'no position is better than a wrong one')
  for (const { code, lat, lon } of rows) t.match(codes.get(code), { lat, lon }, `${code} stays`)
})

t.test('a position far from its neighbours and its district is replaced by their middle', async t => {
  const { lat, lon } = ROSENHEIM
  const near = Array.from({ length: 10 }, (_, i) =>
    row('DE', String(83022 + i), `Hof ${i}`, { ...UPPER_BAVARIA, lat: lat + i / 1000, lon, accuracy: 6 }),
  )
  const bayreuth = largestPlace('DE', 'Bayreuth')
  const wrong = row('DE', '83026', 'Hof X', { ...UPPER_BAVARIA, lat: bayreuth.lat, lon: bayreuth.lon })
  const island = row('DE', '83027', 'Hof Y', { ...wrong, code: '83027', accuracy: 6 })
  const codes = await codesOf([...near.filter(({ code }) => !/^8302[67]/.test(code)), wrong, island])
  t.match(codes.get('83027'), { lat: bayreuth.lat, accuracy: 'code' }, 'the middle of addresses stays')
  t.ok(kmOff(codes.get('83026'), { lat, lon }) < 5)
  t.match(codes.get('83026'), { accuracy: 'area' }, 'as an estimate')
})

t.test('an estimate has a radius, and a radius that is too large removes it', async t => {
  /** Returns eight codes, each `degrees` west of the last one, and a code without a position. */
  const codes = (degrees: number, points = 8) =>
    codesOf([...gutRows(i => -degrees * Math.min(i, points - 1)), row('DE', '83099', 'Gut Z', UPPER_BAVARIA)])
  t.match((await codes(0.02)).get('83099'), { accuracy: 'area' }, 'the others lie close together')
  t.match((await codes(0.5)).get('83099'), { lat: Number.NaN, accuracy: '' }, 'they lie far apart')
  t.match(
    (await codes(0.02, 2)).get('83099'),
    { lat: Number.NaN, accuracy: '' },
    'two points are two witnesses, however many codes share them',
  )
})

t.test('a code lies where most of its places lie', async t => {
  const { lat, lon } = largestPlace('MX', 'Monterrey', ADMIN1.NLE)
  /** A code of four districts of Monterrey with distinct points. Some of the points lie elsewhere. */
  const code = async (elsewhere: number) => {
    const codes = await codesOf([
      ...knownRows(64700, NUEVO_LEON, ['Monterrey', 'San Pedro Garza García', 'Linares', 'Montemorelos']),
      ...Array.from({ length: 4 }, (_, i) =>
        row('MX', '64710', `Colonia ${i}`, {
          ...NUEVO_LEON,
          lat: i < elsewhere ? lat - 0.5 - i : lat,
          lon: lon + i / 100,
          accuracy: 4,
        }),
      ),
    ])
    const { lat: found = Number.NaN } = codes.get('64710') ?? {}
    return Math.round((lat - found) * 10) / 10
  }
  t.equal(await code(0), 0)
  t.equal(await code(1), 0, 'one of four is wrong')
  t.equal(await code(2), 0.5, 'two against two: the first place stays')
})

t.test('the first digits of a code decide between two areas', async t => {
  const [linares, tequila] = [
    largestPlace('MX', 'Linares', ADMIN1.NLE),
    largestPlace('MX', 'Tequila', ADMIN1.JAL),
  ]
  const codes = await codesOf([
    ...knownRows(64700, NUEVO_LEON, ['Monterrey', 'San Pedro Garza García', 'Montemorelos']),
    ...knownRows(44700, JALISCO, ['Guadalajara', 'Zapopan', 'Puerto Vallarta', 'Tequila']),
    row('MX', '67700', 'Linares', { ...JALISCO, lat: tequila.lat, lon: tequila.lon, accuracy: 1 }),
    row('MX', '67701', 'Tequila', { ...JALISCO, lat: tequila.lat, lon: tequila.lon, accuracy: 1 }),
    row('MX', '67702', 'Linares', { ...JALISCO, lat: linares.lat, lon: linares.lon }),
  ])
  const { lat, lon } = linares
  t.match(codes.get('67700'), { lat, lon, places: [{ name: 'Linares', admin: NUEVO_LEON }] })
  t.not(codes.get('67701')?.places[0].name, 'Tequila', 'a place of the other area')
  t.match(codes.get('67701')?.places[0].admin, NUEVO_LEON)
  t.match(codes.get('67702'), { lat, lon, places: [{ admin: NUEVO_LEON }] }, 'the position is right')
})

t.test('in a known area, another source wins over an estimate', async t => {
  const { lat, lon } = largestPlace('MX', 'Zapopan', ADMIN1.JAL)
  // A district without a city of its name would be the place of a code that has only a hamlet.
  const zapopan = { ...JALISCO, name2: 'Valles', code2: '120' }
  const rows = ['Zapopan', 'Nextipac', 'La Venta del Astillero'].map((name, i) => {
    const { lat, lon } = largestPlace('MX', name, ADMIN1.JAL)
    return row('MX', `4520${i}`, name, { ...zapopan, lat, lon, accuracy: 4 })
  })
  const found = async (attribution: string, accuracy: number, north = 0.2) => {
    const own = row('MX', '45209', 'Nowhere', { ...zapopan, lat: lat + north, lon, accuracy })
    const sources = [
      sourceOf('best', [...rows, own], { attribution: 'the same' }),
      sourceOf('other', [row('MX', '45209', '', { lat, lon })], { attribution }),
    ]
    return (await codesOf(rows, { sources })).get('45209')?.lat
  }
  t.equal(await found('another', 1), lat)
  t.not(await found('positions from the same', 1), lat, 'a copy of its own source is no witness')
  t.equal(await found('another', 4, 0.15), lat + 0.15, 'the point of a place stays')
  t.equal(await found('another', 1, 0.1), lat + 0.1, 'a confirmed estimate stays')
})

t.test("a position that was found by name is not graded as the code's own", async t => {
  const oslo = positionOf('NO', 'Oslo')
  const codes = await codesOf([
    row('NO', '0150', 'Sandvika', { lat: oslo.lat, lon: oslo.lon - 0.3, accuracy: 6 }),
    row('NO', '0151', 'Sandvika', { lat: oslo.lat, lon: oslo.lon - 0.4, accuracy: 6 }),
    row('NO', '0152', 'Oslo', { ...oslo, lon: oslo.lon + 0.01, accuracy: 6 }),
    row('NO', '0153', 'Oslo'),
  ])
  t.match(codes.get('0152'), { accuracy: 'code' })
  t.match(codes.get('0153'), { accuracy: 'place' })
})

t.test('a town that the gazetteer lacks gets the position of a source without postal codes', async t => {
  const rows = [
    row('NO', '0150', 'Oslo', positionOf('NO', 'Oslo')),
    row('NO', '4544', 'Fossdal'),
    row('NO', '4999', 'Two Of Them'),
  ]
  const towns = [
    { name: 'Fossdal', lat: 58.15, lon: 7.2 },
    { name: 'Two of them', lat: 58.15, lon: 7.2 },
    { name: 'Two of them', lat: 58.75, lon: 7.6 },
  ]
  const codes = await codesOf(rows, { sources: [sourceOf('best', rows, { towns: () => towns })] })
  t.match(codes.get('4544'), { lat: 58.15, lon: 7.2, accuracy: 'place' })
  t.match(codes.get('4999'), { lat: Number.NaN }, 'two towns have the name')
})

t.test("a weak source's town does not second its own point outside a small area", async t => {
  const { lat, lon } = ROSENHEIM
  const rows = gutRows(i => i / 100)
  const far = { lat, lon: lon + 0.25 }
  const found = async (towns: readonly string[]) => {
    const sources = [
      sourceOf('best', [...rows, row('DE', '80999', 'Gut Z', UPPER_BAVARIA)]),
      sourceOf('weak', [row('DE', '80999', '', { ...far, accuracy: 1 })], {
        attribution: 'somebody',
        towns: () => towns.map(name => ({ name, ...far })),
      }),
    ]
    return kmOff((await codesOf(rows, { sources })).get('80999'), { lat, lon: lon + 0.04 })
  }
  t.ok((await found([])) < 5, 'the middle of the area')
  t.ok((await found(['Gut Z'])) < 5, 'the town is the same witness')
})

t.test('in a country without areas, neighbouring codes choose among namesakes', async t => {
  const { lat, lon } = largestPlace('NO', 'Oslo')
  const near = [1300, 1302, 1303, 1305, 1306].map((code, i) =>
    row('NO', String(code), `Gate ${i}`, { lat: lat - 0.01 * i, lon: lon - 0.3 }),
  )
  const codes = await codesOf([...near, row('NO', '1304', 'Sandvika')])
  t.ok(kmOff(codes.get('1304'), { lat, lon }) < 30, 'not in the north')
})

t.test('a position near a border gets the nearest time zone of its country', async t => {
  const codes = await codesOf([
    row('PT', '7200-501', 'Mourão', { name1: 'Évora', lat: 38.3, lon: -7.0 }),
    row('PT', '9500-001', 'Ponta Delgada', { name1: 'Azores', lat: 37.74, lon: -25.67 }),
  ])
  t.equal(codes.get('7200501')?.timezone, 'Europe/Lisbon')
  t.equal(codes.get('9500001')?.timezone, 'Atlantic/Azores')
})

/** Rows of places with a unique name in France, at their own positions, in one department. */
function frenchRows(first: number, number: string, department: string): Row[] {
  const all = citiesOf('FR')
  const names = new Map<string, number>()
  for (const { name } of all) names.set(name, (names.get(name) ?? 0) + 1)
  const places = all.filter(({ name, admin2 }) => admin2 === number && names.get(name) === 1)
  return places.slice(0, 12).map(({ name, lat, lon }, i) => {
    const areas = { name1: 'Normandie', code1: 'NOR', name2: department, code2: number }
    return row('FR', String(first + i * 10), name, { ...areas, lat, lon })
  })
}

t.test('a namesake in another department of the region gives no position', async t => {
  const areas = { name1: 'Normandie', code1: 'NOR', name2: 'Calvados', code2: '14' }
  const codes = await codesOf([
    ...frenchRows(14100, '14', 'Calvados'),
    ...frenchRows(27100, '27', 'Eure'),
    row('FR', '14490', 'Campigny', areas),
  ])
  const namesake = largestPlace('FR', 'Campigny', '28')
  t.notOk(kmOff(codes.get('14490'), namesake) < 30, 'Campigny in Eure is another place')
})

t.test('a point that many offices share does not place the city', async t => {
  const crowd = {
    name1: 'Gujarat',
    name2: 'Surat',
    name3: 'Surat City',
    lat: 21.2623,
    lon: 73.0694,
    accuracy: 1,
  }
  const offices = ['Jhampa', 'Bhagal', 'Muglisara', 'Nawabwadi', 'Aganovad', 'Mahidharpura', 'Bhavanivad']
  const codes = await codesOf(
    ['Surat', ...offices].map((name, i) =>
      row('IN', String(395003 + i), name, { ...crowd, code1: '09', code2: '492' }),
    ),
  )
  t.ok(kmOff(codes.get('395003'), positionOf('IN', 'Surat')) < 1)
})

t.test('villages at one point of another island lie on their own', async t => {
  const azores = { name1: 'Azores', code1: '23' }
  const graciosa = { ...azores, name2: 'Santa Cruz da Graciosa', code2: '4401', lat: 38.6501, lon: -28.1302 }
  const codes = await codesOf([
    ...['Guadalupe', 'Luz', 'São Mateus', 'Fontes', 'Ribeirinha', 'Santa Cruz da Graciosa'].map((name, i) =>
      row('PT', `9880-00${i}`, name, graciosa),
    ),
    ...['Ponta Delgada', 'Horta', 'Angra do Heroísmo', 'Madalena'].map((name, i) =>
      row('PT', `9700-00${i}`, name, { ...azores, ...positionOf('PT', name) }),
    ),
  ])
  const own = positionOf('PT', 'Santa Cruz da Graciosa')
  t.ok(kmOff(codes.get('9880001'), own) < 10, 'a village of the island')
  t.ok(kmOff(codes.get('9880005'), own) < 1)
})

t.test('villages at a wrong point of their district lie at its town', async t => {
  const oblast = { name1: 'Kirovohradska', code1: '10' }
  const towns = citiesOf('UA').filter(({ admin1 }) => admin1 === '10')
  const wrong = { ...oblast, name2: 'Bobrynetskyi', lat: 48.768, lon: 33.8126, accuracy: 1 }
  const codes = await codesOf([
    ...towns.map(({ name, lat, lon }, i) =>
      row('UA', String(25000 + i), name, { ...oblast, name2: `Raion ${i}`, lat, lon, accuracy: 4 }),
    ),
    ...['Дончине', 'Поляна', 'Західне', 'Осикувате', 'Бредихине'].map((name, i) =>
      row('UA', `2723${i}`, name, wrong),
    ),
  ])
  t.ok(kmOff(codes.get('27232'), positionOf('UA', 'Bobrynets')) < 1)
})

t.test('villages after the many codes of a city do not contradict its place', async t => {
  const area = { name1: 'Ставропольский Край', code1: '70' }
  const city = Array.from({ length: 40 }, (_, i) =>
    row('RU', String(355000 + i), `Ставрополь ${i}`, { ...area, lat: 53.5233, lon: 49.4125 }),
  )
  const near = citiesOf('RU').filter(({ admin1 }) => admin1 === '70')
  const villages = near.map(({ name, lat, lon }, i) =>
    row('RU', String(355100 + i), name, { ...area, lat, lon }),
  )
  const codes = await codesOf([...city, ...villages])
  const { lat, lon } = largestPlace('RU', 'Stavropol’', '70')
  t.match(codes.get('355012'), { lat, lon, accuracy: 'place' })
})

t.test('all codes of a city lie around it', async t => {
  const codes = await codesOf([
    row('ID', '40111', 'Braga', { code1: '32', code2: '3273', lat: -7.297, lon: 107.9869 }),
    row('ID', '16111', 'Bogor', { code1: '32', code2: '3271', ...positionOf('ID', 'Bogor') }),
  ])
  t.match(codes.get('40111'), positionOf('ID', 'Bandung'), 'not 59 km away')
})

t.test('the middle of a province is no position of its counties', async t => {
  const areas = { name1: 'Sichuan', code1: '32', lat: 30.8018, lon: 104.1426, accuracy: 1 }
  const county = (code: string, name: string, name2 = 'Liangshan Yizu Zizhizhou', code2 = '5134') =>
    row('CN', code, `${name} County`, { ...areas, name2, code2, name3: `${name} Xian` })
  const codes = await codesOf([
    county('615700', 'Yanyuan'),
    county('615800', 'Muli Tibetan Autonomous'),
    county('616400', 'Meigu'),
    county('616500', 'Leibo'),
    county('611700', 'Pi', 'Chengdu Shi', '5101'),
    county('616900', 'Nowhere'),
  ])
  const muli = largestPlace('CN', 'Qiaowa', '32')
  t.match(codes.get('615800'), { lat: muli.lat, lon: muli.lon }, 'by the first word, in its prefecture')
  t.notOk(kmOff(codes.get('616400'), areas) < 200, 'Meigu is not in Chengdu')
  t.match(codes.get('616900'), { lat: Number.NaN, accuracy: '' }, 'none is better than one 350 km away')
})

t.test('if the larger area is older than a reform, the smaller area decides', async t => {
  const eure = frenchRows(27100, '27', 'Eure')
  const wrong = eure.map(row => ({ ...row, name1: 'Bretagne', code1: 'BRE' }))
  const codes = await codesOf([...frenchRows(14100, '14', 'Calvados'), ...wrong])
  for (const { code, lat, lon } of wrong) t.match(codes.get(code), { lat, lon }, `${code} stays`)
})

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
  const codes = await codesWith([...rows, rowAt('AU', '6001', 'Perth', western)], sourceOf('areas', second))
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
  const codes = await codesWith(rows, sourceOf('post', [post]))
  const { lat = 0, places } = codes.get('00101') ?? {}
  t.equal(Math.round(lat), 60)
  t.match(places, [{ admin: { name1: 'Uusimaa', name2: 'Helsinki' } }])
  const there = [
    row('FI', '39501', 'Ikaalinen', { name2: 'Ikaalinen', lat: 61.7703, lon: 23.06, accuracy: 6 }),
  ]
  const box = row('FI', '39501', 'Ikaalinen', { name2: 'Ikaalinen', kind: 'box' })
  const measured = await codesWith(there, sourceOf('post', [box]))
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
  t.not((await codesWith(rows, sourceOf('areas', [far]))).get('7001')?.places[0].admin.name2, 'Huon Valley')
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
function rowsAt(country: string, first: number, fields: object, names: readonly string[]): Row[] {
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

const PAKISTAN = rowsAt('PK', 38000, PUNJAB, ['Faisalabad', 'Jaranwala', 'Gojra', 'Sargodha', 'Multan'])

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
  const rows = rowsAt('MX', 25300, area, ['Saltillo', 'Agua Nueva'])
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
    ...rowsAt('IN', 517100, area, ['Madanapalle', 'Palmaner', 'Nagari', 'Renigunta', 'Kuppam']),
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
  const other = rowsAt('DE', 84000, BAVARIA, ['Dingolfing', 'Moosburg', 'Straubing'])
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
  const near = rowsAt('DE', 83022, BAVARIA, towns)
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

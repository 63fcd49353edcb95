/** Every test builds made-up rows with the real gazetteer. */
import t from 'tap'
import { citiesOf } from '../../datasets/reference/cities-500.ts'
import { row } from '../../datasets/row.ts'
import type { Row } from '../../datasets/source.ts'
import { codesOf, kmOff, largestPlace, positionOf } from '../support/models.ts'
import { sourceOf } from '../support/sources.ts'

const NUEVO_LEON = { name1: 'Nuevo León', code1: 'NLE' }
const JALISCO = { name1: 'Jalisco', code1: 'JAL' }
/** Numbers of both areas in the gazetteer. */
const ADMIN1: Readonly<Record<string, string>> = { NLE: '19', JAL: '14' }

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
  const district = { name1: 'Bayern', code1: 'BY', name2: 'Oberbayern' }
  const { lat, lon } = largestPlace('DE', 'Rosenheim')
  const near = Array.from({ length: 10 }, (_, i) =>
    row('DE', String(83022 + i), `Hof ${i}`, { ...district, lat: lat + i / 1000, lon, accuracy: 6 }),
  )
  const bayreuth = largestPlace('DE', 'Bayreuth')
  const wrong = row('DE', '83026', 'Hof X', { ...district, lat: bayreuth.lat, lon: bayreuth.lon })
  const island = row('DE', '83027', 'Hof Y', { ...wrong, code: '83027', accuracy: 6 })
  const codes = await codesOf([...near.filter(({ code }) => !/^8302[67]/.test(code)), wrong, island])
  t.match(codes.get('83027'), { lat: bayreuth.lat, accuracy: 'code' }, 'the middle of addresses stays')
  t.ok(kmOff(codes.get('83026'), { lat, lon }) < 5)
  t.match(codes.get('83026'), { accuracy: 'area' }, 'as an estimate')
})

t.test('an estimate has a radius, and a radius that is too large removes it', async t => {
  const district = { name1: 'Bayern', code1: 'BY', name2: 'Oberbayern' }
  const { lat, lon } = largestPlace('DE', 'Rosenheim')
  /** Returns eight codes, each `degrees` west of the last one, and a code without a position. */
  const codes = (degrees: number, points = 8) =>
    codesOf([
      ...Array.from({ length: 8 }, (_, i) =>
        row('DE', String(83022 + i), `Gut ${'ABCDEFGH'[i]}`, {
          ...district,
          lat,
          lon: lon - degrees * Math.min(i, points - 1),
          accuracy: 6,
        }),
      ),
      row('DE', '83099', 'Gut Z', district),
    ])
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
  const district = { name1: 'Bayern', code1: 'BY', name2: 'Oberbayern' }
  const { lat, lon } = largestPlace('DE', 'Rosenheim')
  const rows = Array.from({ length: 8 }, (_, i) =>
    row('DE', String(83022 + i), `Gut ${'ABCDEFGH'[i]}`, {
      ...district,
      lat,
      lon: lon + i / 100,
      accuracy: 6,
    }),
  )
  const far = { lat, lon: lon + 0.25 }
  const found = async (towns: readonly string[]) => {
    const sources = [
      sourceOf('best', [...rows, row('DE', '80999', 'Gut Z', district)]),
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
